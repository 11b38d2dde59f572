import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { linePoint } from '../../packages/portal/src/home/rates.ts'
import { untilMidnightIsFar } from '../support/dates.ts'
import { payment, untilNoAdviceIsQueued, VISA } from '../support/payments.ts'
import { addPortalUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { putAxe, seriousFindings, seriousFindingsInDialog } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { goInside, openPortal, untilLoaded } from './portal.ts'

test('the line of the approval rate has no point for fewer than five payments', () => {
  assert.equal(linePoint({ approved: 0, declined: 1 }), null)
  assert.equal(linePoint({ approved: 4, declined: 0 }), null)
  assert.equal(linePoint({ approved: 4, declined: 1 }), 80)
})

suite('home, batches and the reconciliation in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser

  before(async () => {
    await untilMidnightIsFar()
    ;[gateway, browser] = await Promise.all([startRunningGateway(), launchHeadlessShell()])
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const open = (options: Parameters<typeof openPortal>[2] = {}) =>
    openPortal(browser, gateway.baseUrl, { timezoneId: 'UTC', ...options })
  const done = async (watched: Watched, expected: RegExp = /401/): Promise<void> => {
    assert.deepEqual(
      watched.console.filter((line) => !expected.test(line)),
      [],
    )
    assert.deepEqual(await watched.violations(), [])
    await leavePortal(watched)
  }

  test('a fresh installation shows how to make the first payment, and its figures once there is one', async () => {
    const { page, watched } = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page
      .getByRole('region', { name: 'First steps' })
      .getByText('PMT_NUMB=411111...1111')
      .waitFor()
    assert.ok(!(await page.content()).includes(VISA))
    await page.getByRole('button', { name: 'Copy command' }).click()
    assert.ok(
      (await page.evaluate(() => navigator.clipboard.readText())).includes(`PMT_NUMB=${VISA}`),
    )

    const client = gateway.client()
    const sale = await client.sale(payment('1250.00'))
    await client.sale(payment('1500', { currency: 'JPY' }))
    await client.sale(payment('5.02'))
    await client.refund({ orderId: sale.orderId, amount: '50.00' })
    for (const amount of ['30.00', '40.00', '50.00']) await client.authorize(payment(amount))
    await gateway.pool.query(
      `update orders set expires_at = now() + interval '1 day' where expires_at is not null`,
    )
    await untilNoAdviceIsQueued(gateway)
    await page.reload()

    const today = page.getByRole('region', { name: 'Today', exact: true })
    await today.getByRole('row', { name: /^Approved 5 0$/ }).waitFor()
    await today.getByRole('row', { name: /^approved in USD 1,370\.00/ }).waitFor()
    await today.getByRole('row', { name: /^approved in JPY 1,500/ }).waitFor()
    await today.getByRole('row', { name: /^refunded in USD 50\.00/ }).waitFor()
    await today.getByRole('row', { name: /^Approval rate 83\.3 %/ }).waitFor()
    assert.equal(await page.getByText('First steps').count(), 0)
    await done(watched)
  })

  test('the chart is a table on request, the address keeps the choice, and a reason leads to its payments', async () => {
    const { page, watched } = await open()
    await page.locator('canvas').waitFor()
    await page.getByText('12 months').click()
    await page.getByRole('button', { name: 'Show as table' }).click()

    const table = page.getByRole('table', { name: 'Approval rate and volume' })
    await table
      .getByRole('row', {
        name: new RegExp(`^${new Date().toISOString().slice(0, 7)} 5 1 83\\.3 %`),
      })
      .waitFor()
    assert.match(page.url(), /range=12m/)
    await page.reload()
    await table.waitFor()
    await table.getByRole('link', { name: '1,370.00 USD' }).click()
    const totals = page.getByRole('table', { name: 'Totals' })
    await totals.getByRole('row', { name: /^USD 4 4 0 1,370\.00 / }).waitFor()
    await page.goBack()
    await page.getByRole('region', { name: 'Decline reasons' }).getByRole('link').first().click()
    await page.waitForURL(/\/transactions\?.*reason=/)
    await page.getByText('5.02 USD').first().waitFor()
    await done(watched)
  })

  test('each sum of today leads to the transactions that it counts', async () => {
    const { page, watched } = await open()
    const today = page.getByRole('region', { name: 'Today', exact: true })
    const totals = page.getByRole('table', { name: 'Totals' })
    for (const [row, first] of [
      [/^approved in USD/, /^USD 4 4 0 1,370\.00 /],
      [/^refunded in USD/, /^USD 1 1 0 0\.00 0\.00 50\.00 /],
      [/^Declined/, /^USD 1 0 1 0\.00 /],
    ] as const) {
      await today.getByRole('row', { name: row }).getByRole('link').first().click()
      await totals.getByRole('row', { name: first }).waitFor()
      await page.getByRole('button', { name: /^Remove Counts as: / }).waitFor()
      await page.getByRole('button', { name: /^Remove Time: / }).waitFor()
      await page.goBack()
    }
    await page.getByRole('link', { name: '3 authorizations expire' }).click()
    await page.getByText('Authorizations that expire within the next 3 days.').waitFor()
    await page.getByRole('link', { name: 'Show all open authorizations' }).click()
    await page.getByText('Authorizations that are not captured in time expire').waitFor()
    await done(watched)
  })

  test('several open authorizations are captured at once, by keyboard alone', async () => {
    const { page, watched } = await open({ path: '/open-authorizations' })
    await page.getByRole('row', { name: /50\.00 USD/ }).waitFor()
    await page.getByRole('checkbox').nth(0).focus()
    await page.keyboard.press('Space')
    await page.getByRole('checkbox').nth(1).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Capture 2' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^Total: 70\.00 USD\./).waitFor()
    await dialog.getByRole('button', { name: 'Capture 70.00 USD' }).press('Enter')

    await page.getByText('2 authorizations were captured.').waitFor()
    await page.getByRole('row', { name: /30\.00 USD/ }).waitFor({ state: 'detached' })
    const { rows } = await gateway.pool.query(
      `select captured_minor from orders where authorized_minor in (3000, 4000) order by 1`,
    )
    assert.deepEqual(
      rows.map(({ captured_minor: minor }) => minor),
      ['3000', '4000'],
    )
    await done(watched)
  })

  test('the net of the open batch leads to its transactions, from the home page and from the list of batches', async () => {
    const { page, watched } = await open()
    for (const path of ['/', '/batches']) {
      await goInside(page, `${gateway.baseUrl}/portal${path}`)
      const row = page.getByRole('row', { name: /^501\b/ })
      const net = row.locator('a[href*="/transactions"]').last()
      const amount = (await net.textContent()) ?? ''
      await net.click()
      const totals = page.getByRole('table', { name: 'Totals' }).getByRole('row').nth(1)
      const shown = (await totals.getByRole('cell').last().textContent()) ?? ''
      assert.equal(`${shown} USD`, amount.replaceAll('\u00a0', ' '))
    }
    await goInside(page, `${gateway.baseUrl}/portal/batches`)
    for (const [at, column] of [5, 6].entries()) {
      const sum = page
        .getByRole('row', { name: /^501\b/ })
        .locator('a[href*="/transactions"][href*="USD"]')
        .nth(at)
      const amount = (await sum.textContent()) ?? ''
      await sum.click()
      const totals = page.getByRole('table', { name: 'Totals' }).getByRole('row').nth(1)
      const shown = (await totals.getByRole('cell').nth(column).textContent()) ?? ''
      assert.equal(`${shown} USD`, amount.replaceAll('\u00a0', ' '))
      await page.goBack()
    }
    await done(watched)
  })

  test('one of two users closes the batch, and the other sees who did', async () => {
    const [first, second] = [
      await open({ path: '/batches' }),
      await open({ portalUser: await addPortalUser(gateway, 'finance'), path: '/batches/501' }),
    ]
    await first.page.getByRole('row', { name: /^501 / }).focus()
    await first.page.keyboard.press('Enter')
    const ask = async (page: Page) => {
      await page.getByRole('button', { name: 'Close batch' }).click()
      await page
        .getByRole('dialog')
        .getByText(/net 1,500 JPY, 1,270\.00 USD/)
        .waitFor()
    }
    await ask(first.page)
    await ask(second.page)
    await first.page.getByRole('button', { name: 'Close batch 501' }).click()
    await first.page.getByText('Batch 501 closed with 5 transactions.').waitFor()
    await second.page.getByRole('button', { name: 'Close batch 501' }).click()

    await second.page.getByText(/The batch was closed by owner@tollgate\.test at 20/).waitFor()
    await done(first.watched)
    await done(second.watched, /401|409/)
  })

  test('the books are compared, a difference is noted, handed over, resolved and reopened, and a certificate can be printed', async () => {
    const { page, watched } = await open({ path: '/reconciliation' })
    await page.getByRole('button', { name: 'Compare now' }).click()
    await page.getByRole('link', { name: 'Certificate' }).click()
    await page.getByText('Gateway, ledger and bank agree on all 6 orders.').waitFor()
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByRole('button', { name: 'Print' }).count(), 0)
    assert.equal(await page.getByRole('navigation', { name: 'Portal' }).count(), 0)
    await page.emulateMedia({ media: 'screen' })

    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor + 1 where captured_minor = 125000',
    )
    await page.getByRole('link', { name: 'Reconciliation' }).first().click()
    await page.getByRole('button', { name: 'Compare now' }).click()
    const difference = page.getByRole('article')
    await difference.getByText('50.01 USD').waitFor()
    await difference.getByRole('button', { name: 'Assign to me' }).click()
    await difference.getByText('took ownership').waitFor()
    await difference.getByRole('button', { name: 'Note' }).press('Enter')
    await page.getByRole('textbox', { name: 'Note' }).fill('Never sent.')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await difference.getByRole('button', { name: 'Note' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Note' }).fill('The bank is asked.')
    assert.deepEqual(await seriousFindingsInDialog(page), [])
    await page.getByRole('button', { name: 'Save note' }).press('Enter')
    await difference.getByText('wrote: The bank is asked.').waitFor()
    assert.equal(await difference.getByText('Never sent.').count(), 0)
    await difference.getByRole('button', { name: 'Assign to …' }).press('Enter')
    await page.getByRole('menuitem', { name: /^Pat finance/ }).press('Enter')
    await difference.getByText('Owner: Pat finance').waitFor()
    await difference.getByRole('button', { name: 'Resolve' }).click()
    await page.getByLabel('Cause and action taken').fill('Checked with the bank.')
    assert.deepEqual(await seriousFindingsInDialog(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
    await page.getByText('No open differences').waitFor()
    await page.getByText('Resolved', { exact: true }).click()
    await difference.getByText('resolved it: Checked with the bank.').waitFor()
    await difference.getByRole('button', { name: 'Reopen' }).press('Enter')
    await page.getByText('Open', { exact: true }).click()
    await difference.getByText('reopened it').waitFor()
    await gateway.pool.query(
      'update orders set refunded_minor = refunded_minor - 1 where captured_minor = 125000',
    )
    await done(watched)
  })

  test('a read-only user closes, captures and compares nothing', async () => {
    const { page, watched } = await open({
      portalUser: await addPortalUser(gateway, 'read_only'),
      path: '/batches/502',
    })
    await page.getByText('This batch is empty').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Close batch' }).count(), 0)
    await goInside(page, `${gateway.baseUrl}/portal/reconciliation`)
    await page.getByRole('table', { name: 'Comparisons' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Compare now' }).count(), 0)
    await goInside(page, `${gateway.baseUrl}/portal/open-authorizations`)
    await page.getByRole('row', { name: /50\.00 USD/ }).waitFor()
    assert.equal(await page.getByRole('checkbox').count(), 0)
    await done(watched)
  })

  test('axe finds nothing serious at 360 px, and no page is wider than a window of 360 or 2560 px', async () => {
    const paths = [
      '/?range=24h',
      '/?range=7d&table=true',
      '/open-authorizations',
      '/batches',
      '/batches/501',
      '/reconciliation?show=all',
      '/reconciliation/runs/301',
    ]
    const { page, watched } = await open()
    await putAxe(page)
    for (const path of paths) {
      await page.setViewportSize({ width: 360, height: 900 })
      await goInside(page, `${gateway.baseUrl}/portal${path}`)
      await untilLoaded(page)
      assert.deepEqual(await seriousFindings(page), [], path)
      for (const width of [360, 2560]) {
        await page.setViewportSize({ width, height: 900 })
        const sideways = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        assert.equal(sideways, 0, `${path} at ${width} px`)
      }
      assert.doesNotMatch(await page.content(), /4111\s?1111\s?1111\s?1111/)
    }
    await done(watched)
  })
})
