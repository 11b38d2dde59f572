import assert from 'node:assert/strict'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { readThreeDsPages, THREE_DS_PAGES_FOLDER } from '../../../src/http/three-ds/page-files.ts'
import {
  THREE_DS_PAGES,
  THREE_DS_STYLE,
  type PageFiles,
} from '../../../src/http/three-ds/page-inventory.ts'
import { ACS_URL, METHOD_URL, startThreeDsWorld, type ThreeDsWorld } from './three-ds-world.ts'

const PAGES: readonly PageFiles[] = Object.values(THREE_DS_PAGES)
const LISTED = new Map(
  [THREE_DS_STYLE, ...PAGES.flatMap(({ page, script }) => [page, script])].map((entry) => [
    entry.file,
    entry,
  ]),
)

test('every file of the folder is in the inventory, with a purpose', () => {
  assert.deepEqual(readdirSync(THREE_DS_PAGES_FOLDER).sort(), [...LISTED.keys()].sort())
  for (const { file, purpose } of LISTED.values()) assert.ok(purpose.length > 10, file)
})

for (const changed of ['step-up.js', 'collect.html', 'page.css']) {
  test(`a gateway does not start when ${changed} is not the one that belongs to its version`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-three-ds-pages-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(THREE_DS_PAGES_FOLDER, folder, { recursive: true })
    readThreeDsPages(folder)
    appendFileSync(join(folder, changed), '\n')
    assert.throws(
      () => readThreeDsPages(folder),
      new RegExp(`${changed} is not the file .* does not start`),
    )
  })
}

test('no data of a page can end its script', () => {
  const write = readThreeDsPages(THREE_DS_PAGES_FOLDER)
  const hostile = '</script><script>alert(1)</script><!--'
  const page = write(
    'collect',
    'n',
    { methodUrl: '"><script>', methodData: hostile },
    { reference: hostile },
  )
  assert.equal(page.includes('<script>'), false)
  assert.equal(page.match(/<\/script>/g)?.length, 2)
  const [, data = ''] = /id="page-data">([^<]*)</.exec(page) ?? []
  assert.deepEqual(JSON.parse(data), { reference: hostile })
})

suite('headers of the pages', () => {
  let world: ThreeDsWorld
  before(async () => void (world = await startThreeDsWorld()))
  after(() => world?.stop())

  async function policies(mode: 'test' | 'live' = 'test') {
    const { JWT = '' } = await world.ask()
    const { token } = await world.challenge({ mode })
    const step = await world.post('/V2/Cruise/StepUp', { JWT: token })
    const [, threeDSSessionData = ''] =
      /name="threeDSSessionData" value="([^"]*)"/.exec(step.body) ?? []
    return {
      collect: await world.post('/V2/Cruise/Collect', { JWT }),
      notify: await world.post('/V2/Cruise/MethodNotify', {}),
      step,
      reload: await world.post('/V2/Cruise/StepUp', { JWT: token }),
      term: await world.post('/V2/Cruise/Term', { cres: '', threeDSSessionData }),
      notice: await world.post('/V2/Cruise/StepUp', {}),
    }
  }

  test("each page may be framed by any shop, runs its own script only and reaches no server but the issuer's", async () => {
    const acs = new URL(ACS_URL).origin
    const shop = 'https://shop.example'
    const reach = {
      collect: [`'self' ${new URL(METHOD_URL).origin}`, new URL(METHOD_URL).origin],
      notify: ["'none'", "'none'"],
      step: [`'self' ${acs}`, `${acs} ${shop}`, ` ${acs}`],
      reload: ["'none'", shop],
      term: ["'none'", shop],
      notice: ["'none'", "'none'"],
    }
    for (const [name, { body, headers }] of Object.entries(await policies())) {
      const policy = String(headers['content-security-policy'])
      const [, nonce = ''] = /script-src 'nonce-([^']+)'/.exec(policy) ?? []
      assert.equal(Buffer.from(nonce, 'base64').length, 16)
      const [frames, forms, looksFor = ''] = reach[name as keyof typeof reach]
      assert.equal(
        policy,
        `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'${looksFor}; ` +
          `frame-src ${frames}; form-action ${forms}; base-uri 'none'; frame-ancestors *`,
        name,
      )
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal('x-frame-options' in headers, false)
      assert.notEqual(headers['referrer-policy'], 'no-referrer')
      const scripts = body.match(/<script\b[^>]*>/g) ?? []
      for (const tag of scripts) {
        assert.ok(
          tag === `<script nonce="${nonce}">` ||
            tag === '<script type="application/json" id="page-data">',
          tag,
        )
      }
      assert.equal(
        /\son\w+\s*=|\sstyle\s*=|javascript:/i.test(
          body.replace(/<script nonce[\s\S]*?<\/script>/g, ''),
        ),
        false,
      )
    }
  })

  for (const [returnUrl, source] of [
    ['http://[::1]:8080/back', 'http:'],
    ['https://a_b.example/back', 'https:'],
    ['https://bücher.example/back', 'https://xn--bcher-kva.example'],
  ] as const) {
    test(`a policy lets the customer back to ${returnUrl}`, async () => {
      const { token } = await world.challenge({ returnUrl })
      const { headers } = await world.post('/V2/Cruise/StepUp', { JWT: token })
      const forms = `form-action ${new URL(ACS_URL).origin} ${source}; base-uri`
      assert.ok(String(headers['content-security-policy']).includes(forms))
    })
  }

  test('a nonce is never used twice', async () => {
    const { notice, notify } = await policies()
    assert.notEqual(
      notice.headers['content-security-policy'],
      notify.headers['content-security-policy'],
    )
  })

  test('real issuers may lead the browser on, over https', async () => {
    const { step } = await policies('live')
    assert.match(
      String(step.headers['content-security-policy']),
      /frame-src 'self' https:\/\/issuer\.example https:;/,
    )
  })

  test('the status of a challenge is not cached', async () => {
    const answer = await world.app.inject({
      url: '/V2/Cruise/StepUp/status',
      headers: { 'page-handle': 'x' },
    })
    assert.deepEqual([answer.statusCode, answer.headers['cache-control']], [404, 'no-store'])
  })
})
