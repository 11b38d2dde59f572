import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { MASTERCARD, payment, untilRow, VISA } from '../support/payments.ts'
import { OWNER } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import {
  putAxe,
  seriousFindings,
  seriousFindingsBesideNavigation,
  seriousFindingsInDark,
} from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { goInside, openPortal } from './portal.ts'

/** Sections of the navigation, each entry with the heading of its page. */
const ENTRIES = [
  ['Home', 'Home'],
  ['Open authorizations', 'Open authorizations'],
  ['Orders', 'Orders'],
  ['Transactions', 'Transactions'],
  ['Virtual terminal', 'Virtual terminal'],
  ['Customers', 'Customers'],
  ['Products', 'Products'],
  ['Memberships', 'Memberships'],
  ['Renewals', 'Renewals in the next 30 days'],
  ['Batches', 'Batches'],
  ['Reconciliation', 'Reconciliation'],
  ['Payouts', 'Payouts'],
  ['Statements', 'Statement'],
  ['Settlement differences', 'Settlement differences'],
  ['Disputes', 'Disputes'],
  ['Sites', 'Sites'],
  ['API users', 'API users'],
  ['Webhooks', 'Webhooks'],
  ['Portal users', 'Portal users'],
  ['Roles', 'Roles'],
  ['Audit log', 'Audit log'],
  ['Request log', 'Request log'],
  ['Test values', 'Test values'],
  ['Test bank', 'Test bank'],
  ['Clocks', 'Clocks of test sites'],
  ['Webhook receiver', 'Webhook receiver'],
  ['Reset', 'Reset a test site'],
] as const

/** Pages that another test looks at with axe, as wide as here, in light colours and with more in them. */
const LOOKED_AT_ELSEWHERE: Readonly<Record<string, string>> = {
  'Virtual terminal': 'portal-order.test.ts',
  Payouts: 'portal-payouts.test.ts',
  Disputes: 'portal-disputes.test.ts',
  Sites: 'portal-settings.test.ts',
  'API users': 'portal-settings.test.ts',
  Webhooks: 'portal-webhooks.test.ts',
  'Portal users': 'portal-users.test.ts',
  Roles: 'portal-users.test.ts',
  'Audit log': 'portal-users.test.ts',
  'Webhook receiver': 'portal-receiver.test.ts',
  order: 'portal-order.test.ts',
  site: 'portal-settings.test.ts',
  account: 'portal-users.test.ts',
}

/** A session that is over is answered 401; browsers say so by themselves. */
const EXPECTED = /status of 401/

