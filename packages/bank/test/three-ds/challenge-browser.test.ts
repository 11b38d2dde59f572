import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, FrameLocator, Page } from 'playwright-core'
import { ARGUMENTS } from '../../../../test/browser/chromium-arguments.ts'
import { CHROMIUM, HEADLESS_SHELL } from '../../../../test/browser/find-chromium.ts'
import { aCReq, base64Url, startScriptedServer, startSimulator } from './scripted-server.ts'
import type { Fields } from './scripted-server.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const CHALLENGE = '4000000000002503'

const NEEDS_CHROMIUM =
  CHROMIUM === null ? { skip: 'Chromium is not installed: apt-get install chromium' } : {}

/** The data that the 3DS Server receives back through the browser. */
interface Returned {
  readonly cres: Fields
  readonly sessionData: string | null
}

suite('the challenge page in a real browser', NEEDS_CHROMIUM, () => {
  let browser: Browser
  before(async () => {
    const executablePath = HEADLESS_SHELL ?? 'chromium'
    browser = await chromium.launch({ executablePath, args: ARGUMENTS })
  })
  after(async () => browser?.close())

  /**
   * A shop on another site whose page frames the challenge, as a step-up page does; what comes back
   * lands at the gateway's address.
   */
  async function challenge(
    t: TestContext,
    options: BrowserContextOptions & {
      readonly pan?: string
      readonly size?: [number, number]
    } = {},
  ) {
    const { pan = CHALLENGE, size = [500, 600], ...contextOptions } = options
    const simulator = await startSimulator(t, { acsHost: 'acs.localhost', timeScale: 1 })
    const server = await startScriptedServer(simulator)
    const returned = Promise.withResolvers<Returned>()
    const web = createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += String(part)
      response.setHeader('Content-Type', 'text/html')
      if (request.url === '/term') {
        const form = new URLSearchParams(body)
        const cres = Buffer.from(form.get('cres') ?? '', 'base64url').toString()
        returned.resolve({
          cres: JSON.parse(cres) as Fields,
          sessionData: form.get('threeDSSessionData'),
        })
        response.end('<!doctype html><title>Term</title><p id="back">Back at the gateway</p>')
        return
      }
      // The step-up page: an inner frame, and a form that posts the CReq into it.
      response.end(`<!doctype html><html lang="en"><title>Shop</title>
<iframe name="acs" title="Bank" width="${size[0]}" height="${size[1]}"></iframe>
<form method="post" action="${String(ares['acsURL'])}" target="acs">
<input type="hidden" name="creq" value="${base64Url(aCReq(ares))}">
<input type="hidden" name="threeDSSessionData" value="c2Vzc2lvbi0x">
<button>Pay</button></form>`)
    }).listen(0, '127.0.0.1')
    await once(web, 'listening')
    const { port } = web.address() as AddressInfo
    const notificationURL = `http://gateway.localhost:${port}/term`
    const ares = await server.ask(server.areq(pan, { notificationURL }))
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...contextOptions })
    t.after(async () => {
      await context.close()
      web.close()
      web.closeAllConnections()
    })
    const complaints: string[] = []
    context.on('console', (message) => complaints.push(message.text()))
    const page = await context.newPage()
    await page.goto(`http://merchant.localhost:${port}/`)
    await page.click('button')
    const acs = page.frameLocator('iframe[name=acs]')
    await acs.locator('#submitButton').waitFor()
    return { acs, ares, complaints, context, page, returned: returned.promise, server }
  }

  const results = (server: { readonly results: readonly Fields[] }) =>
    server.results.map(({ challengeCancel, transStatus, transStatusReason }) =>
      [transStatus, transStatusReason ?? '-', challengeCancel ?? '-'].join(' '),
    )

  /** The inner frame itself, for what can be measured in it. */
  const frameOf = (page: Page) => {
    const frame = page.frames().find((found) => /creq/.test(found.url()))
    assert.ok(frame !== undefined, 'there is no frame of the ACS')
    return frame
  }

  async function finishWith(acs: FrameLocator, code: string): Promise<void> {
    await acs.getByLabel('Code').fill(code)
    await acs.locator('#submitButton').click()
  }

  test('the right code returns the cardholder with a Y, from a frame of another site', async (t) => {
    const { acs, ares, complaints, context, returned, server } = await challenge(t)
    await finishWith(acs, '1234')
    const { cres, sessionData } = await returned
    await acs.locator('#back').waitFor()
    assert.equal(cres['transStatus'], 'Y')
    assert.equal(cres['acsTransID'], ares['acsTransID'])
    assert.equal(sessionData, 'c2Vzc2lvbi0x')
    assert.deepEqual(results(server), ['Y - -'])
    assert.deepEqual(await context.cookies(), [])
    assert.deepEqual(complaints, [])
  })

  test('the page shows what is paid, to whom and with which card', async (t) => {
    const { acs } = await challenge(t)
    await acs.getByText('SIMULATED BANK').waitFor()
    for (const text of ['Sample Shop', '10.00 USD', '2026-11-21', '**** 2503']) {
      await acs.getByText(text, { exact: true }).waitFor()
    }
  })

  test('three wrong codes return the cardholder with an N', async (t) => {
    const { acs, page, returned, server } = await challenge(t)
    for (const code of ['1', '12345']) {
      await finishWith(acs, code)
      await acs.getByRole('alert').filter({ hasText: 'This code is wrong' }).waitFor()
      assert.match(frameOf(page).url(), /creq/)
    }
    await finishWith(acs, '0000')
    assert.equal((await returned).cres['transStatus'], 'N')
    assert.deepEqual(results(server), ['N 19 -'])
  })

  test('a cardholder who cancels is returned with an N, without a code', async (t) => {
    const { acs, returned, server } = await challenge(t)
    await acs.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await returned).cres['transStatus'], 'N')
    assert.deepEqual(results(server), ['N 26 01'])
  })

  test('the code can be had again, and used then', async (t) => {
    const { acs, returned, server } = await challenge(t)
    await acs.getByRole('button', { name: 'Resend code' }).click()
    await acs.getByRole('status').filter({ hasText: 'Code sent again' }).waitFor()
    await finishWith(acs, '1234')
    assert.equal((await returned).cres['transStatus'], 'Y')
    assert.deepEqual(results(server), ['Y - -'])
  })

  test('it works without JavaScript, by a button at the end', async (t) => {
    const { acs, returned, server } = await challenge(t, { javaScriptEnabled: false })
    await finishWith(acs, '9')
    await acs.getByRole('alert').waitFor()
    await finishWith(acs, '1234')
    await acs.getByRole('button', { name: 'Continue' }).click()
    assert.equal((await returned).cres['transStatus'], 'Y')
    assert.deepEqual(results(server), ['Y - -'])
  })

  test('it works by keyboard alone: Enter confirms, and Tab reaches every button', async (t) => {
    const { acs, page, returned, server } = await challenge(t)
    const focused = () =>
      frameOf(page).evaluate<string>(
        'document.activeElement?.id || document.activeElement?.textContent || ""',
      )
    await acs.getByLabel('Code').focus()
    const seen: string[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      await page.keyboard.press('Tab')
      seen.push(await focused())
    }
    assert.deepEqual(seen, ['submitButton', 'Resend code', 'Cancel'])
    await acs.getByLabel('Code').focus()
    await page.keyboard.type('7')
    // Enter is released in the next document: Chromium may never confirm it to one that goes.
    await page.keyboard.down('Enter')
    await acs.getByRole('alert').waitFor()
    await page.keyboard.up('Enter')
    await acs.getByLabel('Code').focus()
    await page.keyboard.type('1234')
    await page.keyboard.down('Enter')
    assert.equal((await returned).cres['transStatus'], 'Y')
    assert.deepEqual(results(server), ['Y - -'])
  })

  const sizes = [
    [250, 400],
    [390, 400],
    [500, 600],
    [600, 400],
    [1200, 800],
  ] as const
  for (const [width, height] of sizes) {
    test(`at ${width} by ${height} nothing is cut off sideways, and axe finds nothing`, async (t) => {
      const { acs, page } = await challenge(t, {
        size: [width, height],
        viewport: { width: width + 60, height: height + 120 },
      })
      const check = async () => {
        const frame = frameOf(page)
        const root = 'document.documentElement'
        const excess = await frame.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`)
        assert.equal(excess, 0)
        const heights = await frame.evaluate<number[]>(
          '[...document.querySelectorAll("button")].map((one) => one.getBoundingClientRect().height)',
        )
        const smallest = Math.min(...heights)
        assert.ok(smallest >= 32, `${smallest}`)
        // A policy that lets no script in lets this one in for the test only.
        const cdp = await page.context().newCDPSession(frame)
        await cdp.send('Runtime.evaluate', { expression: await axeSource() })
        const { result } = await cdp.send('Runtime.evaluate', {
          expression:
            'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id }) => id)))',
          awaitPromise: true,
          returnByValue: true,
        })
        assert.equal(result.value, '[]')
      }
      await check()
      await finishWith(acs, '9')
      await acs.getByRole('alert').waitFor()
      await check()
      await acs.getByRole('button', { name: 'Resend code' }).click()
      await acs.getByRole('status').waitFor()
      await check()
    })
  }

  test('a page that was left behind, and comes back, changes nothing', async (t) => {
    const { acs, page, returned, server } = await challenge(t)
    await finishWith(acs, '1234')
    assert.equal((await returned).cres['transStatus'], 'Y')
    await acs.locator('#back').waitFor()
    await page.click('button')
    await acs.locator('#back').waitFor()
    assert.deepEqual(results(server), ['Y - -'])
  })
})

let source: Promise<string> | null = null

function axeSource(): Promise<string> {
  source ??= readFile(AXE, 'utf8')
  return source
}
