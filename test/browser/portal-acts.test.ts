import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { untilSeen } from '../support/eventually.ts'
import { MASTERCARD, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { sellToMembers } from '../support/portal-members.ts'
import { addPortalUser, OTHER_OWNER, signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { AXE, findings } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, watchedContext, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { DIALOG_ACTS, SAVED_SETTINGS, type DialogAct } from './portal-acts.ts'
import type { DialogPlaces } from './portal-dialogs.ts'
import { goInside, openPortal, pressByKey, untilLoaded } from './portal.ts'

const PASSWORD_DAYS = 30
const FOCUS_TIMEOUT_MS = 5_000

suite('operations of dialogs and pages of the portal', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let places: DialogPlaces
  let user: { readonly email: string; readonly password: string; readonly id: bigint }
  before(async () => {
    const settings = { PORTAL_PASSWORD_DAYS: String(PASSWORD_DAYS) }
    ;[gateway, browser] = await Promise.all([startRunningGateway(settings), launchHeadlessShell()])
    const { active } = await sellToMembers(gateway)
    const captured = await gateway.client().sale(payment('12.50'))
    await addPortalUser(gateway, 'support')
    user = await addPortalUser(gateway, 'owner')
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select id from memberships where customer_id = $1',
      [active['CUST_ID']],
    )
    places = {
      captured: captured.orderId,
      open: '',
      customer: active['CUST_ID'] ?? '',
      membership: rows[0]?.id ?? '',
    }
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const open = (path: string, options: Parameters<typeof openPortal>[2] = {}) =>
    openPortal(browser, gateway.baseUrl, { path, ...options })
  const readState = async (sql: string): Promise<string> => {
    const { rows } = await gateway.pool.query<{ state: string | null }>(sql)
    return String(rows[0]?.state)
  }
  const becomes = (what: string, sql: string, wanted: RegExp): Promise<string> =>
    untilSeen(
      what,
      () => readState(sql),
      (state) => wanted.test(state),
    )
  /** The requests so far that may have changed something. */
  const changes = ({ requests }: Watched): number =>
    requests.filter(({ method, url }) => method !== 'GET' && !url.endsWith('/session/left')).length
  const focused = (page: Page, place: Locator): Promise<unknown> =>
    place
      .and(page.locator(':focus'))
      .waitFor({ state: 'attached', timeout: FOCUS_TIMEOUT_MS })
      .catch(async () => {
        const at = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 160))
        assert.fail(`The focus is at ${at}.`)
      })

  async function press(page: Page, names: readonly string[]): Promise<void> {
    for (const name of names) await pressByKey(page, name, true)
  }

  async function doAct(page: Page, watched: Watched, act: DialogAct): Promise<void> {
    await goInside(page, `${gateway.baseUrl}/portal${act.path(places)}`)
    await untilLoaded(page)
    const sql = act.state(places)
    const before = await readState(sql)
    assert.doesNotMatch(before, act.becomes)
    const dialog = page.getByRole('dialog', { name: act.dialog })
    const fill = async (): Promise<void> => {
      await press(page, act.press)
      await dialog.waitFor()
      await act.fill?.(dialog, page, user.password)
    }
    await fill()
    const sent = changes(watched)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(changes(watched), sent, 'Escape sent something')
    assert.equal(await readState(sql), before)

    await fill()
    await dialog.getByRole('button', { name: act.does, exact: true }).press('Enter')
    await becomes(act.name, sql, act.becomes)
    await act.afterwards?.(page)
    await dialog.waitFor({ state: 'detached' })
    const [opener = ''] = act.press
    await focused(
      page,
      act.returnsTo?.(page) ?? page.getByRole('button', { name: opener, exact: true }),
    )
  }

  test('each dialog changes nothing when it is cancelled, does its operation once, and returns the focus', async (t) => {
    // A user of their own, whose password changes.
    const { page, watched } = await open('/', { portalUser: user })
    for (const act of DIALOG_ACTS) {
      await t.test(act.name, () => doAct(page, watched, act))
    }
    assert.deepEqual(await watched.violations(), [])
    await leavePortal(watched)
  })

  test('a setting of a site is changed only when its review is saved', async () => {
    const { page, watched } = await open('/settings')
    for (const { path, change, state, becomes: wanted } of SAVED_SETTINGS) {
      await goInside(page, `${gateway.baseUrl}/portal${path()}`)
      const before = await readState(state())
      await change(page)
      const review = page.getByRole('button', { name: 'Review and save' })
      await review.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Save these changes?' })
      await dialog.waitFor()
      const sent = changes(watched)
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await focused(page, review)
      assert.equal(changes(watched), sent)
      assert.equal(await readState(state()), before)
      await review.press('Enter')
      await dialog.getByRole('button', { name: 'Save' }).press('Enter')
      await becomes(path(), state(), wanted)
      await dialog.waitFor({ state: 'detached' })
      // The bar is gone with the changes.
      await focused(page, page.locator('#main'))
    }
    await leavePortal(watched)
  })

  test('a user ends one other session, and then all others', async () => {
    const others = [await signIn(gateway), await signIn(gateway), await signIn(gateway)]
    const { page, watched } = await open('/account')
    const statuses = async (): Promise<string> => {
      const answers = await Promise.all(others.map((other) => other.get('/account')))
      return answers.map(({ status }) => status).join(' ')
    }
    assert.equal(await statuses(), '200 200 200')
    const end = page.getByRole('button', { name: /^End the session of/ })
    await end.first().press('Enter')
    await untilSeen('one session has ended', statuses, (all) => all.match(/401/g)?.length === 1)
    await page.getByRole('button', { name: 'Sign out everywhere else' }).press('Enter')
    await untilSeen('all others have ended', statuses, (all) => all === '401 401 401')
    await end.first().waitFor({ state: 'detached' })
    await leavePortal(watched)
  })

  test('the daily comparison gets an hour, and loses it again', async () => {
    const { page, watched } = await open('/reconciliation')
    const hour = `select coalesce(max(hour)::text, 'never') as state from recon_schedules`
    const choice = page.getByRole('combobox', { name: 'Compare daily' })
    for (const [option, state] of [
      ['at 04:00 UTC', /^4$/],
      ['never', /^never$/],
    ] as const) {
      await choice.click()
      await page.getByRole('option', { name: option }).click()
      await becomes(option, hour, state)
    }
    await leavePortal(watched)
  })

  test('a closed batch that is agreed hides its totals until they are asked for, and names its brands', async () => {
    for (const currency of ['EUR', 'GBP', 'JPY', 'KWD'])
      await gateway.client().sale(payment('7', { currency }))
    await gateway.client().sale(payment('8', { cardNumber: MASTERCARD }))
    await untilNoAdviceIsQueued(gateway)
    const { page, watched } = await open('/batches/501')
    await page.getByRole('button', { name: 'Close batch' }).press('Enter')
    await page.getByRole('button', { name: 'Close batch 501' }).press('Enter')
    const show = page.getByRole('button', { name: 'Show totals' })
    await show.waitFor()
    const totals = page.getByRole('table', { name: 'Totals here and at the bank' })
    assert.equal(await totals.count(), 0)
    await show.press('Enter')
    await totals.getByRole('row', { name: /^USD Visa Bank / }).waitFor()

    await goInside(page, `${gateway.baseUrl}/portal/audit?object=batch+501`)
    const entry = page.getByRole('row', { name: /batch\.counted/ })
    const more = entry.getByRole('button', { name: /^Show all \d+ lines$/ })
    assert.equal(await entry.getByText('KWD sale').count(), 0)
    await more.press('Enter')
    await entry.getByText('KWD sale').waitFor()
    await leavePortal(watched)
  })

  test('the clock of a test site stops, takes a time, runs faster, and goes back neither to a time nor to real time', async () => {
    const { page, watched } = await open('/developer/clock', { timezoneId: 'UTC' })
    const now = page.getByRole('region', { name: 'Now' })
    const press = (name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).press('Enter')
    const jumpTo = async (time: string): Promise<void> => {
      await page.getByLabel('Jump to').fill(time)
      await press('Jump')
    }
    await press('Stop')
    await now.getByText('stopped', { exact: true }).waitFor()
    await jumpTo('2020-01-01T00:00')
    await page
      .getByRole('alert')
      .getByText(/A clock goes forward only/)
      .waitFor()
    await press('Return to real time')
    await now.getByText('real time', { exact: true }).waitFor()

    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 13)
    await jumpTo(`${tomorrow}:00`)
    await becomes(
      'the clock is there',
      `select to_char(site_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as state
         from site_clocks where site_id = 1001 and target_at is null`,
      new RegExp(`^${tomorrow}$`),
    )
    await page.getByRole('textbox', { name: 'Speed' }).fill('60')
    await press('Set')
    await now.getByText('60 times real time').waitFor()
    await press('Return to real time')
    await page
      .getByRole('alert')
      .getByText(/and the real time is/)
      .waitFor()
    await leavePortal(watched)
  })

  test('pages without an operation show rights, accounts, due renewals and postings as they are', async () => {
    const { page, watched } = await open('/roles')
    // Owner, admin, finance, support, developer, read only.
    await page.getByRole('row', { name: 'close batches yes yes yes no no no' }).waitFor()
    await page
      .getByRole('row', { name: /^request test or live mode .* yes no no no no no$/ })
      .waitFor()
    await goInside(page, `${gateway.baseUrl}/portal/settings/sites/1001?tab=accounts`)
    const account = page.getByRole('region', { name: /^Account 2001: / })
    await account.getByText('takes payments now').waitFor()
    await account.getByText('the bundled bank').waitFor()
    await goInside(page, `${gateway.baseUrl}/portal/renewals`)
    // A month may be longer than the thirty days that the page shows, so the daily paper it is.
    const { rows } = await gateway.pool.query<{ day: string }>(
      `select to_char(next_at at time zone 'UTC', 'YYYY-MM-DD') as day
         from memberships where product = 'paper'`,
    )
    await page
      .getByRole('table', { name: 'By day' })
      .getByRole('row', { name: new RegExp(`^${rows[0]?.day} 1 \\d+ \\d+\\.\\d\\d USD`) })
      .waitFor()
    const { orderId } = await gateway.client().sale(payment('48.20'))
    await goInside(page, `${gateway.baseUrl}/portal/orders/${orderId}`)
    const postings = page.getByRole('table', { name: 'Postings' })
    await postings.getByRole('row', { name: 'Debits equal credits 96.40 USD 96.40 USD' }).waitFor()
    await leavePortal(watched)
  })

  test('a page whose files are gone says so, and is shown after Reload', async () => {
    const { page, watched } = await open('/', { isFresh: true })
    const files = /\/reconciliation-page-[^/]*\.js$/
    await page.route(files, (route) => route.abort())
    await page.getByRole('link', { name: 'Reconciliation' }).click()
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor()
    await page.unroute(files)
    await page.getByRole('button', { name: 'Reload' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Reconciliation' }).waitFor()
    await leavePortal(watched)
  })

  test('a link that does not work says so, and leads to the sign-in', async () => {
    const { context } = await watchedContext(browser)
    await context.addInitScript({ path: AXE })
    const page = await context.newPage()
    await page.goto(`${gateway.baseUrl}/portal/invitation#${'A'.repeat(43)}`)
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
    assert.deepEqual(await findings(page), [])
    await page.getByRole('link', { name: 'Go to sign-in' }).press('Enter')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await context.close()
  })

  test('a user whose password has expired chooses a new one before anything else', async () => {
    const late = await addPortalUser(gateway, 'support')
    await gateway.pool.query(
      'update portal_users set password_changed_at = now() - make_interval(days => $2) where id = $1',
      [late.id, PASSWORD_DAYS + 1],
    )
    const { context } = await watchedContext(browser)
    await context.addInitScript({ path: AXE })
    const page = await context.newPage()
    await page.goto(`${gateway.baseUrl}/portal/orders`)
    await page.getByLabel('E-mail').fill(late.email)
    await page.locator('input[autocomplete=current-password]').fill(late.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Your password has expired.').waitFor()
    assert.equal(await page.getByRole('navigation', { name: 'Portal' }).count(), 0)
    assert.deepEqual(await findings(page), [])
    await page.locator('input[autocomplete=current-password]').fill(late.password)
    await page.locator('input[autocomplete=new-password]').fill('Kettle-and-lid-28')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await context.close()
  })

  test('lists and the home page of a merchant without a payment say what is missing', async () => {
    const { page, watched } = await open('/', { portalUser: OTHER_OWNER })
    for (const [path, text] of [
      ['/orders', 'No orders yet'],
      ['/transactions', 'No transactions yet'],
      ['/customers', 'No customers yet'],
      ['/memberships', 'No memberships yet'],
      ['/renewals', 'Nothing due'],
      ['/products', 'No products yet'],
      ['/open-authorizations', 'No open authorizations'],
      ['/reconciliation', 'Not compared yet'],
      ['/developer/requests', 'No requests yet'],
    ] as const) {
      await page.evaluate((to) => history.pushState(null, '', `/portal${to}`), path)
      await page.getByText(text).first().waitFor()
    }
    const complaints = watched.console.filter((line) => !line.includes('status of 401'))
    assert.deepEqual(complaints, [])
    await leavePortal(watched)
  })
})
