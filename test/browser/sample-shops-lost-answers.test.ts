import assert from 'node:assert/strict'
import { after, before, suite, test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openAnswerSwallower, type AnswerSwallower } from '../support/answer-swallower.ts'
import { launchChromium, NEEDS_CHROMIUM, watchedContext } from './chromium.ts'
import { cardFrame, startSampleShop } from './sample-shop.ts'
import {
  CHALLENGE,
  enterCode,
  FRICTIONLESS,
  startThreeDsWorld,
  visitOf,
  type ThreeDsWorld,
  type Visit,
} from './three-ds-checkout.ts'

/** Long enough for one payment on a slow machine, and waited out where the gateway is away. */
const BRIEF = { PATIENCE_MS: '8000' }
const REFUSED = { fields: { API_RESPONSE: '110', API_ADVICE: 'refused' } }

// A look into a frame of Chromium has no limit of its own, and once waited for ten minutes.
const LIMITED = { ...NEEDS_CHROMIUM, timeout: 600_000 }

suite('a customer of a sample shop that loses answers', LIMITED, () => {
  let world: ThreeDsWorld
  before(async () => {
    world = await startThreeDsWorld({ launch: launchChromium })
  })
  after(() => world?.stop())

  /** Orders that were charged so far, for the price of both shops. */
  async function charges(): Promise<number> {
    const { rows } = await world.gateway.pool.query<{ count: number }>(
      'select count(*)::integer as count from orders where captured_minor = 2400',
    )
    return rows[0]?.count ?? NaN
  }

  async function open(
    t: TestContext,
    folder: 'hosted-fields' | 'three-ds-shop',
    settings: Readonly<Record<string, string>> = {},
  ): Promise<Visit & { readonly swallower: AnswerSwallower }> {
    const { baseUrl } = world.gateway
    const swallower = await openAnswerSwallower(baseUrl)
    t.after(() => swallower.close())
    const pages = `http://gateway.localhost:${new URL(baseUrl).port}`
    const own = { SHOP_HOST: 'merchant.localhost', GATEWAY_PAGES: pages, ...settings }
    const shop = await startSampleShop(swallower.baseUrl, own, folder)
    t.after(() => shop.stop())
    const watched = await watchedContext(world.browser)
    t.after(() => watched.context.close())
    const page = await watched.context.newPage()
    await page.goto(shop.url)
    return { ...visitOf(page, watched), swallower }
  }

  test('is charged once when the answer to the final call of a challenge is lost', async (t) => {
    const earlier = await charges()
    const { bank, outcome, pay, swallower } = await open(t, 'three-ds-shop')
    await pay(CHALLENGE)
    const frame = await bank()
    swallower.swallow('CCAUTHCAP')
    await enterCode(frame, '1234')
    assert.equal((await outcome()).kind, 'approved')
    assert.equal(swallower.swallowed, 1)
    assert.equal(await charges(), earlier + 1)
  })

  test('gets the challenge and is charged once when the answer that asks for it is lost', async (t) => {
    const earlier = await charges()
    const { bank, outcome, pay, swallower } = await open(t, 'three-ds-shop')
    swallower.swallow('CCAUTHCAP')
    await pay(CHALLENGE)
    await enterCode(await bank(), '1234')
    assert.equal((await outcome()).kind, 'approved')
    assert.equal(swallower.swallowed, 1)
    assert.deepEqual(
      swallower.asked.filter((action) => action === 'CCSTATUS'),
      [],
    )
    assert.equal(await charges(), earlier + 1)
  })

  test('pays with another card after the final call of a challenge was refused', async (t) => {
    const earlier = await charges()
    const { bank, outcome, page, pay, swallower } = await open(t, 'three-ds-shop')
    await pay(CHALLENGE)
    const frame = await bank()
    swallower.forge('CCAUTHCAP', REFUSED)
    await enterCode(frame, '1234')
    assert.equal((await outcome()).kind, 'failed')
    swallower.behave()
    await page.click('text=Pay with another card')
    await pay(FRICTIONLESS)
    assert.equal((await outcome()).kind, 'approved')
    assert.equal(await charges(), earlier + 1)
  })

  test('cannot pay again with the card fields until the outcome is known, and is charged once', async (t) => {
    const earlier = await charges()
    const { page, swallower } = await open(t, 'hosted-fields', BRIEF)
    const frame = await cardFrame(page)
    swallower.swallow('CCAUTHCAP', Infinity)
    swallower.forge('CCSTATUS', { fields: { API_RESPONSE: '120' } })
    await frame.locator('#number').pressSequentially('4111111111111111')
    await frame.locator('#code').pressSequentially('739')
    await page.fill('#expiry', '12/2040')
    await page.click('#pay')
    await page.getByText('We do not know yet whether you have paid.').waitFor()
    assert.equal(await page.isVisible('#pay'), false)
    // A reload keeps the basket and its state.
    await page.reload()
    await page.getByText('We do not know yet whether you have paid.').waitFor()
    assert.equal(await page.isVisible('#pay'), false)
    swallower.behave()
    await page.click('#again')
    await page.getByText('Thank you. Your order is on its way.').waitFor()
    assert.equal(await charges(), earlier + 1)
  })

  /** Enters the card in the gateway's fields and pays. */
  async function payByFields(page: Page, number = CHALLENGE): Promise<void> {
    const frame = await cardFrame(page)
    await frame.locator('#number').pressSequentially(number)
    await frame.locator('#code').pressSequentially('737')
    await page.fill('#expiry', '12/2040')
    await page.click('#pay')
  }

  /** The answers of the gateway to this visit's payments, without those to other requests. */
  function payments(swallower: AnswerSwallower): Record<string, unknown>[] {
    return swallower.bodies
      .filter((body) => body.includes('"TRANS_STATUS_NAME"'))
      .map((body) => JSON.parse(body) as Record<string, unknown>)
  }

  const PAID = 'Thank you. Your order is on its way.'

  test('pays with 3-D Secure by one card entry, and again with the saved card, and the shop never has the number', async (t) => {
    const earlier = await charges()
    const { bank, page, swallower, watched } = await open(t, 'hosted-fields')
    const shown: Promise<string>[] = []
    const { origin } = new URL(page.url())
    page.on('response', (answer) => {
      const isPage = answer.url().startsWith(origin) && answer.status() === 200
      if (isPage) shown.push(answer.text().catch(() => ''))
    })
    await payByFields(page)
    await enterCode(await bank(), '1234')
    await page.getByText(PAID).waitFor()
    assert.equal(await charges(), earlier + 1)
    await page.click('text=Buy another with this card')
    await page.getByText('Visa ending in 2503').waitFor()
    assert.equal(await page.locator('iframe').count(), 0)
    await page.click('#pay')
    await enterCode(await bank(), '1234')
    await page.getByText(PAID).waitFor()
    assert.equal(await charges(), earlier + 2)
    assert.deepEqual(
      payments(swallower).map(({ CVV_RESPONSE, P3DS_ECI, P3DS_RESPONSE, TRANS_STATUS_NAME }) =>
        [TRANS_STATUS_NAME, P3DS_RESPONSE, P3DS_ECI, CVV_RESPONSE].join(' ').trim(),
      ),
      ['PENDING C', 'APPROVED Y 05 M', 'PENDING C', 'APPROVED Y 05'],
    )
    const received = watched.requests
      .filter(({ url }) => url.startsWith(origin))
      .map(({ body }) => body)
    assert.ok(received.some((body) => body.includes('token')))
    assert.ok((await Promise.all(shown)).some((body) => body.includes('TollgateFields')))
    const bodies = [...received, ...(await Promise.all(shown)), ...swallower.bodies]
    for (const body of bodies) assert.doesNotMatch(body, /4000[\s-]?0000[\s-]?0000[\s-]?2503/)
    assert.deepEqual(await watched.violations(), [])
  })

  test('is charged once when the final call of a challenge gets no answer, with the card fields', async (t) => {
    const earlier = await charges()
    const { bank, page, swallower } = await open(t, 'hosted-fields', BRIEF)
    await payByFields(page)
    const frame = await bank()
    // The shop repeats its call without an answer, and cannot read the status either.
    swallower.swallow('CCAUTHCAP', Infinity)
    swallower.forge('CCSTATUS', { fields: { API_RESPONSE: '120' } })
    await enterCode(frame, '1234')
    await page.getByText('We do not know yet whether you have paid.').waitFor()
    assert.equal(await page.isVisible('#pay'), false)
    swallower.behave()
    await page.click('#again')
    await page.getByText(PAID).waitFor()
    assert.equal(await charges(), earlier + 1)
  })

  test('is charged once after the gateway was away during the final call, with the card fields', async (t) => {
    const earlier = await charges()
    const { bank, page, swallower } = await open(t, 'hosted-fields', BRIEF)
    await payByFields(page)
    const frame = await bank()
    swallower.forge('CCAUTHCAP', { status: 503 })
    await enterCode(frame, '1234')
    await page.getByText('We do not know yet whether you have paid.').waitFor()
    assert.equal(await charges(), earlier)
    swallower.behave()
    await page.click('#again')
    await page.getByText(PAID).waitFor()
    assert.equal(await charges(), earlier + 1)
  })

  test('pays with another card in the card fields after the final call of a challenge was refused', async (t) => {
    const earlier = await charges()
    const { bank, page, swallower } = await open(t, 'hosted-fields')
    await payByFields(page)
    const frame = await bank()
    swallower.forge('CCAUTHCAP', REFUSED)
    await enterCode(frame, '1234')
    await page.getByText('The payment could not be made.').waitFor()
    swallower.behave()
    await payByFields(page, FRICTIONLESS)
    await page.getByText(PAID).waitFor()
    assert.equal(await charges(), earlier + 1)
  })

  test('reloads the shop in a challenge, cancels it, and pays the basket by another card entry', async (t) => {
    const earlier = await charges()
    const { bank, page } = await open(t, 'hosted-fields')
    await payByFields(page)
    await bank()
    await page.reload()
    await page.click('dialog > header button')
    await page.getByText('You cancelled the payment. Nothing was paid.').waitFor()
    assert.equal(await charges(), earlier)
    await payByFields(page)
    await enterCode(await bank(), '1234')
    await page.getByText(PAID).waitFor()
    assert.equal(await charges(), earlier + 1)
  })
})
