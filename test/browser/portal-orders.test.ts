import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { expiryIn } from '../support/dates.ts'
import { addPortalUser, OTHER_OWNER } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { putAxe, seriousFindings } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { openPortal } from './portal.ts'

const CARD = '4111111111111111'

suite('orders and transactions in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let orderId: string

  before(async () => {
    gateway = await startRunningGateway()
    const pay = (more: Record<string, string>, site: 1001 | 1002 = 1001) =>
      gateway.client(site).raw({
        REQUEST_ACTION: 'CCAUTHCAP',
        PMT_NUMB: CARD,
        PMT_EXPIRY: expiryIn(4),
        PMT_KEY: '123',
        LI_VALUE_1: '48.00',
        ...more,
      })
    const some = (at: number, declined: boolean) => ({
      XTL_ORDER_ID: `Order ${at}`,
      CUST_FNAME: 'Ada',
      CUST_LNAME: at % 2 === 0 ? 'Even' : '=Odd',
      LI_VALUE_1: declined ? '6.35' : '1048.00',
    })
    const inYen = {
      LI_VALUE_1: '1250',
      REQUEST_CURRENCY: 'JPY',
      BILL_ADDR: '9 Elsewhere Road',
      BILL_ADDR_ZIP: '99999',
      CHKAVS: 'I',
    }
    for (let at = 0; at < 12; at += 1) await pay(some(at, at % 3 === 0))
    await pay(inYen)
    // A list of two pages computes much more, so only one merchant has it.
    for (let at = 0; at < 55; at += 1) await pay(some(at, at % 9 === 0), 1002)
    await pay(inYen, 1002)
    const order = await pay({
      CUST_FNAME: 'Jane',
      CUST_LNAME: 'Doe',
      CUST_EMAIL: 'jane@example.com',
      LI_VALUE_1: '77.70',
    })
    orderId = String(order['PO_ID'])
    browser = await launchHeadlessShell()
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const rows = (page: Page, list = 'Orders') =>
    page.getByRole('table', { name: list, exact: true }).locator('tbody tr')
  const open = async (options: Parameters<typeof openPortal>[2] = {}) => {
    const opened = await openPortal(browser, gateway.baseUrl, {
      path: '/orders',
      timezoneId: 'UTC',
      ...options,
    })
    await opened.page.getByRole('heading', { level: 1 }).waitFor()
    return opened
  }
  const rowCount = (page: Page, count: number, list = 'Orders') =>
    page.waitForFunction(
      ([name, wanted]) =>
        document.querySelectorAll(`table[aria-label="${name}"] tbody tr a`).length === wanted,
      [list, count] as const,
    )
  const addressOf = (page: Page) =>
    decodeURIComponent(new URL(page.url()).search.replaceAll('+', ' '))
  const assertClean = async (
    { console: complaints, violations }: Watched,
    expected: RegExp = /401/,
  ) => {
    assert.deepEqual(
      complaints.filter((line) => !expected.test(line)),
      [],
    )
    assert.deepEqual(await violations(), [])
  }

  test('an order is found by keyboard alone: with / to the box, Enter, and Enter on its row', async () => {
    const { page, watched } = await open()
    await rowCount(page, 14)
    await page.keyboard.press('/')
    await page.keyboard.type('jane doe')
    await page.keyboard.press('Enter')
    await rowCount(page, 1)
    assert.match(
      await page.getByRole('status', { name: 'Search interpretation' }).innerText(),
      /name jane doe: 1 order/,
    )
    await rows(page).first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/portal/orders/${orderId}`)
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('an exact order id opens the order, and going back leads to the page before', async () => {
    const { page, watched } = await open({ path: '/orders' })
    await page.getByRole('navigation').getByRole('link', { name: 'Batches' }).click()
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type(orderId)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/portal/orders/${orderId}`)
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor()

    await page.goto(`${gateway.baseUrl}/portal/orders?q=Order 7`)
    await page.getByRole('heading', { level: 1, name: /^Order \d+$/ }).waitFor()
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('words of several kinds find the orders that fit all of them, and each is counted so', async () => {
    const { page, watched } = await open()
    await page.getByLabel('Search', { exact: true }).fill('ada even 6.35 today')
    await page.getByText('Searches for name ada even or part of a name ada even; and').waitFor()
    await page.keyboard.press('Enter')
    await rowCount(page, 2)
    const understood = await page.getByRole('status', { name: 'Search interpretation' }).innerText()
    assert.match(understood, /name ada even: 2 orders/)
    assert.match(understood, /amount 6\.35: 2 orders/)
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('on a phone a button in the head opens the search, and so does /', async () => {
    const { page, watched } = await open({
      path: '/batches',
      viewport: { width: 360, height: 740 },
    })
    await page.getByRole('button', { name: 'Search orders' }).click()
    await page.getByRole('dialog', { name: 'Search orders' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.getByRole('dialog', { name: 'Search orders' }).waitFor()
    await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'search')
    await page.keyboard.type('jane')
    await page.keyboard.press('Enter')
    await rowCount(page, 1)
    await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('a filter is in the address, and goes away by its chip', async () => {
    const { page, watched } = await open()
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Declined' }).click()
    await rowCount(page, 4)
    assert.equal(addressOf(page), '?status=declined')
    const totals = page.getByRole('table', { name: 'Totals' })
    await totals.getByRole('row', { name: /USD 4 0 4/ }).waitFor()

    await page.reload()
    await rowCount(page, 4)
    await page.getByRole('button', { name: 'Remove Status: Declined' }).click()
    await rowCount(page, 14)
    assert.equal(addressOf(page), '')
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('a card number that is typed goes nowhere: not to the gateway, not into the address', async () => {
    const { page, watched } = await open()
    await rowCount(page, 14)
    const before = watched.requests.length
    await page.getByLabel('Search', { exact: true }).fill('4111 1111 1111 1111')
    await page.keyboard.press('Enter')
    await page.getByText('looks like a full card number').waitFor()
    assert.equal(addressOf(page), '')
    assert.deepEqual(
      watched.requests.slice(before).map(({ url }) => url),
      [],
    )

    await page.goto(`${gateway.baseUrl}/portal/orders?q=4111111111111111`)
    await page.getByText('looks like a full card number').waitFor()
    await rowCount(page, 14)
    assert.equal(addressOf(page), '')
    assert.ok(!watched.requests.some(({ url }) => url.includes('/api/') && url.includes('411111')))
    assert.ok(!(await watched.storage()).includes('4111111111111111'))
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('the file has what the two pages of the screen show, cell by cell', async () => {
    const { page, watched } = await open({
      path: '/orders?cols=at,order,reference,status,customer,amount,card,avs,cvv,reason,batch,user,site',
      portalUser: OTHER_OWNER,
    })
    await rowCount(page, 50)
    const shown = async () =>
      page.evaluate(() =>
        [...document.querySelectorAll('table[aria-label="Orders"] tbody tr')].map((row) =>
          [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? ''),
        ),
      )
    const first = await shown()
    await page.getByRole('button', { name: 'Next page' }).click()
    await rowCount(page, 6)
    assert.match(addressOf(page), /[?&]after=/)
    const screen = [...first, ...(await shown())]
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    const [, ...rows]: string[][] = parse(readFileSync(await download.path(), 'utf8'))

    assert.equal(rows.length, 56)
    const cells = rows.map((row) => {
      const [
        at = '',
        order = '',
        reference = '',
        status = '',
        customer = '',
        amount = '',
        currency = '',
        card = '',
        ...others
      ] = row
      return [
        `${at.slice(0, 19).replace('T', ' ')} UTC`,
        order,
        reference,
        status,
        customer.replace(/^'(?==)/, ''),
        `${amount} ${currency}`,
        card,
        ...others,
      ]
    })
    const plain = screen.map((row) =>
      row.map((cell, at) => (at === 5 ? cell.replaceAll(',', '') : cell.replace(' •••• ', ' '))),
    )
    assert.deepEqual(cells, plain)
    await assertClean(watched)
    await leavePortal(watched)
  })

  test('columns are chosen, and a view with them is saved and opened by another user', async () => {
    const { page, watched } = await open({ path: '/transactions' })
    await rowCount(page, 14, 'Transactions')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByLabel('Currency', { exact: true }).click()
    await page.getByRole('columnheader', { name: 'Currency' }).last().waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Search', { exact: true }).fill('1250 JPY')
    await page.keyboard.press('Enter')
    await rowCount(page, 1, 'Transactions')
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save view' }).click()
    await page.getByLabel('Name').fill('Yen')
    await page.getByLabel('Share with everyone').click()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByText(/^View .* saved\.$/).waitFor()
    await leavePortal(watched)

    const support = await addPortalUser(gateway, 'support')
    const otherUser = await open({ path: '/transactions', portalUser: support })
    assert.equal(await otherUser.page.getByRole('button', { name: 'CSV' }).count(), 0)
    await otherUser.page.getByRole('button', { name: 'Views' }).click()
    await otherUser.page.getByRole('menuitem', { name: /^Yen/ }).click()
    await rowCount(otherUser.page, 1, 'Transactions')
    assert.match(addressOf(otherUser.page), /q=1250 JPY.*cols=.*currency/)
    await assertClean(otherUser.watched)
    await leavePortal(otherUser.watched)
  })

  test('axe finds nothing serious, and nothing is wider than a screen of 360 or 2560 px', async () => {
    const { page, watched } = await open({ path: '/orders?status=captured,declined&q=1048.00' })
    await rowCount(page, 8)
    await page.getByRole('button', { name: 'Filters' }).click()
    await putAxe(page)
    assert.deepEqual(await seriousFindings(page, '#main'), [])
    for (const width of [360, 2560]) {
      await page.setViewportSize({ width, height: 800 })
      // The navigation slides away first.
      await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
    }
    assert.ok(!(await page.content()).includes(CARD))
    await leavePortal(watched)
  })
})
