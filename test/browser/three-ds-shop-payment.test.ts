import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { NEEDS_CHROMIUM } from './chromium.ts'
import {
  CHALLENGE,
  enterCode,
  FRICTIONLESS,
  startThreeDsWorld,
  visitOf,
  type ThreeDsWorld,
} from './three-ds-checkout.ts'

suite('a customer in the 3-D Secure sample shop', { ...NEEDS_CHROMIUM, concurrency: 2 }, () => {
  let world: ThreeDsWorld
  before(async () => {
    world = await startThreeDsWorld()
  })
  after(() => world?.stop())

  /** How many payments of the order that a page shows were approved so far. */
  async function paid(page: Page): Promise<number> {
    const { rows } = await world.gateway.pool.query<{ count: number }>(
      `select count(*)::integer as count from orders
        where reference like $1 and captured_minor = 2400`,
      [`${await page.locator('#order').innerText()}-%`],
    )
    return rows[0]?.count ?? 0
  }

  /** The last AReq that reached the Directory Server. */
  async function lastQuestion(number: string): Promise<Readonly<Record<string, unknown>>> {
    const asked = (await world.journal()).filter(
      ({ direction, leg, message, type }) =>
        type === 'AReq' &&
        leg === 'server-ds' &&
        direction === 'in' &&
        String(message['acctNumber']).endsWith(number.slice(-4)),
    )
    return asked.at(-1)?.message ?? {}
  }

  test('pays without being asked for anything, after the bank has looked at the browser', async () => {
    const { page, outcome, pay, watched } = await world.visit()
    await pay(FRICTIONLESS)
    await page.getByRole('status').getByText('Asking your bank').waitFor()
    assert.deepEqual(await outcome(), { kind: 'approved', title: 'Thank you. Your order is paid.' })
    assert.equal(await paid(page), 1)
    const asked = await lastQuestion(FRICTIONLESS)
    assert.equal(asked['threeDSCompInd'], 'Y')
    assert.equal(asked['browserUserAgent'], await page.evaluate(() => navigator.userAgent))
    assert.equal(asked['browserJavascriptEnabled'], true)
    assert.equal(asked['browserScreenWidth'], String(await page.evaluate(() => screen.width)))
    assert.deepEqual(await watched.violations(), [])
    await watched.context.close()
  })

  test('pays with a challenge and the code 1234', async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    const frame = await bank()
    assert.match(await frame.innerText('main'), /24\.00/)
    assert.equal(await paid(page), 0, 'nothing is paid before the code')
    await enterCode(frame, '1234')
    assert.deepEqual(await outcome(), { kind: 'approved', title: 'Thank you. Your order is paid.' })
    assert.equal(await paid(page), 1)
    assert.equal(await page.locator('dialog').count(), 0)
    assert.deepEqual(await watched.violations(), [])
    await watched.context.close()
  })

  /** Says something to the page from itself, and resolves when the page has heard it. */
  function sayTo(page: Page, message: string): Promise<void> {
    return page.evaluate(
      (said) =>
        new Promise<void>((resolve) => {
          addEventListener('message', () => resolve(), { once: true })
          postMessage(said, '*')
        }),
      message,
    )
  }

  test("waits for the gateway's own word that it has looked at the browser, ten seconds at most", async () => {
    const { outcome, page, pay, watched } = await world.visit()
    // The page's time stands still, however long the machine takes.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 1_000)
    // The gateway's page never comes.
    const asked = page.waitForRequest('**/V2/Cruise/Collect')
    await page.route('**/V2/Cruise/Collect', () => undefined)
    await pay('6011000000002117')
    await asked
    await sayTo(page, JSON.stringify({ MessageType: 'profile.completed' }))
    await page.clock.runFor(9_900)
    const paying = () => watched.requests.filter(({ url }) => url.includes('/pay?')).length
    assert.equal(paying(), 0)
    await page.clock.runFor(200)
    assert.equal((await outcome()).kind, 'approved')
    assert.equal(paying(), 1)
    assert.equal((await lastQuestion('6011000000002117'))['threeDSCompInd'], 'N')
    await watched.context.close()
  })

  test("stays on the page of the bank when anybody but the shop's page in its frame says that it is over", async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    const frame = await bank()
    await sayTo(page, 'three-ds.returned')
    await enterCode(frame, '1234')
    assert.equal((await outcome()).kind, 'approved')
    await watched.context.close()
  })

  test('pays with a card whose bank has no page to look at browsers', async () => {
    const { outcome, pay, watched } = await world.visit()
    await pay('4000000000009011')
    assert.equal((await outcome()).kind, 'approved')
    assert.equal((await lastQuestion('4000000000009011'))['threeDSCompInd'], 'U')
    await watched.context.close()
  })

  for (const [what, number, kind, title] of [
    ['attempted', '4000000000002719', 'approved', 'Thank you. Your order is paid.'],
    ['unavailable', '4000000000002313', 'approved', 'Thank you. Your order is paid.'],
    ['outside 3-D Secure', '4111111111111111', 'approved', 'Thank you. Your order is paid.'],
    [
      'not authenticated',
      '4000000000002925',
      'declined',
      'Your bank could not confirm that it is you.',
    ],
    ['rejected', '4000000000002537', 'declined', 'Your bank rejected the payment.'],
  ] as const) {
    test(`sees in plain words that a card that is ${what} is ${kind}`, async () => {
      const { outcome, page, pay, watched } = await world.visit()
      await pay(number)
      assert.deepEqual(await outcome(), { kind, title })
      assert.equal(await paid(page), kind === 'approved' ? 1 : 0)
      await watched.context.close()
    })
  }

  test('fails with the third wrong code, and pays the same order with another card', async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    const frame = await bank()
    for (const code of ['9991', '9992']) {
      await enterCode(frame, code)
      await frame.getByRole('alert').getByText('This code is wrong').waitFor()
      await frame.waitForFunction(
        () => document.querySelector<HTMLInputElement>('#code')?.value === '',
      )
    }
    await enterCode(frame, '9993')
    const { kind, title } = await outcome()
    assert.deepEqual([kind, title], ['declined', 'Your bank has not confirmed the payment.'])
    assert.equal(await paid(page), 0)
    const number = await page.locator('#order').innerText()
    await page.click('text=Pay with another card')
    await page.getByRole('alert').getByText('Your bank has not confirmed the payment.').waitFor()
    await pay(FRICTIONLESS)
    assert.equal((await outcome()).kind, 'approved')
    assert.equal(await page.locator('#order').innerText(), number)
    assert.equal(await paid(page), 1)
    await watched.context.close()
  })

  test('cancels on the page of the bank, and nothing is paid', async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    await (await bank()).click('text=Cancel')
    assert.equal((await outcome()).title, 'Your bank has not confirmed the payment.')
    assert.equal(await paid(page), 0)
    await watched.context.close()
  })

  for (const [what, leave] of [
    ['by its button', (page: Page) => page.click('dialog > header button')],
    ['by Escape', (page: Page) => page.locator('dialog > header button').press('Escape')],
    [
      'after its frame was taken away',
      async (page: Page) => {
        await page.locator('dialog iframe').evaluate((frame) => frame.remove())
        await page.click('dialog > header button')
      },
    ],
  ] as const) {
    test(`closes the page of the bank ${what}, and nothing is paid`, async () => {
      const { bank, outcome, page, pay, watched } = await world.visit()
      await pay(CHALLENGE)
      await bank()
      await leave(page)
      assert.deepEqual(await outcome(), { kind: 'cancelled', title: 'You cancelled the payment.' })
      assert.equal(await paid(page), 0)
      await watched.context.close()
    })
  }

  test('reloads the shop in the middle of a challenge, and gets back to the shop', async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    await bank()
    await page.reload()
    const frame = page.frameLocator('dialog iframe')
    await frame.getByText("Your bank's page was opened before").waitFor()
    await frame.getByRole('button', { name: 'Return to the shop' }).click()
    assert.equal((await outcome()).kind, 'not finished')
    assert.equal(await paid(page), 0)
    await watched.context.close()
  })

  test("reloads the bank's page in the middle of a challenge, and gets back to the shop", async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    const frame = await bank()
    // The bank answers a second CReq with an error for the browser to carry.
    await frame.evaluate(() => setTimeout(() => location.reload()))
    assert.equal((await outcome()).kind, 'not finished')
    assert.equal(await paid(page), 0)
    await watched.context.close()
  })

  test('goes on in the other tab when a second one was opened', async () => {
    const first = await world.visit()
    await first.pay(CHALLENGE)
    const bank = await first.bank()
    const second = visitOf(await first.watched.context.newPage(), first.watched)
    await second.page.goto(first.page.url())
    await second.page
      .frameLocator('dialog iframe')
      .getByText("Your bank's page was opened before")
      .waitFor()
    await enterCode(bank, '1234')
    assert.equal((await first.outcome()).kind, 'approved')
    // The gateway's page in the second tab finds out by itself.
    assert.equal((await second.outcome()).kind, 'approved')
    assert.equal(await paid(first.page), 1)
    await first.watched.context.close()
  })

  test('comes back by the back button after the payment, and does not pay twice', async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    const checkout = page.url()
    await pay(CHALLENGE)
    await enterCode(await bank(), '1234')
    assert.equal((await outcome()).kind, 'approved')
    await page.goBack()
    await page.goto(checkout)
    assert.equal((await outcome()).kind, 'approved')
    assert.equal(await page.locator('#pay').count(), 0)
    assert.equal(await paid(page), 1)
    await watched.context.close()
  })

  test('goes back in the middle of a challenge, and finds the order as it is', async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    const checkout = page.url()
    await pay(CHALLENGE)
    await bank()
    await page.goBack()
    await page.goto(checkout)
    await page.click('dialog > header button')
    assert.equal((await outcome()).kind, 'cancelled')
    assert.equal(await paid(page), 0)
    await watched.context.close()
  })

  test('is returned twice, and by a caller with another id, and pays once', async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    const checkout = new URL(page.url())
    await pay(CHALLENGE)
    const frame = await bank()
    const back = new URL(`/return${checkout.search}`, world.shop.url.replace('merchant.', ''))
    const comeBack = (id: string) =>
      fetch(back, {
        method: 'POST',
        body: new URLSearchParams({ TransactionId: id, Response: '', MD: '' }),
      })
    assert.equal((await comeBack('AnotherPaymentsIdAAA')).status, 200)
    await enterCode(frame, '1234')
    assert.equal((await outcome()).kind, 'approved')
    const form = watched.requests.find(
      ({ method, url }) => method === 'POST' && url.includes('/return'),
    )
    const id = new URLSearchParams(form?.body).get('TransactionId') ?? ''
    assert.match(id, /^[A-Za-z0-9]{20}$/)
    const again = await Promise.all([comeBack(id), comeBack(id)])
    assert.deepEqual(
      again.map(({ status }) => status),
      [200, 200],
    )
    assert.equal(await paid(page), 1)
    await watched.context.close()
  })

  test('a browser with hidden data pays without 3-D Secure, and the shop notices', async () => {
    const { outcome, page, pay, watched } = await world.visit()
    const number = await page.locator('#order').innerText()
    await page.route('**/checkout?**', (route) =>
      route.continue({ headers: { ...route.request().headers(), accept: '' } }),
    )
    await page.reload()
    await pay(CHALLENGE)
    assert.equal((await outcome()).kind, 'approved')
    assert.ok(world.shop.output().includes(`${number}: paid without 3-D Secure`))
    await watched.context.close()
  })

  test("leaves no card in addresses, in the browser's storage, in the shop's output or in a log", async () => {
    const { bank, outcome, page, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    await enterCode(await bank(), '1234')
    await outcome()
    const seen = {
      page: await page.content(),
      addresses: watched.requests.map(({ url }) => url).join('\n'),
      console: watched.console.join('\n'),
      storage: await watched.storage(),
      shop: world.shop.output(),
      log: world.gateway.logged(),
    }
    for (const [where, text] of Object.entries(seen)) assert.ok(!text.includes(CHALLENGE), where)
    await watched.context.close()
  })
})

suite('a customer who is too slow for the bank', NEEDS_CHROMIUM, () => {
  let world: ThreeDsWorld
  before(async () => {
    // Half a second for the challenge to begin, while the shop shows for two that it is asking.
    world = await startThreeDsWorld({ timeScale: 60 })
  })
  after(() => world?.stop())

  test('is back at the shop, where nothing was paid', async () => {
    const { outcome, pay, watched } = await world.visit()
    await pay(CHALLENGE)
    assert.deepEqual(await outcome(), {
      kind: 'declined',
      title: 'Your bank has not confirmed the payment.',
    })
    const { rows } = await world.gateway.pool.query(
      `select 1 from orders where captured_minor = 2400`,
    )
    assert.equal(rows.length, 0)
    await watched.context.close()
  })
})
