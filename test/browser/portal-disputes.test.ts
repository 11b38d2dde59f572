import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { fileText } from '../../packages/gateway/test/domain/settlement/file-text.ts'
import {
  ANOTHER_NODE_TALKS,
  dayIn,
  openNoticeSender,
  type NoticeSender,
} from '../support/disputes.ts'
import { payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { importSettlement, referenceOf } from '../support/settlement.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { look } from './look.ts'
import { goInside, openPortal } from './portal.ts'

suite('disputes in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let acquirer: NoticeSender
  let orderId = ''
  let secondId = ''
  before(async () => {
    ;[gateway, browser] = await Promise.all([
      startRunningGateway(ANOTHER_NODE_TALKS),
      launchHeadlessShell(),
    ])
    acquirer = await openNoticeSender(gateway)
    orderId = String((await gateway.client().sale(payment('120.00'))).orderId)
    await acquirer.send(orderId, { currency: 'USD', network_due: dayIn(9) })
    const { orderId: second } = await gateway.client().sale(payment('80.50'))
    secondId = String(second)
    const other = { case: 'C-2', amount: '80.50', currency: 'USD', reason: '13.1' }
    await acquirer.send(
      String(second),
      { ...other, event: 'inquiry' },
      { ...other, event: 'chargeback', network_due: dayIn(30) },
    )
    const rrn = await referenceOf(gateway, secondId)
    const charged = { kind: 'chargeback', rrn, case: 'C-2', gross: '-80.50' }
    await importSettlement(
      gateway,
      fileText(
        [
          { kind: 'adjustment', gross: '500.00' },
          { ...charged, fees: { dispute: '-15.00' } },
          { kind: 'payout', payout: 'PO-1', trace: 'TG1', gross: '-404.50' },
        ].map((line) => ({ value_date: dayIn(-1), ...line })),
        { currency: 'USD' },
      ),
    )
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  test('the list shows the cases of one account, or the first day of answer first', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: '/disputes',
    })
    const list = page.getByRole('table', { name: 'Disputes' })
    const firstRow = list.getByRole('row').nth(1)
    await firstRow.getByText('80.50 USD').waitFor()
    // A second account of the merchant has the other case.
    await gateway.pool.query(
      `update disputes set merchant_account_id =
              (select max(id) from merchant_accounts where merchant_id = 1 and id <> 2001)
        where case_id = 'C-1'`,
    )
    await page.reload()
    await page.getByRole('combobox', { name: 'Sort by' }).click()
    await page.getByRole('option', { name: 'Answer by' }).click()
    await firstRow.getByText('120.00 USD').waitFor()
    await page.getByRole('combobox', { name: 'Merchant account' }).click()
    await page.getByRole('option', { name: '2001' }).click()
    await page.getByRole('region', { name: 'Totals' }).getByText('1 in USD: 80.50 USD').waitFor()
    assert.equal(await list.getByRole('row').count(), 2)
    await gateway.pool.query(`update disputes set merchant_account_id = 2001 where case_id = 'C-1'`)
    await leavePortal(watched)
  })

  test('a bookkeeper goes from the home page to a case, contests it with a file, and sees it won', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl)
    await page.getByRole('link', { name: '2 disputes wait for an answer' }).click()
    const list = page.getByRole('table', { name: 'Disputes' })
    await list.getByText('3 days left', { exact: true }).waitFor()
    await look(page, 'list')
    await list.getByRole('row', { name: /120\.00 USD/ }).press('Enter')
    await page.getByRole('heading', { name: /^Dispute \d+ of 120\.00 USD$/ }).waitFor()
    assert.match((await page.getByRole('main').textContent()) ?? '', /Winning evidence3-D Secure/)

    const contest = page.getByRole('button', { name: 'Contest the dispute' })
    assert.equal(await contest.isDisabled(), true)
    const files = page.locator('input[type=file]')
    await files.setInputFiles({ name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.from('x') })
    await page.getByText('film.mp4 is neither PDF, PNG, JPEG nor plain text.').waitFor()
    const receipt = { name: 'receipt.pdf', mimeType: 'application/pdf' }
    await files.setInputFiles({ ...receipt, buffer: Buffer.from('%PDF-1.7 receipt') })
    await page
      .getByRole('list', { name: 'Files for the answer' })
      .getByText('receipt.pdf')
      .waitFor()
    await page.getByLabel('Explanation for the issuer').fill('The parcel was delivered.')
    await look(page, 'case')

    await contest.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('receipt.pdf').waitFor()
    await look(page, 'contest')
    await dialog.getByRole('button', { name: /^Contest dispute/ }).press('Enter')
    await page.getByText('contested the case: waits to be sent to the acquirer.').waitFor()
    assert.equal(await contest.isVisible(), false)

    const { rows } = await gateway.pool.query<{ id: string }>('select id from dispute_answers')
    const answer = rows[0]?.id
    const money = { currency: 'USD' }
    await acquirer.send(
      orderId,
      { ...money, event: 'representment', answer },
      { ...money, event: 'won' },
    )
    await page.getByText('The case was won: 120.00 USD').waitFor()
    await page.getByText('filed by the acquirer.').waitFor()
    await look(page, 'won')
    await leavePortal(watched)
  })

  test('an order leads to its dispute and fee, the fee to its payout, and a dialog with the amount accepts the case', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: '/disputes?group=due',
      colorScheme: 'dark',
    })
    await page.getByRole('table', { name: 'Disputes' }).getByText('C-2').click()
    await page.locator('a[href*="/orders/"]').first().click()
    const panel = page.getByRole('region', { name: 'Disputes' })
    assert.match((await panel.textContent()) ?? '', /Chargeback 80\.50 USD, 13\.1/)
    assert.match((await panel.textContent()) ?? '', /Dispute fee: 15\.00 USD\./)
    await look(page, 'order')
    await panel.getByRole('link', { name: /^Dispute / }).click()
    const money = page.getByRole('table', { name: 'Money of the dispute' })
    await money.getByRole('link', { name: '-15.00 USD' }).click()
    const lines = page.getByRole('table', { name: 'Lines of the payout' })
    await lines.getByRole('link', { name: secondId }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Accept the dispute' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You give up 80.50 USD').waitFor()
    await look(page, 'accept')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    const accept = page.getByRole('button', { name: 'Accept the dispute' })
    await page.waitForFunction(
      (text) => document.activeElement?.textContent === text,
      'Accept the dispute',
    )
    await accept.press('Enter')
    await dialog.getByRole('button', { name: 'Give up 80.50 USD' }).press('Enter')
    await page.getByText('accepted the case: waits to be sent to the acquirer.').waitFor()
    await goInside(page, `${gateway.baseUrl}/portal/dispute-monitoring`)
    await page.getByRole('table', { name: 'Months with disputes' }).getByText('VAMP').waitFor()
    await look(page, 'monitoring')
    await leavePortal(watched)
  })
})
