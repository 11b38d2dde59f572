import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { addPortalUser } from '../support/portal.ts'
import { renewalOrders, startMembership } from '../support/renewals.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { findings, putAxe } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { goInside, openPortal, untilLoaded } from './portal.ts'

/** The folder of screenshots; without it there are none. */
const SHOTS = process.env['PORTAL_SHOTS'] ?? null

suite('pages for developers in the browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let declined = ''
  before(async () => {
    gateway = await startRunningGateway()
    browser = await launchHeadlessShell()
    const client = gateway.client()
    await client.authorize(payment('12.50', { orderReference: 'shop-1' }))
    const { transactionId } = await client.authorize(payment('5.07', { orderReference: 'shop-2' }))
    declined = transactionId
    await send({ LI_VALUE_1: 'ten' })
    await untilRow(
      gateway,
      'requests',
      `select count(*) from requests where merchant_id = 1 having count(*) >= 3`,
    )
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const send = async (form: Readonly<Record<string, string>>): Promise<void> => {
    const body = new URLSearchParams({
      ...credentials(),
      REQUEST_ACTION: 'CCAUTHCAP',
      PMT_NUMB: '4111111111111111',
      PMT_EXPIRY: '122039',
      PMT_KEY: '123',
      ...form,
    })
    await (
      await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), { method: 'POST', body })
    ).text()
  }
  const visit = (
    path: string,
    options: Parameters<typeof openPortal>[2] = {},
  ): ReturnType<typeof openPortal> => openPortal(browser, gateway.baseUrl, { path, ...options })
  /** Nothing was refused by the policy, complained of or shown that is a card number. */
  const leave = async (
    { page, watched }: { page: Page; watched: Watched },
    refusals = 0,
  ): Promise<void> => {
    assert.deepEqual(await watched.violations(), [])
    // The first look at the session finds no signed-in user.
    const complaints = watched.console.filter(
      (line) => line.startsWith('error') && !line.includes('401'),
    )
    assert.equal(complaints.length, refusals, complaints.join('\n'))
    assert.equal(/\b[2-6]\d{13,18}\b/.exec(await page.locator('body').innerText()), null)
    await leavePortal(watched)
  }
  const heading = (page: Page, name: string | RegExp): Promise<void> =>
    page.getByRole('heading', { level: 1, name }).waitFor()

  test('a developer finds a refused request, sees its field and why, by keyboard alone', async () => {
    const { page, watched } = await visit('/developer/requests', {
      portalUser: await addPortalUser(gateway, 'developer'),
    })
    await page.getByRole('button', { name: 'More filters' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('API code').fill('112')
    await page.keyboard.press('Enter')
    await page.getByText('5.07').waitFor({ state: 'detached' })
    await page.waitForURL(/api=/)
    const row = page.getByRole('row', { name: /API 112/ })
    await row.focus()
    await page.keyboard.press('Enter')
    await heading(page, /^Request \d+$/)
    await page.getByRole('row', { name: /LI_VALUE_1 ten/ }).waitFor()
    await page.getByText("'PMT_NUMB=<card number>'").waitFor()
    await page.getByRole('link', { name: 'Explain this result' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, /^Why request/)
    const decided = page.locator('[data-verdict=decided]')
    assert.equal(await decided.getAttribute('data-step'), 'parameters')
    assert.match(await decided.innerText(), /REF_FIELD names a value that is not a number/)
    await leave({ page, watched })
  })

  test('the request log shows by a shadow that it has more columns, until its end is in sight', async () => {
    const { page, watched } = await visit('/developer/requests')
    const table = page.locator('[data-more]', { has: page.getByRole('table') })
    await table.waitFor()
    await page.getByRole('table').evaluate((element) => {
      let box: Element | null = element
      while (box !== null && getComputedStyle(box).overflowX !== 'scroll') box = box.parentElement
      box?.scrollTo({ left: box.scrollWidth })
    })
    await table.waitFor({ state: 'detached' })
    await leave({ page, watched })
  })

  test('two requests are compared, and only what differs is marked', async () => {
    const { page, watched } = await visit('/developer/requests')
    await page
      .getByRole('row', { name: /approved/ })
      .getByRole('checkbox')
      .check()
    await page
      .getByRole('row', { name: /declined/ })
      .getByRole('checkbox')
      .check()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.waitForURL(/diff\?a=.*&b=/)
    await page.getByRole('row', { name: /LI_VALUE_1 different/ }).waitFor()
    assert.equal(await page.getByRole('row', { name: /PMT_EXPIRY different/ }).count(), 0)
    await leave({ page, watched })
  })

  test('new requests appear by themselves while the log is live', async () => {
    const { page, watched } = await visit('/developer/requests?tail=on')
    await page.getByRole('row', { name: /API 112/ }).waitFor()
    await send({ LI_VALUE_1: '9.91' })
    await page.getByRole('row', { name: /SERVICE 220/ }).waitFor()
    await leave({ page, watched })
  })

  test('a decline names the test value that made it and what would have been approved', async () => {
    const { page, watched } = await visit(`/developer/why/${declined}`)
    await page
      .getByText('Pay an amount that is no trigger amount, such as 12.50.')
      .first()
      .waitFor()
    await page.getByText(/5\.07 USD is a trigger amount/).waitFor()
    await leave({ page, watched })
  })

  test('a decline by the rule of the site names the rule, where it decided and where it was reversed', async () => {
    await send({ LI_VALUE_1: '5.08', CHKAVS: 'T', XTL_ORDER_ID: 'avs-rule' })
    const { id } = await untilRow(
      gateway,
      'the decline',
      `select t.id from transactions t join orders o on o.id = t.order_id
        where o.reference = 'avs-rule' and t.state = 'declined'`,
    )
    const { page, watched } = await visit(`/developer/why/${String(id)}`)
    await page.getByText(/Reversal of 5\.08 USD, reason: failed AVS rule/).waitFor()
    assert.doesNotMatch(await page.locator('[data-step=bank]').innerText(), /623/)
    const rule = page.locator('[data-step=address]')
    assert.equal(await rule.getAttribute('data-verdict'), 'decided')
    assert.match(await rule.innerText(), /is not one of the accepted results/)
    await leave({ page, watched })
  })

  test('the request of a test value is copied whole, and its card number never stands on the page', async () => {
    const { page, watched } = await visit('/developer/test-values', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByLabel('Search', { exact: true }).fill('stolen')
    await page
      .getByRole('row', { name: /400000 \.\.\. 0433/ })
      .getByRole('button')
      .click()
    await page.getByText(/^Copied\./).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(copied, new RegExp(`^curl -s '${gateway.baseUrl}/payment/pmt_service\\.cfm'`))
    assert.match(copied, /'PMT_NUMB=4000009000000433'/)
    await leave({ page, watched })
  })

  test('a fault is added, strikes once and is removed', async () => {
    // The fault strikes any message of the card, an advice of an earlier test too.
    await untilNoAdviceIsQueued(gateway)
    const { page, watched } = await visit('/developer/bank')
    await page.getByText('No faults').waitFor()
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByRole('combobox', { name: 'Behavior' }).click()
    await page.getByRole('option', { name: 'Other code' }).click()
    await page.getByLabel('Code (DE 39)').fill('43')
    await page.getByLabel('Only this card').fill('1111')
    await page.getByRole('dialog').getByRole('button', { name: 'Add fault' }).click()
    await page.getByRole('row', { name: /1 of 1/ }).waitFor()
    assert.equal((await gateway.client().authorize(payment('12.50'))).service.code, '605')
    await page.getByRole('row', { name: /0 of 1/ }).waitFor()
    await page.getByRole('button', { name: /Remove fault/ }).click()
    await page.getByText('No faults').waitFor()
    await leave({ page, watched })
  })

  test('operations on the pages of an order, of a membership and of the test bank expire, contest, win, charge and settle', async () => {
    const { orderId: open } = await gateway.client().authorize(payment('7.00'))
    const { orderId: sold } = await gateway.client().sale(payment('8.00'))
    const opened = await visit(`/orders/${open}`)
    const { page } = opened
    const panel = page.getByRole('region', { name: 'Sandbox' })
    await panel.getByRole('button', { name: 'Expire authorization' }).click()
    await page.getByText('The authorization has expired. 7.00 USD are released.').waitFor()
    await panel.waitFor({ state: 'detached' })
    await goInside(page, `${gateway.baseUrl}/portal/orders/${sold}`)
    await panel.getByRole('button', { name: 'Open chargeback' }).click()
    await panel.getByRole('button', { name: /^Contest dispute/ }).click()
    await page.getByText(/^Dispute \d+: represented\.$/).waitFor()
    await panel.getByRole('button', { name: /^Issuer rejects answer/ }).click()
    await panel.getByRole('button', { name: /^Win dispute/ }).click()
    await page.getByText(/^Dispute \d+: won\.$/).waitFor()
    await panel.getByRole('button', { name: /^Reject in settlement: sale/ }).click()
    await page.getByText(/^The next settlement file rejects transaction/).waitFor()
    const { id } = await startMembership(gateway, { dueAt: new Date('2090-05-05') })
    await goInside(page, `${gateway.baseUrl}/portal/memberships/${id}`)
    await panel.getByRole('button', { name: 'Charge now' }).click()
    await page.getByText(/^Charge of order \d+: approved\.$/).waitFor()
    const states = (await renewalOrders(gateway, id)).map(({ state }) => state)
    assert.deepEqual(states, ['authorized'])
    await goInside(page, `${gateway.baseUrl}/portal/developer/bank`)
    await panel.getByRole('button', { name: 'Settle site 1001 now' }).click()
    await page.getByText(/^Imported settlement files: TGS-bank-demo-.*jsonl\.$/).waitFor()
    await leave(opened)
  })

  test('a clock is moved a month on, and the page lists the steps on the way', async () => {
    const { page, watched } = await visit('/developer/clock')
    await page
      .getByRole('row', { name: /authorization expires/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Advance one month' }).click()
    await page.getByText('own clock', { exact: true }).waitFor()
    await page.getByText(/authorizations: \d+/).waitFor()
    await leave({ page, watched })
  })

  test('a test site is reset once its number is typed', async () => {
    const { page, watched } = await visit('/developer/reset')
    const button = page.getByRole('button', { name: 'Reset site 1001' })
    assert.ok(await button.isDisabled())
    await page.getByLabel('Type 1001 to confirm').fill('1001')
    await page.keyboard.press('Enter')
    await page.getByText('Site 1001 was reset').waitFor()
    await page.getByText('unchanged, ahead of real time').waitFor()
    await leave({ page, watched })
  })

  test('a role without the right has no entry, and no page', async () => {
    const { page, watched } = await visit('/developer/requests', {
      portalUser: await addPortalUser(gateway, 'support'),
    })
    await page.getByText('Your role does not allow you to view the request log').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Request log' }).count(), 0)
    await leave({ page, watched }, 1)
  })

  const PAGES = [
    '/developer/requests',
    '/developer/test-values?q=stolen',
    '/developer/bank?q=stolen',
    '/developer/clock',
    '/developer/reset',
  ]
  test('no page has a serious finding of axe at 360 px, or is wider than a window of 360, 1280 or 2560 px', async () => {
    await send({ LI_VALUE_1: '5.08', CHKAVS: 'T', REQUEST_RESPONSE_FORMAT: 'JSON' })
    const row = await untilRow(
      gateway,
      'request',
      `select id, transaction_id from requests where parameters->>'CHKAVS' = 'T'`,
    )
    const first = await untilRow(
      gateway,
      'request',
      'select min(id) as id from requests where merchant_id = 1',
    )
    const all = [
      ...PAGES,
      `/developer/requests/${String(row['id'])}`,
      `/developer/why/${String(row['transaction_id'])}`,
      `/developer/requests/diff?a=${String(row['id'])}&b=${String(first['id'])}`,
    ]
    const { page, watched } = await visit(all[0] ?? '')
    await putAxe(page)
    for (const path of all) {
      await page.setViewportSize({ width: 360, height: 900 })
      await goInside(page, `${gateway.baseUrl}/portal${path}`)
      await untilLoaded(page)
      const name = `${path.split('?')[0]?.split('/')[2]}${path.split('/').length > 3 ? '-one' : ''}`
      if (SHOTS !== null) await page.screenshot({ path: `${SHOTS}/${name}-360.png` })
      assert.deepEqual(await findings(page), [], path)
      for (const room of [360, 1280, 2560]) {
        await page.setViewportSize({ width: room, height: 900 })
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        assert.ok(wide <= room, `${path} is ${wide} px wide at ${room} px`)
      }
    }
    await leavePortal(watched)
  })
})
