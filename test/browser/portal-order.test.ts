import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { EXPIRY, moneyOf, untilNoAdviceIsQueued, VISA } from '../support/payments.ts'
import { addPortalUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { putAxe, seriousFindings } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, tabTo, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { goInside, openPortal } from './portal.ts'
import { cardFrame } from './sample-shop.ts'

suite('an order and the virtual terminal in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  before(async () => {
    gateway = await startRunningGateway()
    browser = await launchHeadlessShell()
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const card = {
    cardNumber: VISA,
    expiry: EXPIRY,
    securityCode: '123',
    customer: { firstName: 'Ann', lastName: 'Lee' },
  }
  const authorize = async (amount: string): Promise<string> =>
    (await gateway.client().authorize({ ...card, amount })).orderId
  const sell = async (amount: string): Promise<string> =>
    (await gateway.client().sale({ ...card, amount })).orderId
  const openOrder = async (orderId: string, options: Parameters<typeof openPortal>[2] = {}) => {
    const opened = await openPortal(browser, gateway.baseUrl, {
      path: `/orders/${orderId}`,
      ...options,
    })
    await opened.page.getByRole('list', { name: 'Events' }).waitFor()
    return opened
  }
  const choose = async (page: Page, what: string): Promise<void> => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: what }).click()
  }
  const assertClean = async (
    { console: complaints, violations }: Watched,
    expected = /401/,
  ): Promise<void> => {
    assert.deepEqual(
      complaints.filter((line) => !expected.test(line)),
      [],
    )
    assert.deepEqual(await violations(), [])
  }

  test('an authorization is captured in part, and a part voided, each with its amount on the button', async () => {
    const orderId = await authorize('40.00')
    const { page, watched } = await openOrder(orderId)
    await page.getByRole('button', { name: 'Capture', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('25.005')
    await dialog.getByText('at most 2 decimals').waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Capture' }).isDisabled())
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('25.00')
    await dialog.getByRole('button', { name: 'Capture 25.00 USD' }).click()
    await page.getByText('25.00 USD captured.').waitFor()
    await dialog.waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Void or refund' }).click()
    await dialog.getByText('Void 40.00 USD.').waitFor()
    await dialog.getByRole('textbox', { name: 'Amount to return' }).fill('20.00')
    await dialog.getByText('Capture void 5.00 USD.').waitFor()
    await dialog.getByRole('button', { name: 'Void 20.00 USD' }).click()
    await page.getByText('15.00 USD voided. 5.00 USD voided.').waitFor()
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 4000, captured 2000, voided 2000, refunded 0',
    )
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('voiding or refunding offers what the refund limit of a user leaves, and explains the limit', async () => {
    const orderId = await authorize('40.00')
    await gateway.client().capture({ orderId, amount: '25.00' })
    const { page, watched } = await openOrder(orderId, {
      portalUser: await addPortalUser(gateway, 'support', {
        refundLimit: { minor: 1_000n, currency: 'USD' },
      }),
    })
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Void or refund' }).click()
    await dialog.getByText('At most 25.00 USD. You may refund up to 10.00 USD').waitFor()
    await dialog.getByText('Void 15.00 USD.').waitFor()
    await dialog.getByRole('button', { name: 'Void 25.00 USD' }).click()
    await page.getByText('15.00 USD voided. 10.00 USD voided.').waitFor()
    await dialog.waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Void or refund' }).click()
    await dialog.getByText('already returned 10.00 USD of this order. Ask a user').waitFor()
    assert.equal(await dialog.getByRole('textbox').count(), 0)
    assert.ok(await dialog.getByRole('button', { name: 'Void or refund' }).isDisabled())
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('a refund that is pressed twice is made once', async () => {
    const orderId = await sell('31.00')
    const { page, watched } = await openOrder(orderId)
    await choose(page, 'Refund')
    await page.getByRole('textbox', { name: 'Amount' }).fill('4.00')
    await page.getByRole('button', { name: 'Refund 4.00 USD' }).dblclick()
    await page.getByText('4.00 USD refunded.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 3100, captured 3100, voided 0, refunded 400',
    )
    assert.equal(watched.requests.filter(({ url }) => url.endsWith('/refunds')).length, 1)
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('a user who is too late sees what another user did, and the order as it is now', async () => {
    const orderId = await sell('32.00')
    const first = await openOrder(orderId)
    const second = await openOrder(orderId, { portalUser: await addPortalUser(gateway, 'support') })
    for (const { page } of [first, second]) await choose(page, 'Refund')
    await first.page.getByRole('button', { name: 'Refund 32.00 USD' }).click()
    await first.page.getByText('32.00 USD refunded.').waitFor()

    await second.page.getByRole('button', { name: 'Refund 32.00 USD' }).click()
    await second.page
      .getByRole('alert')
      .getByText(/refund of 32\.00 USD by/)
      .waitFor()
    await second.page.getByRole('button', { name: 'Cancel' }).click()
    await second.page.getByText('The captured amount is fully refunded.').waitFor()
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 3200, captured 3200, voided 0, refunded 3200',
    )
    await assertClean(second.watched, /401|409/)
    await Promise.all([leavePortal(first.watched), leavePortal(second.watched)])
  })

  test('a declined payment says why, the text for the customer and whether to retry; a note stays', async () => {
    const orderId = await sell('6.05')
    const { page, watched } = await openOrder(orderId)
    await page.getByText('Never with this card').waitFor()
    await page.getByText('Your bank declined the payment.').waitFor()
    await page.getByLabel('New note').fill('She will call her bank.')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByRole('list', { name: 'Events' }).getByText('She will call her bank.').waitFor()
    await page.getByRole('button', { name: 'Request and response' }).click()
    await page.getByText('411111******1111').waitFor()
    await page.getByText('"SERVICE_ADVICE":"Stolen Card"').waitFor()
    assert.ok(!(await page.content()).includes(VISA))
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('a role sees only what it may do', async () => {
    const orderId = await authorize('9.00')
    const { page, watched } = await openOrder(orderId, {
      portalUser: await addPortalUser(gateway, 'read_only'),
    })
    for (const name of ['Capture', 'Void or refund', 'More', 'Add note'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Virtual terminal' }).count(), 0)
    assert.equal(await page.getByText('Explain this result').count(), 0)
    await leavePortal(watched)
  })

  test('a card is charged at the terminal by keyboard alone, after a warning, and the page never has its number', async () => {
    await gateway.client().sale({ ...card, amount: '73.10' })
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/terminal' })
    const fields = await cardFrame(page)
    await page.getByRole('textbox', { name: 'Amount' }).focus()
    await page.keyboard.type('73.10')
    // Product, add a line, own order id, new or saved card, and into the frame.
    await tabTo(page, fields, 'number')
    await page.keyboard.type(VISA)
    await page.keyboard.press('Enter')
    await fields.getByText('Enter the expiry date.').waitFor()
    assert.equal(await fields.evaluate(() => document.activeElement?.id), 'expiry')
    await page.keyboard.type('12/40')
    await page.keyboard.press('Tab')
    await page.keyboard.type('123')
    await page.keyboard.press('Enter')
    await page.getByText('Possible duplicate payment').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Charge 73.10 USD anyway' }).count(), 1)
    // The frame is gone, and the focus is at the card that was entered.
    await page.getByText('Visa ending in 1111, expires 12/2040').waitFor()
    assert.match(String(await page.evaluate(() => document.activeElement?.textContent)), /1111/)
    await page.getByRole('button', { name: 'Charge 73.10 USD anyway' }).press('Enter')
    await page.getByText('73.10 USD charged.').waitFor()
    await page.getByText('Visa •••• 1111').waitFor()

    const sent = watched.requests.filter(
      ({ url, body }) => body.includes(VISA) || url.includes(VISA),
    )
    assert.deepEqual(
      [...new Set(sent.map(({ url }) => new URL(url).pathname))],
      ['/payment/token_service.cfm'],
    )
    assert.ok(!(await page.content()).includes(VISA))
    assert.ok(!(await watched.storage()).includes(VISA))
    await page.getByRole('button', { name: 'Next payment' }).press('Enter')
    await page.getByRole('textbox', { name: 'Amount' }).waitFor()
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('a saved card is found by name and charged', async () => {
    await gateway
      .client()
      .sale({ ...card, customer: { firstName: 'Zoe', lastName: 'Terminal' }, amount: '1.00' })
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/terminal' })
    await page.getByRole('textbox', { name: 'Amount' }).fill('74.20')
    await page.getByText('Saved card', { exact: true }).click()
    await page.getByRole('textbox', { name: 'Find a saved card' }).fill('Zoe Terminal')
    await page.getByRole('radio', { name: /Visa •••• 1111/ }).check()
    await page.getByRole('button', { name: 'Charge 74.20 USD' }).click()
    await page.getByText('74.20 USD charged.').waitFor()
    await assertClean(watched)
    await leavePortal(watched)
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the card fields of the terminal have the colours of the other fields on ${colorScheme} pages`, async () => {
      const { page, watched } = await openPortal(browser, gateway.baseUrl, {
        path: '/terminal',
        colorScheme,
      })
      const colours = (element: Element): readonly string[] => {
        const { backgroundColor, borderTopColor, color } = getComputedStyle(element)
        return [backgroundColor, borderTopColor, color]
      }
      const number = (await cardFrame(page)).locator('#number')
      const own = page.getByRole('textbox', { name: 'First name' })
      assert.deepEqual(await number.evaluate(colours), await own.evaluate(colours))
      await leavePortal(watched)
    })
  }

  test('a site that lists no origins lends its card fields to the terminal, and to no shop', async () => {
    await gateway.pool.query(`update sites set token_origins = '{}' where id = 1003`)
    const { page, watched } = await openPortal(browser, gateway.baseUrl)
    await page.evaluate(() => sessionStorage.setItem('tollgate-site', '"1003"'))
    await page.goto(`${gateway.baseUrl}/portal/terminal`)
    const fields = await cardFrame(page)
    assert.equal(new URL(fields.url()).search, '?site=1003')
    await assertClean(watched)
    const fromShop = await fetch(`${gateway.baseUrl}/pay/field.html?site=1003`)
    assert.equal(fromShop.status, 404)
    await leavePortal(watched)
  })

  test('axe finds nothing serious, and no page is wider than a window of 320, 1280 or 2560 px', async () => {
    const orderId = await authorize('55.00')
    await gateway.client().capture({ orderId, amount: '20.00' })
    await untilNoAdviceIsQueued(gateway)
    const { page, watched } = await openOrder(orderId)
    const look = async (what: string): Promise<void> => {
      await putAxe(page)
      assert.deepEqual(await seriousFindings(page), [], what)
      for (const width of [320, 2560, 1280]) {
        await page.setViewportSize({ width, height: 900 })
        // The navigation slides away first.
        await page
          .waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
          .catch(() => assert.fail(`${what} at ${width} px`))
      }
    }
    await look('order')
    await page.getByRole('button', { name: 'Void or refund' }).click()
    await page.getByText('Planned steps').waitFor()
    await look('void or refund')
    await page.keyboard.press('Escape')
    await goInside(page, `${gateway.baseUrl}/portal/terminal`)
    await cardFrame(page)
    await look('terminal')
    await leavePortal(watched)
  })
})
