import { signTokenRequest } from '@tollgate/client'
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, suite, test } from 'node:test'
import type { Browser, Frame, Page } from 'playwright-core'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, watchedContext } from './chromium.ts'
import {
  bareHolder,
  heardBy,
  mountingPage,
  say,
  startOrigins,
  type Origins,
} from './embedding-page.ts'
import { cardFrame, startSampleShop, type SampleShop } from './sample-shop.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const SITE = 1001

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string | null
    readonly nodes: readonly {
      readonly target: readonly unknown[]
      readonly failureSummary?: string
    }[]
  }[]
}

suite('the look of the card fields', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let origins: Origins
  let shop: SampleShop
  before(async () => {
    gateway = await startRunningGateway()
    origins = await startOrigins()
    shop = await startSampleShop(gateway.baseUrl)
    browser = await launchHeadlessShell()
  })
  after(async () => {
    await browser?.close()
    await shop?.stop()
    origins?.close()
    await gateway?.stop()
  })

  type Undoing = { after(undo: () => unknown): void }

  /** The findings of axe-core in the shop and its frame, without trifles. */
  async function findings(page: Page, fields: Frame): Promise<string[]> {
    // The frame lets the shop's colour through, which axe cannot see from inside.
    const behind = await page.evaluate(
      () => getComputedStyle(document.querySelector('main') ?? document.body).backgroundColor,
    )
    await fields.evaluate((color) => (document.body.style.background = color), behind)
    const found = await Promise.all(
      [page.mainFrame(), fields].map((frame, index) =>
        frame.evaluate(async (isFrame) => {
          const { axe } = globalThis as unknown as { axe: { run(o: object): Promise<AxeResults> } }
          // The heading of the whole is the shop's.
          const rules = { 'page-has-heading-one': { enabled: !isFrame } }
          return axe.run({ iframes: false, rules })
        }, index > 0),
      ),
    )
    return found.flatMap(({ violations }) =>
      violations
        .filter(({ impact }) => impact !== 'minor')
        .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.failureSummary).join('; ')}`),
    )
  }

  for (const [colorScheme, width] of [
    ['light', 250],
    ['dark', 600],
  ] as const) {
    test(`axe finds nothing in ${colorScheme} at ${width} px, empty, with errors and done`, async (t) => {
      const { context } = await watchedContext(browser, {
        colorScheme,
        viewport: { width, height: 700 },
      })
      t.after(() => context.close())
      await context.addInitScript({ path: AXE })
      const page = await context.newPage()
      await page.goto(shop.url)
      const frame = await cardFrame(page)
      assert.deepEqual(await findings(page, frame), [])
      await frame.locator('#number').pressSequentially('4111111111111112')
      await page.fill('#expiry', '12/2040')
      await page.click('#pay')
      await frame.getByText('Enter the security code.').waitFor()
      assert.deepEqual(await findings(page, frame), [])
      for (const where of [page, frame]) {
        const overflow = await where.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        assert.equal(overflow, 0, 'the page has to be scrolled sideways')
      }
      await frame.locator('#number').fill('4111111111111111')
      await frame.locator('#code').fill('123')
      await page.click('#pay')
      await frame.getByText('Visa ending in 1111').waitFor()
      assert.deepEqual(await findings(page, frame), [])
    })
  }

  async function holding(t: Undoing, html: string): Promise<{ page: Page; fields: Frame }> {
    const { context } = await watchedContext(browser)
    t.after(() => context.close())
    origins.serve('shop', html)
    const page = await context.newPage()
    await page.goto(origins.of('shop'))
    const element = await page.waitForSelector('iframe')
    const fields = await element.contentFrame()
    assert.ok(fields)
    return { page, fields }
  }

  test('a shop gives the fields its language, its words and a look', async (t) => {
    const { page, fields } = await holding(t, bareHolder(gateway.baseUrl, SITE))
    await say(page, fields, {
      type: 'tollgate.setup',
      language: 'de',
      texts: {
        title: 'Karte',
        number: 'Kartennummer',
        code: 'Prüfziffer',
        numberShort: 'Zu kurz.',
      },
      style: { theme: 'dark', fontSize: 20, radius: 0, textColor: '#ffeedd', font: 'serif' },
    })
    assert.equal(await fields.innerText('label[for=number]'), 'Kartennummer')
    assert.equal(await fields.innerText('label[for=code]'), 'Prüfziffer')
    await fields.locator('#number').pressSequentially('4111')
    await fields.locator('#code').focus()
    assert.equal(await fields.innerText('#number-error'), 'Zu kurz.')
    const look = await fields.evaluate(() => {
      const input = document.getElementById('number')
      const { fontSize, borderRadius, color, fontFamily } = getComputedStyle(input ?? document.body)
      const { lang, dataset } = document.documentElement
      return { fontSize, borderRadius, color, fontFamily, lang, theme: dataset['theme'] }
    })
    assert.match(look.fontFamily, /^Georgia/)
    assert.deepEqual(
      { ...look, fontFamily: '' },
      {
        fontSize: '20px',
        borderRadius: '0px',
        color: 'rgb(255, 238, 221)',
        fontFamily: '',
        lang: 'de',
        theme: 'dark',
      },
    )
    await say(page, fields, { type: 'tollgate.setup' })
    assert.equal(await fields.innerText('label[for=number]'), 'Card number')
    assert.equal(await fields.getAttribute('html', 'style'), '')
  })

  test('version 2 asks for the expiry date between number and code, at 320 px, and returns it with the token', async (t) => {
    const { context } = await watchedContext(browser, { viewport: { width: 320, height: 700 } })
    t.after(() => context.close())
    await context.addInitScript({ path: AXE })
    const html = mountingPage(gateway.baseUrl, SITE, { style: { theme: 'dark' } }, 2)
    origins.serve(
      'shop',
      html.replace(
        /<main[^>]*>/,
        '<main id="place" style="background: #14181d; color: #fff"><h1>Pay</h1>',
      ),
    )
    const page = await context.newPage()
    await page.goto(origins.of('shop'))
    const fields = await cardFrame(page)
    const tokens = await fields
      .locator('input')
      .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('autocomplete')))
    assert.deepEqual(tokens, ['cc-number', 'cc-exp', 'cc-csc'])
    await fields.locator('#number').focus()
    await page.keyboard.type('4111111111111111')
    await page.keyboard.press('Tab')
    await page.keyboard.type('1/20')
    assert.equal(await fields.inputValue('#expiry'), '01 / 20')
    assert.equal(
      await fields.innerText('#expiry-error'),
      'This expiry date is wrong or in the past.',
    )
    assert.deepEqual(await findings(page, fields), [])
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('04/2041')
    assert.equal(await fields.inputValue('#expiry'), '04 / 41')
    for (const left of ['04 / 4', '04 / ', '0', '']) {
      await page.keyboard.press('Backspace')
      assert.equal(await fields.inputValue('#expiry'), left)
    }
    const tokenize = (): Promise<{ expiry?: string; code?: string }> =>
      page.evaluate(
        async (signed) => {
          const { card } = globalThis as unknown as {
            card: { tokenize(s: object): Promise<object> }
          }
          return card.tokenize(signed).catch((error: object) => ({ ...error }))
        },
        signTokenRequest({ siteKey: 'sandbox-site-key-1001', siteId: SITE }),
      )
    assert.equal((await tokenize()).code, 'expiry_empty')
    assert.equal(await fields.evaluate(() => document.activeElement?.id), 'expiry')
    await page.keyboard.type('441')
    await page.keyboard.press('Tab')
    await page.keyboard.type('123')
    assert.equal(await fields.evaluate(() => document.activeElement?.id), 'code')
    assert.equal((await tokenize()).expiry, '042041')
    assert.equal(await fields.inputValue('#expiry'), '')
    assert.deepEqual(await findings(page, fields), [])
    const heard: { name: string; expiry?: unknown }[] = await page.evaluate('events')
    const changes = heard.filter(({ name }) => name === 'change')
    assert.ok(
      changes.some(({ expiry }) => JSON.stringify(expiry) === '{"empty":false,"valid":true}'),
    )
    assert.doesNotMatch(JSON.stringify(heard), /4111|41/)
    const overflow = await fields.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    assert.equal(overflow, 0)
  })

  test('a shop that asks for no security code gets a token without one', async (t) => {
    const { page, fields } = await holding(t, mountingPage(gateway.baseUrl, SITE, { code: false }))
    await fields.waitForSelector('#number', { state: 'visible' })
    assert.equal(await fields.isVisible('#code'), false)
    await fields.locator('#number').pressSequentially('5555555555554444')
    const sent = page.waitForRequest('**/token_service.cfm')
    const signed = signTokenRequest({ siteKey: 'sandbox-site-key-1001', siteId: SITE })
    const answer = await page.evaluate(async (signed) => {
      const { card } = globalThis as unknown as { card: { tokenize(s: object): Promise<object> } }
      return card.tokenize(signed)
    }, signed)
    assert.deepEqual(Object.keys(answer).sort(), [
      'body',
      'brand',
      'id',
      'last4',
      'requestId',
      'signature',
      'timestamp',
      'token',
    ])
    assert.deepEqual(
      [...new URLSearchParams((await sent).postData() ?? '').keys()],
      ['CARD_PAN', 'SITE_ID', 'UNIQUE_ID', 'REQUEST_API_VERSION', 'REQUEST_RESPONSE_FORMAT'],
    )
  })

  test('a signature that is wrong keeps the card, and says to the developer what the gateway said', async (t) => {
    const { page, fields } = await holding(t, mountingPage(gateway.baseUrl, SITE, { code: false }))
    await fields.waitForSelector('#number', { state: 'visible' })
    await fields.locator('#number').pressSequentially('5555555555554444')
    const signed = signTokenRequest({ siteKey: 'sandbox-site-key-1001', siteId: SITE })
    const answer = await page.evaluate(
      async (signed) => {
        const { card } = globalThis as unknown as { card: { tokenize(s: object): Promise<object> } }
        return card.tokenize(signed).catch((error: object) => ({ ...error }))
      },
      { ...signed, signature: '0'.repeat(64) },
    )
    const { code, detail } = answer as { code: string; detail: string }
    assert.equal(code, 'refused')
    assert.match(detail, /^121 /)
    assert.equal(await fields.inputValue('#number'), '5555 5555 5555 4444')
    assert.equal(
      await fields.innerText('#status'),
      'The card could not be taken. Please try again.',
    )
  })

  test("the shop's page receives the customer's progress, and never a digit", async (t) => {
    const { page, fields } = await holding(t, bareHolder(gateway.baseUrl, SITE))
    await say(page, fields, { type: 'tollgate.setup' })
    await fields.locator('#number').pressSequentially('378282246310005')
    await fields.locator('#code').pressSequentially('1234')
    await fields.locator('#code').press('Enter')
    await say(page, fields)
    const heard = await heardBy(page)
    const origin = gateway.baseUrl
    const changes = heard.filter(({ type }) => type === 'tollgate.change')
    const whole = { empty: false, valid: true }
    assert.deepEqual(changes.at(-1), {
      origin,
      type: 'tollgate.change',
      complete: true,
      brand: 'American Express',
      number: whole,
      code: whole,
    })
    // Empty, started, the brand known, the number whole, the code started, the code whole.
    assert.equal(changes.length, 6)
    const others = heard.filter(
      ({ type }) => type !== 'tollgate.change' && type !== 'tollgate.resize',
    )
    assert.deepEqual(others, [
      { origin, type: 'tollgate.ready' },
      { origin, type: 'tollgate.focus', field: 'number' },
      { origin, type: 'tollgate.blur', field: 'number' },
      { origin, type: 'tollgate.focus', field: 'code' },
      { origin, type: 'tollgate.submit', field: 'code' },
    ])
    const heights = heard.filter(({ type }) => type === 'tollgate.resize')
    assert.ok(heights.every(({ height }) => Number.isInteger(height)))
    // The port of the origin has digits of its own.
    assert.doesNotMatch(JSON.stringify(heard).replaceAll(origin, ''), /3782|1234/)
  })

  test('without JavaScript the page says what to do, and takes no card', async (t) => {
    const { context } = await watchedContext(browser, { javaScriptEnabled: false })
    t.after(() => context.close())
    const page = await context.newPage()
    // By itself: a frame may begin to load before Chromium learns that it must run no script.
    await page.goto(`${gateway.baseUrl}/pay/field.html?site=${SITE}`)
    const notice = page.locator('noscript p')
    await notice.waitFor()
    assert.match(await notice.innerText(), /only be entered here with JavaScript\. Switch it on/)
    assert.equal(await page.locator('#number').isVisible(), false)
  })

  test('a page that is opened by itself takes no card', async (t) => {
    const { context } = await watchedContext(browser)
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(`${gateway.baseUrl}/pay/field.html?site=${SITE}`)
    await page.getByText('This page belongs inside the page of a shop.').waitFor()
    assert.equal(await page.isVisible('#number'), false)
  })

  test('a page that is left, or comes back, holds no card', async (t) => {
    const { page, fields } = await holding(t, mountingPage(gateway.baseUrl, SITE))
    await fields.waitForSelector('#number', { state: 'visible' })
    await fields.locator('#number').pressSequentially('4111111111111111')
    await fields.locator('#code').pressSequentially('123')
    // A browser that keeps the page in memory shows it again as it was when it was left.
    await fields.evaluate(() =>
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })),
    )
    assert.equal(await fields.inputValue('#number'), '')
    assert.equal(await fields.inputValue('#code'), '')
    await fields.locator('#number').pressSequentially('4111111111111111')
    origins.serve('other', '<p>Another page</p>')
    await page.goto(origins.of('other'))
    await page.goBack()
    const again = await cardFrame(page)
    assert.equal(await again.inputValue('#number'), '')
    assert.equal(await again.inputValue('#code'), '')
  })
})
