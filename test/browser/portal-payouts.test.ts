import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { fileText } from '../../packages/gateway/test/domain/settlement/file-text.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import { payment } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { importSettlement, referenceOf } from '../support/settlement.ts'
import { seriousFindingsInDark } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { look } from './look.ts'
import { openPortal } from './portal.ts'

suite('payouts in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let orderId = ''
  let batch = ''
  before(async () => {
    ;[gateway, browser] = await Promise.all([startRunningGateway(), launchHeadlessShell()])
    const sale = await gateway.client().sale(payment('1234.50'))
    orderId = String(sale.orderId)
    const rrn = await referenceOf(gateway, orderId)
    const fees = { interchange: '-2.47', scheme: '-0.60', acquirer: '-1.23' }
    const payout = {
      kind: 'payout',
      payout: 'PO-417',
      trace: 'TG417USD20261120',
      arrives: '2026-11-23',
      iban_last4: '3000',
    }
    const lines = [
      { kind: 'sale', rrn, brand: 'visa', gross: '1234.50', fees },
      { kind: 'fee', gross: '-10.00', fee_code: 'terminal', period: '2026-11' },
      { kind: 'reserve_hold', gross: '-20.00' },
      { ...payout, gross: '-1200.20' },
      { kind: 'adjustment', gross: '3.75', reason: 'goodwill' },
    ]
    const dated = lines.map((line) => ({ value_date: '2026-11-20', ...line }))
    await importSettlement(gateway, fileText(dated, { currency: 'USD' }))
    batch = await closeAnsweredBatch(gateway, await signIn(gateway))
    await untilBatchEnded(gateway, batch)
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const lookInBoth = async (page: Page, what: string): Promise<void> => {
    await look(page, what)
    assert.deepEqual(await seriousFindingsInDark(page, 'html'), [], `${what} in dark`)
  }

  test('a bookkeeper walks from a payout to one of its orders and back, in light and in dark colours', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      colorScheme: 'light',
    })
    await page.getByRole('link', { name: 'Payouts', exact: true }).click()
    const list = page.getByRole('table', { name: 'Payouts', exact: true })
    await list.getByText('TG417USD20261120').waitFor()
    await lookInBoth(page, 'list')

    await list.getByText('TG417USD20261120').click()
    await page.getByRole('heading', { name: 'Payout of 1,200.20 USD' }).waitFor()
    const lines = page.getByRole('table', { name: 'Lines of the payout' })
    await lines.getByText('Reserve hold').waitFor()
    await lookInBoth(page, 'payout')
    await page.getByRole('link', { name: 'Sales and captures' }).click()
    await page.getByRole('heading', { name: 'Lines: sales and captures' }).waitFor()
    await lines.getByText('Reserve hold').waitFor({ state: 'hidden' })

    await lines.getByRole('link', { name: orderId }).click()
    const settlement = page.getByRole('table', { name: 'Settlement' })
    assert.match((await settlement.textContent()) ?? '', /settled.*2026-11-20.*1,230\.20 USD/)
    await lookInBoth(page, 'order')
    await settlement.getByRole('link').click()
    await page.getByRole('heading', { name: 'Payout of 1,200.20 USD' }).waitFor()
    await leavePortal(watched)
  })

  test('a bookkeeper finds a deposit by the amount of the bank statement, and its sums lead to lines', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/payouts' })
    const list = page.getByRole('table', { name: 'Payouts', exact: true })
    const deposit = page.getByRole('searchbox', { name: 'Deposit' })
    await deposit.fill('1,200.21')
    await page.getByText('No payout matches these filters.').waitFor()
    await deposit.fill('1,200.20')
    await list.getByRole('link', { name: '-20.00' }).click()
    await page.getByRole('heading', { name: 'Lines: reserve, -20.00 USD' }).waitFor()
    const lines = page.getByRole('table', { name: 'Lines of the payout' })
    await lines.getByText('Reserve hold').waitFor()
    await page.goBack()
    await list.waitFor()
    assert.equal(await deposit.inputValue(), '1,200.20')
    await leavePortal(watched)
  })

  test('a bookkeeper walks from a batch to its payout, and from a sum of the batch to its transactions', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: `/batches/${batch}`,
    })
    const settled = page.getByRole('table', { name: 'Settlement of the batch' })
    await settled.getByRole('link', { name: /^Payout / }).waitFor()
    assert.match((await settled.textContent()) ?? '', /settledUSD11,234\.501,230\.20/)
    await look(page, 'batch-light')
    const agreement = page.getByRole('table', { name: 'Totals here and at the bank' })
    assert.equal(await agreement.isVisible(), false)
    await page.getByRole('button', { name: 'Show totals' }).press('Enter')
    assert.match((await agreement.textContent()) ?? '', /Visa/)
    await agreement.getByRole('link', { name: '1, 1,234.50' }).click()
    const found = page.getByRole('table', { name: 'Transactions' })
    await found.getByRole('link', { name: orderId }).waitFor()
    await page.goBack()
    await settled.getByRole('link', { name: '1,230.20' }).click()
    const own = page.getByRole('table', { name: 'Settlement of transactions' })
    await own.getByRole('link', { name: orderId }).waitFor()
    assert.match((await own.textContent()) ?? '', /Sale\d+\/\d+1,234\.501,230\.20/)
    await look(page, 'batch-settlement-light')
    await page.goBack()
    await settled.getByRole('link', { name: /^Payout / }).click()
    await page.getByRole('heading', { name: 'Payout of 1,200.20 USD' }).waitFor()
    await page.goBack()
    const sums = page.getByRole('table', { name: 'By currency' })
    await sums.getByRole('link', { name: '1,234.50' }).first().click()
    await found.getByRole('link', { name: orderId }).waitFor()
    await leavePortal(watched)
  })

  test('a statement and the money without a payout are legible, on the screen and on paper', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      colorScheme: 'dark',
    })
    await page.getByRole('link', { name: 'Payouts', exact: true }).click()
    const waiting = page.getByRole('table', { name: 'Balances without a payout' })
    await waiting.getByRole('link', { name: '3.75' }).click()
    await page
      .getByRole('table', { name: 'Lines without a payout' })
      .getByText('goodwill')
      .waitFor()
    await look(page, 'untaken-dark')
    await page.getByRole('link', { name: 'Statements' }).click()
    const balance = page.getByRole('table', { name: 'Balance at the acquirer' })
    await balance.waitFor()
    const text = (await balance.textContent()) ?? ''
    assert.match(text, /Sales and captures11,234\.50/)
    assert.match(text, /Closing balance3\.75/)
    await look(page, 'statement-dark')

    await balance.getByRole('link', { name: 'Scheme fees' }).press('Enter')
    await page.getByRole('heading', { name: /^Scheme fees, / }).waitFor()
    const lines = page.getByRole('table', { name: 'Lines of the statement' })
    await lines.getByRole('link', { name: orderId }).waitFor()
    assert.match((await lines.textContent()) ?? '', /-0\.60/)
    await look(page, 'statement-lines-dark')
    await page.getByRole('link', { name: /^Statement of / }).click()
    await balance.waitFor()
    await page.emulateMedia({ media: 'print', colorScheme: 'light' })

    assert.equal(await page.getByRole('button', { name: 'Print' }).isVisible(), false)
    assert.equal(await page.getByRole('navigation', { name: 'Portal' }).isVisible(), false)
    assert.equal(await balance.isVisible(), true)
    await leavePortal(watched)
  })

  test("a bookkeeper walks from the operator's fees of a statement to an order, and back", async () => {
    await gateway.pool.query(FEES_OF_OPERATOR)
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: '/statements',
    })
    const charged = page.getByRole('table', { name: "Operator's fees" })
    await charged.getByRole('link', { name: 'Charged' }).click()
    await page.getByRole('heading', { name: /^Operator's fees: charged, / }).waitFor()
    await charged.getByText('Monthly fee').waitFor()
    assert.match((await charged.textContent()) ?? '', /Visa\d+1,234\.500\.35.*Monthly fee.*10\.00/)
    await page.getByRole('link', { name: /^Statement of / }).click()
    await charged.getByRole('link', { name: '10.00' }).click()
    await page.getByRole('heading', { name: /^Operator's fees: monthly fee, / }).waitFor()
    await charged.getByText('10.00').waitFor()
    await page.getByRole('link', { name: /^Statement of / }).click()
    await charged.getByRole('link', { name: 'Sales and captures' }).press('Enter')
    await page.getByRole('heading', { name: /^Operator's fees: sales and captures, / }).waitFor()
    await charged.getByText('1,234.50').waitFor()
    assert.match((await charged.textContent()) ?? '', /Visa\d+1,234\.500\.35/)
    await look(page, 'operator-fees-light')

    await charged.getByRole('link', { name: orderId }).click()
    const fees = page.getByRole('region', { name: "Operator's fees" })
    await fees.getByRole('link', { name: /^in the statement of / }).waitFor()
    assert.match((await fees.textContent()) ?? '', /sale \d+: 0\.35 USD/)
    await fees.getByRole('link', { name: /^in the statement of / }).click()
    await charged.getByRole('link', { name: batch, exact: true }).click()
    await page.getByRole('table', { name: 'Settlement of the batch' }).waitFor()
    await leavePortal(watched)
  })
})

/** The operator charges each sale 0.35, and the month 10.00. */
const FEES_OF_OPERATOR = `
  insert into fee_plans (merchant_id, starts_on, prices, actor)
    values (1, '2026-01-01', '{}', 'test');
  insert into fee_charges (batch_id, merchant_id, fees, charged_at)
    select id, 1, 1, now() from batches where merchant_account_id = 2001 and closed_at is not null;
  insert into fee_months (merchant_id, month) values (1, date_trunc('month', now())::date);
  insert into transaction_fees (transaction_id, merchant_id, batch_id, kind, brand, plan_starts_on,
      day, currency, amount_minor, fee_minor)
    select t.id, 1, t.batch_id, 'sale', 'visa', '2026-01-01', current_date, 'USD', t.value_minor, 35
      from transactions t join fee_charges c on c.batch_id = t.batch_id where t.kind = 'sale';
  insert into monthly_fees (merchant_id, month, currency, plan_starts_on, fee_minor)
    values (1, date_trunc('month', now())::date, 'USD', '2026-01-01', 1000)`
