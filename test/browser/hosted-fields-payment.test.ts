import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Frame, Page } from 'playwright-core'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, watchedContext, type Watched } from './chromium.ts'
import { cardFrame, keepMessages, startSampleShop, type SampleShop } from './sample-shop.ts'

const NUMBER = '4111111111111111'
const CODE = '739'
/** The number however it is grouped, and the code where it stands alone. */
const CARD_DATA = /4111[\s-]?1111[\s-]?1111[\s-]?1111|(?<![0-9A-Za-z])739(?![0-9A-Za-z])/

suite('a customer at the sample shop', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let shop: SampleShop
  let browser: Browser
  before(async () => {
    gateway = await startRunningGateway()
    shop = await startSampleShop(gateway.baseUrl)
    browser = await launchHeadlessShell()
  })
  after(async () => {
    await browser?.close()
    await shop?.stop()
    await gateway?.stop()
  })

  interface Checkout {
    readonly watched: Watched
    readonly page: Page
    readonly frame: Frame
    readonly messages: () => Promise<string[]>
  }

  async function checkout(url = shop.url): Promise<Checkout> {
    const watched = await watchedContext(browser)
    const page = await watched.context.newPage()
    const messages = await keepMessages(page)
    await page.goto(url)
    return { watched, page, frame: await cardFrame(page), messages }
  }

  function tokenRequests({ watched }: Checkout): number {
    return watched.requests.filter(({ url }) => url.includes('token_service')).length
  }

  async function orders(): Promise<number> {
    const { rows } = await gateway.pool.query<{ count: number }>(
      `select count(*)::integer as count from orders where captured_minor = 2400`,
    )
    return rows[0]?.count ?? 0
  }

  /** The focus goes to another process with the frame, so keys that follow at once get lost. */
  async function focused(where: Page | Frame, id: string): Promise<void> {
    await where.waitForFunction(
      (id) => document.activeElement?.id === id && document.hasFocus(),
      id,
    )
  }

  // Of the two, browsers let the frame keep things only in the page of its own site.
  for (const host of ['localhost', '127.0.0.1']) {
    test(`a customer at the sample shop pays from ${host} with a card that is only in the frame and the request for its token`, async () => {
      const before = await orders()
      const visit = await checkout(shop.url.replace('localhost', host))
      const { watched, page, frame, messages } = visit
      await frame.locator('#number').pressSequentially(NUMBER)
      await frame.locator('#code').pressSequentially(CODE)
      await page.fill('#expiry', '12/2040')
      await page.click('#pay')
      await page.getByText('Thank you. Your order is on its way.').waitFor()
      assert.equal(await orders(), before + 1)

      const seen = {
        shop: await page.content(),
        frame: await frame.content(),
        messages: (await messages()).join('\n'),
        addresses: watched.requests.map(({ url }) => url).join('\n'),
        console: watched.console.join('\n'),
        storage: await watched.storage(),
        log: gateway.logged(),
        bodies: watched.requests
          .filter(({ url }) => !url.endsWith('/payment/token_service.cfm'))
          .map(({ body }) => body)
          .join('\n'),
      }
      for (const [where, text] of Object.entries(seen)) assert.doesNotMatch(text, CARD_DATA, where)
      assert.match(seen.messages, /"type":"tollgate.token".*"last4":"1111"/)
      assert.equal(tokenRequests(visit), 1)

      assert.equal(await frame.inputValue('#number'), '')
      assert.equal(await frame.inputValue('#code'), '')
      assert.equal(await frame.innerText('#status'), 'Visa ending in 1111')
      assert.deepEqual(await watched.context.cookies(), [])
      assert.deepEqual(await watched.violations(), [])
      assert.deepEqual(watched.console, [])
      const hosts = new Set(watched.requests.map(({ url }) => new URL(url).origin))
      assert.deepEqual([...hosts].sort(), [gateway.baseUrl, new URL(page.url()).origin].sort())
      await watched.context.close()
    })
  }

  test('a customer at the sample shop pays with the keyboard alone', async () => {
    const visit = await checkout()
    const { page, frame, watched } = visit
    const before = await orders()
    await page.keyboard.press('Tab')
    await focused(frame, 'number')
    await page.keyboard.type(NUMBER)
    await page.keyboard.press('Tab')
    await focused(frame, 'code')
    await page.keyboard.type(CODE)
    await page.keyboard.press('Tab')
    await focused(page, 'expiry')
    await page.keyboard.type('12/2040')
    // Back into the frame, where Enter sends the form of the shop.
    await page.keyboard.press('Shift+Tab')
    await focused(frame, 'code')
    await page.keyboard.press('Enter')
    await page.getByText('Thank you. Your order is on its way.').waitFor()
    assert.equal(await orders(), before + 1)
    await watched.context.close()
  })

  test('a customer at the sample shop sees the error of a wrong number, and nothing is sent', async () => {
    const visit = await checkout()
    const { page, frame, watched } = visit
    await page.fill('#expiry', '12/2040')
    await frame.locator('#number').pressSequentially('4111111111111112')
    await frame.locator('#code').pressSequentially(CODE)
    assert.equal(
      await frame.innerText('#number-error'),
      'This card number is not right. Compare it with the card.',
    )
    await page.click('#pay')
    await focused(frame, 'number')
    assert.equal(await frame.getAttribute('#number', 'aria-invalid'), 'true')
    assert.equal(tokenRequests(visit), 0)
    assert.equal(await frame.inputValue('#number'), '4111 1111 1111 1112')
    await watched.context.close()
  })

  test('a customer at the sample shop sees which fields are empty or not complete', async () => {
    const { page, frame, watched } = await checkout()
    await page.fill('#expiry', '12/2040')
    await page.click('#pay')
    await frame.getByText('Enter the card number.').waitFor()
    assert.equal(await frame.innerText('#code-error'), 'Enter the security code.')
    await frame.locator('#number').pressSequentially('4111')
    assert.equal(await frame.innerText('#number-error'), '')
    await frame.locator('#code').focus()
    assert.equal(await frame.innerText('#number-error'), 'The card number is not complete.')
    await watched.context.close()
  })

  test('types, pastes and deletes digits as they are printed on the card', async () => {
    const { frame, watched, page } = await checkout()
    const number = frame.locator('#number')
    await number.pressSequentially('37828224631')
    assert.equal(await number.inputValue(), '3782 822463 1')
    assert.equal(await frame.innerText('#brand'), 'American Express')
    assert.equal(await frame.innerText('#code-hint'), '4 digits on the front')
    await number.press('Backspace')
    await number.press('Backspace')
    assert.equal(await number.inputValue(), '3782 82246')
    await number.press('Home')
    for (let step = 0; step < 5; step += 1) await number.press('ArrowRight')
    await number.press('Backspace')
    assert.equal(await number.inputValue(), '3788 2246')
    await number.press('9')
    assert.equal(await number.inputValue(), '3789 82246')
    await number.press('ControlOrMeta+a')
    await page.keyboard.insertText('5555-5555 5555x4444 99')
    assert.equal(await number.inputValue(), '5555 5555 5555 4444')
    assert.equal(await frame.innerText('#brand'), 'Mastercard')
    await watched.context.close()
  })

  test('a customer at the sample shop keeps the card when the gateway is out of reach, and can try again', async () => {
    const visit = await checkout()
    const { page, frame, watched } = visit
    await page.fill('#expiry', '12/2040')
    await frame.locator('#number').pressSequentially(NUMBER)
    await frame.locator('#code').pressSequentially(CODE)
    await page.route('**/token_service.cfm', (route) => route.abort())
    await page.click('#pay')
    await page.getByText('No answer came. Please try again in a moment.').waitFor()
    assert.equal(await frame.inputValue('#number'), '4111 1111 1111 1111')
    await page.unroute('**/token_service.cfm')
    await page.click('#pay')
    await page.getByText('Thank you. Your order is on its way.').waitFor()
    assert.doesNotMatch(watched.console.join('\n'), CARD_DATA)
    await watched.context.close()
  })
})
