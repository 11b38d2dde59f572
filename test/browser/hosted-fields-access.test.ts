import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Browser, Frame, Page } from 'playwright-core'
import { BROWSER_FILES_FOLDER } from '../../packages/gateway/src/http/hosted-field/browser-files.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import { EXPIRY, VISA } from '../support/payments.ts'
import { OWNER } from '../support/portal.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { launchChromium, NEEDS_CHROMIUM, watchedContext, type Watched } from './chromium.ts'
import {
  bareHolder,
  heardBy,
  mountingPage,
  say,
  startOrigins,
  type Origins,
} from './embedding-page.ts'

/** Lets every origin embed it. */
const OPEN_SITE = 1001
/** Lists the shop's origin only. */
const LISTING_SITE = 1003
/** A host that is not served, although its name leads here. */
const REBOUND = 'rebound.test'
const SIGNED = {
  id: '1',
  timestamp: '20260101000000',
  uniqueId: 'a1',
  signature: '0'.repeat(64),
}

suite('the access limits of the card fields', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let origins: Origins
  before(async () => {
    gateway = await startRunningGateway()
    origins = await startOrigins()
    await gateway.pool.query('update sites set token_origins = $1 where id = $2', [
      [origins.of('shop')],
      LISTING_SITE,
    ])
    // A name that its owner points at this machine.
    browser = await launchChromium(`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`)
  })
  after(async () => {
    await browser?.close()
    origins?.close()
    await gateway?.stop()
  })

  interface Visit {
    readonly watched: Watched
    readonly page: Page
    readonly fields: Frame
  }

  async function freshProfile(t: { after(undo: () => unknown): void }): Promise<Watched> {
    const watched = await watchedContext(browser)
    t.after(() => watched.context.close())
    return watched
  }

  /** Opens a page of the origin; the fields are the first frame that it holds. */
  async function visit(
    t: { after(undo: () => unknown): void },
    name: 'shop' | 'elsewhere',
    html: string,
  ): Promise<Visit> {
    origins.serve(name, html)
    const watched = await freshProfile(t)
    const page = await watched.context.newPage()
    await page.goto(origins.of(name))
    const [fields] = page.mainFrame().childFrames()
    if (fields === undefined) throw new Error('The page holds no frame.')
    return { watched, page, fields }
  }

  /** Resolves when Chromium has put its own error page into the frame, and has said why. */
  async function untilRefused(frame: Frame | undefined, { console }: Watched): Promise<void> {
    assert.ok(frame)
    const isError = (): boolean => frame.url().startsWith('chrome-error:')
    await eventually("the frame shows Chromium's own error page", isError)
    const reason = /frame-ancestors 'self' http:\/\/shop\.localhost/
    await untilSeen(
      'the console says that the frame was refused',
      () => console.join('\n'),
      (lines) => reason.test(lines),
    )
  }

  test('a listed origin can hold the fields, and hears from them at its own address', async (t) => {
    const { page, fields } = await visit(t, 'shop', bareHolder(gateway.baseUrl, LISTING_SITE))
    assert.deepEqual(await heardBy(page), [], 'the fields spoke before they were spoken to')
    await say(page, fields, { type: 'tollgate.setup' })
    const types = (await heardBy(page)).map(({ origin, type }) => `${origin} ${type}`)
    assert.ok(types.includes(`${gateway.baseUrl} tollgate.ready`), types.join())
    assert.equal(await fields.isVisible('#number'), true)
  })

  test('an origin that the site does not list cannot hold the fields', async (t) => {
    const html = bareHolder(gateway.baseUrl, LISTING_SITE)
    const { fields, page, watched } = await visit(t, 'elsewhere', html)
    await untilRefused(fields, watched)
    await page.evaluate(() => frames[0]?.postMessage({ type: 'tollgate.setup' }, '*'))
    assert.equal(await fields.locator('#number').count(), 0)
    assert.deepEqual(await heardBy(page), [])
  })

  test('a listed origin that is itself held by another cannot hold the fields', async (t) => {
    const watched = await freshProfile(t)
    origins.serve('shop', bareHolder(gateway.baseUrl, LISTING_SITE))
    origins.serve('elsewhere', `<iframe src="${origins.of('shop')}/"></iframe>`)
    const page = await watched.context.newPage()
    await page.goto(origins.of('elsewhere'))
    const shop = page.mainFrame().childFrames()[0]
    await untilRefused(shop?.childFrames()[0], watched)
  })

  test('without the policy, the fields still neither show nor answer to an origin that is not listed', async (t) => {
    const watched = await freshProfile(t)
    origins.serve('elsewhere', bareHolder(gateway.baseUrl, LISTING_SITE))
    await watched.context.route('**/pay/field.html?*', async (route) => {
      const response = await route.fetch()
      const { 'content-security-policy': _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
    const page = await watched.context.newPage()
    await page.goto(origins.of('elsewhere'))
    const [fields] = page.mainFrame().childFrames()
    assert.ok(fields)
    await say(page, fields, { type: 'tollgate.setup' }, { type: 'tollgate.tokenize', ...SIGNED })
    assert.equal(await fields.isVisible('#number'), false)
    assert.deepEqual(await heardBy(page), [])
  })

  test('messages of other frames are not heard, even from an origin that may embed the fields', async (t) => {
    const html = `${bareHolder(gateway.baseUrl, OPEN_SITE)}<iframe src="${origins.of('elsewhere')}/"></iframe>`
    const watched = await freshProfile(t)
    origins.serve('shop', html)
    origins.serve('elsewhere', '<p>A frame of somebody else</p>')
    const page = await watched.context.newPage()
    await page.goto(origins.of('shop'))
    const [fields, other] = page.mainFrame().childFrames()
    assert.ok(fields && other)
    await say(page, fields, { type: 'tollgate.setup' })
    await fields.locator('#number').pressSequentially('4111111111111111')
    await fields.locator('#code').pressSequentially('123')
    await other.evaluate((signed) => {
      const card = window.parent.frames[0]
      card?.postMessage({ type: 'tollgate.clear' }, '*')
      card?.postMessage({ type: 'tollgate.setup', texts: { number: 'Your password' } }, '*')
      card?.postMessage({ type: 'tollgate.tokenize', ...signed }, '*')
    }, SIGNED)
    await other.evaluate(() => new Promise((later) => setTimeout(later)))
    await say(page, fields)
    assert.equal(await fields.innerText('#number-label'), 'Card number')
    assert.equal(await fields.inputValue('#number'), '4111 1111 1111 1111')
    assert.equal(watched.requests.filter(({ url }) => url.includes('token_service')).length, 0)
  })

  const REFUSED: readonly (readonly [what: string, message: object, problem: RegExp])[] = [
    ['an unknown type', { type: 'tollgate.read' }, /^The type is not known/],
    [
      'an unknown part',
      { type: 'tollgate.setup', css: 'input{}' },
      /^It has a part that is not known/,
    ],
    ['raw CSS', { type: 'tollgate.setup', style: { css: 'x' } }, /^style is not right/],
    [
      'CSS inside a colour',
      { type: 'tollgate.setup', style: { textColor: 'red;background:url(//x)' } },
      /^style is not right/,
    ],
    [
      'a text that is none',
      { type: 'tollgate.setup', texts: { number: {} } },
      /^texts is not right/,
    ],
    ['a long text', { type: 'tollgate.setup', texts: { number: 'x'.repeat(201) } }, /^texts is/],
    ['a language that is none', { type: 'tollgate.setup', language: '"><b>' }, /^language is not/],
    ['a request without its signature', { type: 'tollgate.tokenize', id: '1' }, /is missing/],
    [
      'a request for another address',
      { type: 'tollgate.tokenize', ...SIGNED, url: 'https://x' },
      /^It has a part that is not known/,
    ],
    [
      'a time with a line break',
      { type: 'tollgate.tokenize', ...SIGNED, timestamp: '20260101000000\n' },
      /^timestamp is not right/,
    ],
    ['a field that is none', { type: 'tollgate.focus', field: '__proto__' }, /^field is not right/],
  ]

  test('a message without the exact form is refused as a whole', async (t) => {
    const { page, fields, watched } = await visit(t, 'shop', bareHolder(gateway.baseUrl, OPEN_SITE))
    await say(page, fields, { type: 'tollgate.setup' })
    for (const [what, message, problem] of REFUSED) {
      const before = (await heardBy(page)).length
      await say(page, fields, message)
      const answers = (await heardBy(page)).slice(before)
      assert.equal(answers.length, 1, what)
      assert.equal(answers[0]?.['code'], 'bad_message', what)
      assert.match(String(answers[0]?.['message']), problem, what)
    }
    assert.equal(await fields.innerText('#number-label'), 'Card number')
    assert.equal(watched.requests.filter(({ method }) => method === 'POST').length, 0)
  })

  test('a message that is not for the fields gets no response', async (t) => {
    const { page, fields } = await visit(t, 'shop', bareHolder(gateway.baseUrl, OPEN_SITE))
    await say(
      page,
      fields,
      'tollgate.setup',
      null,
      7,
      [],
      ['tollgate.setup'],
      { type: 1 },
      { type: 'x' },
    )
    assert.deepEqual(await heardBy(page), [])
  })

  test('a token cannot be asked for before the fields are set up', async (t) => {
    const { page, fields } = await visit(t, 'shop', bareHolder(gateway.baseUrl, OPEN_SITE))
    await say(page, fields, { type: 'tollgate.tokenize', ...SIGNED })
    const [answer] = await heardBy(page)
    assert.equal(answer?.['message'], 'Send tollgate.setup first.')
    assert.equal(await fields.isVisible('#number'), false)
  })

  test("the shop's own script cannot reach into the frame", async (t) => {
    const { page } = await visit(t, 'shop', bareHolder(gateway.baseUrl, OPEN_SITE))
    const reached = await page.evaluate(() => {
      const frame = document.querySelector('iframe')
      const tries: (() => unknown)[] = [
        () => frame?.contentWindow?.document.body,
        () => (frame?.contentWindow as { card?: unknown } | null | undefined)?.card,
        () => frame?.contentWindow?.localStorage,
      ]
      return [
        String(frame?.contentDocument),
        ...tries.map((attempt) => {
          try {
            return `reached ${String(attempt())}`
          } catch (error) {
            return error instanceof DOMException ? error.name : String(error)
          }
        }),
      ]
    })
    assert.deepEqual(reached, ['null', 'SecurityError', 'SecurityError', 'SecurityError'])
  })

  test('a script that is slipped into the page, and a changed one, do not run and are counted', async (t) => {
    const watched = await freshProfile(t)
    origins.serve('shop', bareHolder(gateway.baseUrl, OPEN_SITE))
    await watched.context.route('**/pay/field.html?*', async (route) => {
      const response = await route.fetch()
      const slipped =
        '<script>globalThis.slipped = true</script>' +
        '<img src="x" onerror="globalThis.slipped = true">' +
        `<script src="${origins.of('shop')}/steal.js"></script></body>`
      await route.fulfill({ response, body: (await response.text()).replace('</body>', slipped) })
    })
    await watched.context.route('**/card-form.js', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: `globalThis.slipped = true;${await response.text()}` })
    })
    const page = await watched.context.newPage()
    await page.goto(origins.of('shop'))
    const [fields] = page.mainFrame().childFrames()
    assert.ok(fields)
    assert.equal(await fields.evaluate(() => 'slipped' in globalThis), false)
    assert.equal(await fields.isVisible('#number'), false)
    const refused = (await watched.violations()).map((line) => line.split(' ')[0])
    assert.deepEqual(
      refused.sort(),
      ['img-src', 'script-src-attr', 'script-src-elem', 'script-src-elem'].sort(),
    )
    assert.match(watched.console.join('\n'), /Failed to find a valid digest in the 'integrity'/)
    assert.equal(origins.asked.includes('/steal.js'), false)
    const counted = 'tollgate_card_page_violations_total{directive="script-src-attr"} 1'
    await eventually('the report of the browser is counted', async () =>
      (await gateway.metrics()).includes(counted),
    )
  })

  test('markup cannot be made into a script while the page runs', async (t) => {
    const { page, fields } = await visit(t, 'shop', bareHolder(gateway.baseUrl, OPEN_SITE))
    await say(page, fields, {
      type: 'tollgate.setup',
      texts: { number: '<img src=x onerror=alert(1)>' },
    })
    assert.equal(await fields.innerText('#number-label'), '<img src=x onerror=alert(1)>')
    const refused = await fields.evaluate(() => {
      try {
        document.body.innerHTML = '<b>x</b>'
        return 'was set'
      } catch (error) {
        return error instanceof TypeError ? 'refused' : String(error)
      }
    })
    assert.equal(refused, 'refused')
  })

  test('the script for shops believes the frame only', async (t) => {
    const html = mountingPage(gateway.baseUrl, OPEN_SITE)
    origins.serve('shop', html)
    const page = await (await freshProfile(t)).context.newPage()
    await page.goto(origins.of('shop'))
    await page.frameLocator('iframe').locator('#number').waitFor()
    const answer = await page.evaluate(async (signed) => {
      const { card } = globalThis as unknown as { card: { tokenize(s: object): Promise<unknown> } }
      const asked = card.tokenize(signed).then(
        () => 'a token',
        (error: { code: string }) => error.code,
      )
      window.postMessage({ type: 'tollgate.token', id: '1', token: 'FORGED' }, '*')
      return asked
    }, SIGNED)
    assert.equal(answer, 'number_empty')
  })

  test('a gateway that does not know the site shows that no card can be entered', async (t) => {
    const { fields } = await visit(t, 'shop', bareHolder(gateway.baseUrl, 999))
    assert.match(
      await fields.innerText('body'),
      /There is no such site\. No card can be entered here/,
    )
    assert.equal(await fields.locator('input, script').count(), 0)
  })

  test('a page that is isolated from others can hold the fields', async (t) => {
    const watched = await freshProfile(t)
    origins.serve('shop', mountingPage(gateway.baseUrl, OPEN_SITE), {
      'cross-origin-embedder-policy': 'require-corp',
    })
    const page = await watched.context.newPage()
    await page.goto(origins.of('shop'))
    await page.frameLocator('iframe').locator('#number').waitFor()
  })

  test('no message is ever sent with a wildcard target origin', () => {
    for (const file of readdirSync(BROWSER_FILES_FOLDER)) {
      const text = readFileSync(join(BROWSER_FILES_FOLDER, file), 'utf8')
      assert.doesNotMatch(text, /postMessage\([^)]*(['"`])[*/]\1/, file)
    }
  })

  /** The number of orders and of test clocks; pages of other origins must leave it at 0. */
  async function touched(): Promise<number> {
    const { rows } = await gateway.pool.query<{ count: number }>(
      `select ((select count(*) from orders) + (select count(*) from site_clocks))::int as count`,
    )
    return rows[0]?.count ?? -1
  }

  const { REQ_USERNAME: username, REQ_PASSWORD: password } = credentials(1001)
  const STEP = JSON.stringify({ username, password, site: 1001, by: 'P1D' })
  const SALE = {
    ...credentials(1001),
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: '1.00',
  }

  test('a page that holds the fields cannot pay by a form or move a clock, though it knows the credentials', async (t) => {
    const { page } = await visit(t, 'shop', bareHolder(gateway.baseUrl, OPEN_SITE))
    const pay = `${gateway.baseUrl}/payment/pmt_service.cfm`
    const move = `${gateway.baseUrl}/sandbox/clock/step`
    const moved = page.waitForResponse(move)
    await page.evaluate(([url, body]) => fetch(url, { method: 'POST', mode: 'no-cors', body }), [
      move,
      STEP,
    ] as const)
    assert.equal((await moved).status(), 403)
    const paid = page.waitForResponse(pay)
    await page.evaluate(
      ([action, fields]) => {
        const form = document.createElement('form')
        Object.assign(form, { method: 'post', action })
        for (const [name, value] of Object.entries(fields)) {
          form.append(Object.assign(document.createElement('input'), { name, value }))
        }
        document.body.append(form)
        form.submit()
      },
      [pay, SALE] as const,
    )
    assert.equal((await paid).status(), 403)
    assert.equal(await touched(), 0)
  })

  test('a page whose own name leads to the gateway (DNS rebinding) reaches neither portal, payment nor clock', async (t) => {
    const { context } = await freshProfile(t)
    const page = await context.newPage()
    const origin = `http://${REBOUND}:${new URL(gateway.baseUrl).port}`
    const opened = await page.goto(`${origin}/portal`)
    assert.equal(opened?.status(), 421)
    const json = 'application/json'
    const form = 'application/x-www-form-urlencoded'
    const asked = [
      ['/portal/api/session', json, JSON.stringify(OWNER)],
      ['/sandbox/clock/step', json, STEP],
      ['/payment/pmt_service.cfm', form, new URLSearchParams(SALE).toString()],
      ['/payment/3dsrequest.cfm', form, new URLSearchParams(SALE).toString()],
    ] as const
    const statuses = await page.evaluate(
      (requests) =>
        Promise.all(
          requests.map(async ([path, type, body]) => {
            const headers = { 'content-type': type }
            return (await fetch(path, { method: 'POST', headers, body })).status
          }),
        ),
      asked,
    )
    assert.deepEqual(statuses, [421, 421, 421, 421])
    assert.equal(await touched(), 0)
  })
})
