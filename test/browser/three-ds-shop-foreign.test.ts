import assert from 'node:assert/strict'
import { after, before, suite, test, type TestContext } from 'node:test'
import type { Frame, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { launchChromium, NEEDS_CHROMIUM, watchedContext } from './chromium.ts'
import { startForeignShop, type PassesOn } from './foreign-shop.ts'
import {
  CHALLENGE,
  FRICTIONLESS,
  startThreeDsWorld,
  type ThreeDsWorld,
} from './three-ds-checkout.ts'

suite('a shop that was written for another gateway', { ...NEEDS_CHROMIUM, concurrency: 2 }, () => {
  let world: ThreeDsWorld
  before(async () => {
    world = await startThreeDsWorld({ launch: launchChromium })
  })
  after(() => world?.stop())

  /** The bank's page, found by its address alone. */
  async function creqFrame(page: Page): Promise<Frame> {
    return eventually("the page holds the bank's frame", () =>
      page.frames().find((frame) => /creq/.test(frame.url())),
    )
  }

  async function open(t: TestContext, card: string, passesOn: PassesOn) {
    const shop = await startForeignShop(world.gateway.baseUrl, card, passesOn)
    t.after(shop.close)
    const { context } = await watchedContext(world.browser)
    t.after(() => context.close())
    const page = await context.newPage()
    await page.goto(shop.url)
    return { shop, page }
  }

  for (const passesOn of ['nothing', 'response'] as const) {
    test(`a shop that was written for another gateway is paid after a challenge when its last call passes on ${passesOn}`, async (t) => {
      const { page, shop } = await open(t, CHALLENGE, passesOn)
      const bank = await creqFrame(page)
      await bank
        .locator(
          'input[type=text], input[type=tel], input[type=password], input[name*=challenge i]',
        )
        .first()
        .fill('1234')
      await bank.locator('input[type=submit], button[type=submit], #submitButton').first().click()
      await page.locator('#result').getByText('APPROVED').waitFor()
      assert.equal(await page.getAttribute('body', 'data-collection'), 'completed')
      const answer = await shop.finished
      assert.equal(answer['P3DS_RESPONSE'], 'Y')
      assert.equal(answer['P3DS_ECI'], '05')
      const last = shop.asked.at(-1)?.names ?? []
      assert.ok(['p3ds_proctransid', 'request_pares'].every((name) => last.includes(name)))
      assert.ok(!last.some((name) => /enrollment|ddc|return_url/.test(name)))
    })
  }

  test('a shop that was written for another gateway is paid without a challenge', async (t) => {
    const { page, shop } = await open(t, FRICTIONLESS, 'nothing')
    await page.locator('#result').getByText('APPROVED').waitFor()
    const { P3DS_RESPONSE, PROC_REDIRECT_URL } = await shop.finished
    assert.deepEqual(
      { P3DS_RESPONSE, PROC_REDIRECT_URL },
      { P3DS_RESPONSE: 'Y', PROC_REDIRECT_URL: '' },
    )
    assert.deepEqual(
      shop.asked.map(({ path }) => path),
      ['3dsrequest.cfm', 'pmt_service.cfm'],
    )
  })

  test('a shop that was written for another gateway is refused the return of another payment, and nothing is asked of the gateway', async (t) => {
    const { page, shop } = await open(t, CHALLENGE, 'nothing')
    await creqFrame(page)
    const before = shop.asked.length
    const body = new URLSearchParams({ TransactionId: 'AnotherPaymentsIdAAA', Response: '' })
    const back = new URL('/return', shop.url.replace('merchant.', ''))
    assert.match(await (await fetch(back, { method: 'POST', body })).text(), /not the payment/)
    assert.equal(shop.asked.length, before)
  })
})
