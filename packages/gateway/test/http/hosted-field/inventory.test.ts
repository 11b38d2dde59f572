import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  BROWSER_FILES_FOLDER,
  readBrowserFiles,
} from '../../../src/http/hosted-field/browser-files.ts'
import {
  PAGES,
  PAGE_SCRIPTS,
  PAGE_STYLE,
  SHOP_SCRIPTS,
} from '../../../src/http/hosted-field/inventory.ts'
import { siteOf } from './site-of.ts'

const LISTED = [...Object.values(PAGES), ...PAGE_SCRIPTS, PAGE_STYLE, ...SHOP_SCRIPTS.values()]

/** Anything in a page that runs, or loads something, except scripts of the inventory. */
function foreignPartsIn(html: string): string[] {
  const allowed = PAGE_SCRIPTS.map(
    ({ file, integrity }) =>
      new RegExp(
        `^<script src="/pay/assets/[0-9a-f]{12}/${file}" integrity="${escape(integrity)}" defer></script>$`,
      ),
  )
  const sheet = new RegExp(
    `^<link rel="stylesheet" href="/pay/assets/[0-9a-f]{12}/${PAGE_STYLE.file}" ` +
      `integrity="${escape(PAGE_STYLE.integrity)}" />$`,
  )
  const scripts = html.match(/<script\b[\s\S]*?(?:<\/script\s*>|$)/gi) ?? []
  const links = html.match(/<link\b[^>]*>/gi) ?? []
  const others = html.match(/<(?:style|iframe|object|embed|base|img|svg)\b[^>]*>/gi) ?? []
  const inline = html.match(/\s(?:on\w+|style|srcdoc)\s*=|javascript:/gi) ?? []
  return [
    ...scripts.filter((tag) => !allowed.some((pattern) => pattern.test(tag))),
    ...links.filter((tag) => !sheet.test(tag)),
    ...others,
    ...inline,
  ]
}

function escape(text: string): string {
  return text.replace(/[+/.]/g, '\\$&')
}

test('a served page holds no script, style or frame that is not in the inventory', async () => {
  const { app } = siteOf(['https://shop.example'])
  for (const url of ['/pay/field.html?site=1001', '/pay/field.html?site=5', '/pay/field.html']) {
    const { body } = await app.inject({ url })
    assert.deepEqual(foreignPartsIn(body), [], url)
  }
  const { body } = await app.inject({ url: '/pay/field.html?site=1001' })
  assert.equal(body.match(/<script/g)?.length, PAGE_SCRIPTS.length)
})

test('the guard bites: scripts without a place in the inventory, and code that runs without a tag', () => {
  const [script] = PAGE_SCRIPTS
  assert.ok(script)
  const good = `<script src="/pay/assets/0123456789ab/${script.file}" integrity="${script.integrity}" defer></script>`
  assert.deepEqual(foreignPartsIn(good), [])
  for (const bad of [
    good.replace(script.integrity, 'sha384-x'),
    good.replace('src="/', 'src="https://elsewhere.example/'),
    '<script>steal()</script>',
    '<SCRIPT SRC=x>',
    '<input onfocus="steal()">',
    '<a href="javascript:steal()">',
    '<style>input { background: red }</style>',
    '<link rel="stylesheet" href="https://elsewhere.example/a.css">',
    '<iframe src="https://elsewhere.example/"></iframe>',
  ]) {
    assert.notDeepEqual(foreignPartsIn(bad), [], bad)
  }
})

test('every file of the folder is in the inventory, with a purpose', () => {
  const files = readdirSync(BROWSER_FILES_FOLDER)
  assert.deepEqual(files.sort(), LISTED.map(({ file }) => file).sort())
  for (const { file, purpose } of LISTED) assert.ok(purpose.length > 10, file)
})

for (const changed of ['card-form.js', 'field.html', 'fields.js', 'fields-2.js']) {
  test(`a gateway does not start when ${changed} is not the one that belongs to its version`, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-fields-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(BROWSER_FILES_FOLDER, folder, { recursive: true })
    readBrowserFiles(folder)
    appendFileSync(join(folder, changed), '\n')
    assert.throws(
      () => readBrowserFiles(folder),
      new RegExp(`${changed} is not the file .* does not start`),
    )
  })
}

test("the served script is the inventory's, byte for byte, at an address that names it", async () => {
  const { app } = siteOf(['https://shop.example'])
  const { body: page } = await app.inject({ url: '/pay/field.html?site=1001' })
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
  assert.equal(addresses.length, PAGE_SCRIPTS.length + 1)
  for (const address of addresses) {
    const { rawPayload, statusCode } = await app.inject({ url: address })
    assert.equal(statusCode, 200)
    const file = address.split('/').at(-1) ?? ''
    assert.deepEqual(rawPayload, readFileSync(join(BROWSER_FILES_FOLDER, file)))
  }
})

/** Of the versions that shops may have pinned: none may change by a byte. */
const RELEASED = {
  '1': 'sha384-P8HflbOCGscD6lg/6DfPwj6PcVucHLbpVKQlXZCk53DyA5YGe3d6/bLJJRKuLYpP',
  '2': 'sha384-fvjWAHXet/nJzirGOSiti5U1qT68gM9FRA1WrtF/Acq2XeF4pnYmpHmbowHcnwaj',
}

test('the hash of each version of the script for shops is the one that shops have pinned', () => {
  const listed = [...SHOP_SCRIPTS].map(([version, { integrity }]) => [version, integrity])
  assert.deepEqual(Object.fromEntries(listed), RELEASED)
})

test('each version of the script for shops is at its own address, which may be kept for ever', async () => {
  const { app } = siteOf(['https://shop.example'])
  const [first, second] = await Promise.all(
    [...SHOP_SCRIPTS.keys()].map((version) => app.inject({ url: `/pay/${version}/fields.js` })),
  )
  assert.ok(first && second)
  const unversioned = await app.inject({ url: '/pay/fields.js' })
  assert.equal(unversioned.headers['cache-control'], 'public, max-age=300')
  assert.equal(unversioned.body, first.body)
  assert.notEqual(second.body, first.body)
  for (const { headers } of [first, second])
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  for (const { headers } of [first, second, unversioned]) {
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
  }
})

test('the sample shop pins the script by the hash of the inventory', () => {
  const page = new URL('../../../../../examples/hosted-fields/shop.html', import.meta.url)
  const { integrity = '' } = SHOP_SCRIPTS.get('1') ?? {}
  assert.ok(readFileSync(page, 'utf8').includes(`integrity="${integrity}"`))
})