suite('the portal as a whole', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let ids: {
    readonly order: string
    readonly customer: string
    readonly card: string
    readonly declined: string
  }
  before(async () => {
    ;[gateway, browser] = await Promise.all([startRunningGateway(), launchHeadlessShell()])
    const client = gateway.client()
    const customer = { firstName: 'Whole', lastName: 'Walker', email: 'walker@whole.test' }
    const sale = await client.sale(payment('12.50', { cardNumber: MASTERCARD, customer }))
    await client.authorize(
      payment('30.00', {
        customer: { firstName: 'Ida', lastName: 'Open', email: 'ida@whole.test' },
      }),
    )
    await client.sale(payment('5.02'))
    const row = await untilRow(
      gateway,
      'order',
      `select id, customer_id, payment_method_id from orders where id = ${sale.orderId}`,
    )
    const declined = await untilRow(
      gateway,
      'transaction',
      `select id from transactions where state = 'declined' order by id desc limit 1`,
    )
    ids = {
      order: String(row['id']),
      customer: String(row['customer_id']),
      card: String(row['payment_method_id']),
      declined: String(declined['id']),
    }
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const navigation = (page: Page) => page.getByRole('navigation', { name: 'Portal' })
  const arrived = async (page: Page, heading: string | RegExp): Promise<void> => {
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
    await page.waitForFunction(() => document.querySelector('main .mantine-Skeleton-root') === null)
  }
  const assertSound = async (page: Page, what: string, active: string | null): Promise<void> => {
    assert.equal(await page.locator('h1').count(), 1, `${what}: one heading`)
    assert.match(await page.title(), / · Tollgate$/, what)
    assert.deepEqual(
      await navigation(page).locator('a[data-active]').allTextContents(),
      active === null ? [] : [active],
      what,
    )
    if (!(what in LOOKED_AT_ELSEWHERE))
      assert.deepEqual(await seriousFindingsBesideNavigation(page), [], what)
    assert.deepEqual(await seriousFindingsInDark(page, '#main'), [], `${what} in dark`)
    const content = await page.content()
    for (const number of [VISA, MASTERCARD])
      assert.ok(!content.replace(/[\s-]/g, '').includes(number), `${what} holds a card number`)
  }

  test('every entry of the navigation opens its page, and nothing on any page complains', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      colorScheme: 'light',
    })
    await putAxe(page)
    await arrived(page, 'Home')
    // The navigation and the head are the same beside every page.
    assert.deepEqual(await seriousFindings(page), [])
    assert.deepEqual(await seriousFindingsInDark(page, 'html'), [])
    assert.deepEqual(
      await navigation(page).getByRole('link').allTextContents(),
      ENTRIES.map(([label]) => label),
    )
    for (const [label, heading] of ENTRIES) {
      await navigation(page).getByRole('link', { name: label, exact: true }).click()
      await arrived(page, heading)
      await assertSound(page, label, label)
    }
    for (const [what, path, heading, active] of [
      ['order', `/orders/${ids.order}`, `Order ${ids.order}`, 'Orders'],
      ['customer', `/customers/${ids.customer}`, 'Whole Walker', 'Customers'],
      ['site', '/settings/sites/1001', /./, 'Sites'],
      ['reason', `/developer/why/${ids.declined}`, /^Why transaction/, 'Request log'],
      ['account', '/account', 'My account', null],
      ['none', '/nowhere', 'Page not found', null],
    ] as const) {
      await goInside(page, `${gateway.baseUrl}/portal${path}`)
      await arrived(page, heading)
      await assertSound(page, what, active)
    }
    assert.deepEqual(
      watched.console.filter((line) => /^(error|warning)/.test(line) && !EXPECTED.test(line)),
      [],
    )
    assert.deepEqual(await watched.violations(), [])
    await leavePortal(watched)
  })

  test('a session that ends on any page asks to sign in above it, and goes on there', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl)
    await page.clock.install()
    await page.reload()
    const cookies = await watched.context.cookies()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    for (const [at, [label, heading]] of ENTRIES.entries()) {
      if (at > 0) {
        // As if it was signed in to in another window.
        await watched.context.addCookies(cookies)
        await page.evaluate(() => dispatchEvent(new Event('visibilitychange')))
        await again.waitFor({ state: 'hidden' })
      }
      await navigation(page).getByRole('link', { name: label, exact: true }).click()
      await arrived(page, heading)
      await watched.context.clearCookies()
      await page.clock.fastForward('01:01')
      await again.waitFor()
      assert.equal(
        await page.locator('h1', { hasText: heading }).count(),
        1,
        `${heading} stays below`,
      )
    }
    await again.locator('input[autocomplete=current-password]').fill(OWNER.password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.waitFor({ state: 'hidden' })
    await navigation(page).getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByText('Whole Walker').first().waitFor()
    await watched.context.close()
  })

  test('a page that waits for its data holds still for a user who prefers reduced motion', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl)
    const sent = Promise.withResolvers<void>()
    await page.route(/api\/customers(\?|$)/, async (route) => {
      await sent.promise
      await route.continue()
    })
    await navigation(page).getByRole('link', { name: 'Customers', exact: true }).click()
    await page.locator('main .mantine-Skeleton-root').first().waitFor()
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0)
    sent.resolve()
    await arrived(page, 'Customers')
    await leavePortal(watched)
  })

  test('a saved card is charged from the page of its customer, and the order leads back there', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: `/customers/${ids.customer}`,
    })
    await page.getByRole('link', { name: 'Charge Mastercard •••• 4444' }).click()
    await page
      .getByRole('radio', { name: /Whole Walker/ })
      .and(page.locator(':checked'))
      .waitFor()
    await page.getByRole('textbox', { name: 'Amount' }).fill('7.25')
    await page.getByRole('button', { name: 'Charge 7.25 USD' }).click()
    await page.getByRole('main').getByRole('link', { name: /^\d+$/ }).click()
    await page.getByRole('link', { name: 'Whole Walker' }).click()
    await arrived(page, 'Whole Walker')
    await page.getByRole('row', { name: /7\.25 USD/ }).waitFor()
    await leavePortal(watched)
  })

  test('a gateway that cannot be reached or has no room says so, and the way on is one button', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl)
    for (const [label, heading, address] of [
      ['Customers', 'Customers', /api\/customers(\?|$)/],
      ['Batches', 'Batches', /api\/batches(\?|$)/],
    ] as const) {
      await page.route(address, (route) =>
        label === 'Batches'
          ? route.abort()
          : route.fulfill({
              status: 503,
              contentType: 'application/json',
              body: JSON.stringify({
                error: { code: 'busy', message: 'The database is busy. Try again in a moment.' },
              }),
            }),
      )
      await navigation(page).getByRole('link', { name: label, exact: true }).click()
      const alert = page.getByRole('alert').filter({ hasText: /cannot be reached|is busy/ })
      await alert.first().waitFor()
      await page.unroute(address)
      await alert.getByRole('button', { name: 'Try again' }).click()
      await alert.waitFor({ state: 'detached' })
      await arrived(page, heading)
    }
    await leavePortal(watched)
  })
})
