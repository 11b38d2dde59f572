import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Secret as OtpSecret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { addPortalUser, OWNER, signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { AXE, findings, putAxe, seriousFindingsInDialog } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, watchedContext } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { goInside, openPortal, untilLoaded } from './portal.ts'

/**
 * The browsers' messages for the responses by which pages learn of a missing session, or of a
 * refusal.
 */
const EXPECTED = /Failed to load resource: the server responded with a status of 40[0139]/
const MARKUP = '<img src=x onerror="document.title=1">'

suite('portal users in the browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  before(async () => {
    ;[gateway, browser] = await Promise.all([startRunningGateway(), launchHeadlessShell()])
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const codeOf = (secret: string, steps = 0): string =>
    new TOTP({ secret: OtpSecret.fromBase32(secret) }).generate({
      timestamp: Date.now() + steps * 30_000,
    })

  async function typeSignIn(
    page: Page,
    portalUser: { email: string; password: string },
  ): Promise<void> {
    await page.getByLabel('E-mail').fill(portalUser.email)
    await page.locator('input[autocomplete=current-password]').fill(portalUser.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  test('an owner invites a user, who comes by the link, sets up a second factor, signs in with it and turns it off', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/users' })
    await page.getByRole('button', { name: 'Invite user' }).click()
    await page.getByLabel('E-mail').fill('bea@shop.example')
    await page.getByLabel('Name').fill('Bea Keeper')
    await page.getByLabel('Refund limit').fill('250')
    const limit = await page.getByRole('textbox', { name: 'Refund limit' }).boundingBox()
    const currency = await page.getByRole('combobox', { name: 'Currency' }).boundingBox()
    assert.equal(limit?.y, currency?.y, 'the limit and its currency stand beside each other')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    const address = (await page.getByLabel('Link', { exact: true }).textContent()) ?? ''
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Bea Keeper.*250\.00 USD.*invited/ }).waitFor()

    const theirs = await watchedContext(browser)
    await theirs.context.addInitScript({ path: AXE })
    const bea = await theirs.context.newPage()
    const { pathname, hash } = new URL(address)
    await bea.goto(`${gateway.baseUrl}${pathname}${hash}`)
    await bea.getByRole('heading', { name: 'Welcome to Demo Shop' }).waitFor()
    assert.deepEqual(await findings(bea), [])
    await bea.locator('input[autocomplete=new-password]').fill('short')
    await bea.locator('input[autocomplete=new-password]').fill('Bees-and-keepers-1')
    await bea.getByRole('button', { name: 'Set password and continue' }).click()
    await bea.getByRole('navigation', { name: 'Portal' }).waitFor({ state: 'attached' })
    await bea.getByRole('button', { name: 'Signed in as Bea Keeper' }).click()
    await bea.getByRole('menuitem', { name: 'My account' }).click()
    await bea.getByRole('button', { name: 'Set up second factor' }).click()
    const secret = (
      (await bea.getByRole('dialog').locator('code').first().textContent()) ?? ''
    ).replaceAll(' ', '')
    await bea.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret))
    await bea.locator('input[autocomplete=current-password]').fill('Bees-and-keepers-1')
    await bea.getByRole('button', { name: 'Turn on' }).click()
    const codes = (await bea.getByLabel('Recovery codes').textContent())?.split('\n') ?? []
    assert.equal(codes.length, 10)
    await bea.getByRole('button', { name: 'I have saved them' }).click()
    await bea.getByText(/on since/).waitFor()

    const codesDialog = bea.getByRole('dialog', { name: 'New recovery codes' })
    const newCodes = bea.getByRole('button', { name: 'New recovery codes' })
    await newCodes.press('Enter')
    await codesDialog.waitFor()
    await bea.keyboard.press('Escape')
    await codesDialog.waitFor({ state: 'detached' })
    await newCodes.and(bea.locator(':focus')).waitFor()
    await bea.getByText('10 left').waitFor()
    await bea.keyboard.press('Enter')
    await bea.locator('input[autocomplete=current-password]').fill('Bees-and-keepers-1')
    await bea.keyboard.press('Enter')
    await codesDialog.getByLabel('Recovery codes').waitFor()
    const others = (await codesDialog.getByLabel('Recovery codes').textContent())?.split('\n') ?? []
    assert.equal(new Set([...codes, ...others]).size, 20)
    await bea.getByRole('button', { name: 'I have saved them' }).press('Enter')
    await codesDialog.waitFor({ state: 'detached' })

    await bea.getByRole('button', { name: 'Signed in as Bea Keeper' }).click()
    await bea.getByRole('menuitem', { name: 'Sign out' }).click()
    await typeSignIn(bea, { email: 'bea@shop.example#1', password: 'Bees-and-keepers-1' })
    await bea.getByRole('textbox', { name: 'Code' }).fill('000000')
    await bea.getByRole('button', { name: 'Continue' }).click()
    await bea.getByRole('alert').waitFor()
    await bea.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, 1))
    await bea.getByRole('button', { name: 'Continue' }).click()
    await bea.getByRole('button', { name: 'Signed in as Bea Keeper' }).click()
    await bea.getByRole('menuitem', { name: 'My account' }).click()
    const offDialog = bea.getByRole('dialog', { name: 'Turn off second factor' })
    const turnOff = bea.getByRole('button', { name: 'Turn off' })
    await turnOff.press('Enter')
    await offDialog.locator('input').fill('Bees-and-keepers-1')
    await bea.keyboard.press('Escape')
    await offDialog.waitFor({ state: 'detached' })
    await bea.getByText(/on since/).waitFor()
    await turnOff.press('Enter')
    await offDialog.locator('input').fill('Bees-and-keepers-1')
    await bea.keyboard.press('Enter')
    await bea.getByText('Off (password only)').waitFor()

    // The link is in no address that a server got to see.
    assert.ok(theirs.requests.every(({ url }) => !url.includes(hash.slice(1))))
    for (const each of [watched, theirs]) {
      assert.deepEqual(await each.violations(), [])
      assert.deepEqual(
        each.console.filter((line) => line.startsWith('error') && !EXPECTED.test(line)),
        [],
      )
      await each.context.close()
    }
  })

  test('a session that ends in the middle of a form is signed in again above it, and what was typed stays', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/users' })
    await page.getByRole('button', { name: 'Invite user' }).click()
    await page.getByLabel('E-mail').fill('half@shop.example')
    await page.getByLabel('Name').fill('Half typed')
    await gateway.pool.query('update portal_sessions set ended_at = now() where ended_at is null')
    await page.getByRole('button', { name: 'Create invitation' }).click()

    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.locator('input[autocomplete=current-password]').fill(OWNER.password)
    assert.deepEqual(await seriousFindingsInDialog(page), [])
    await again.getByRole('button', { name: 'Sign in' }).click()
    await again.waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Name').inputValue(), 'Half typed')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await page.getByLabel('Link', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()

    // Another user who signs in there gets a page of their own.
    const other = await addPortalUser(gateway, 'admin')
    await page.getByRole('button', { name: 'Invite user' }).click()
    await page.getByLabel('Name').fill('Of the owner')
    await gateway.pool.query('update portal_sessions set ended_at = now() where ended_at is null')
    await page.getByLabel('E-mail').fill('x@shop.example')
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await again.getByLabel('E-mail').fill(other.email)
    await again.locator('input[autocomplete=current-password]').fill(other.password)
    await again.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Signed in as Pat admin' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await leavePortal(watched)
  })

  test('an idle user is warned a minute before the end, stays by a button, and is not kept in by the page', async () => {
    const watched = await watchedContext(browser)
    const page = await watched.context.newPage()
    await page.clock.install()
    await page.goto(`${gateway.baseUrl}/portal/account`)
    await typeSignIn(page, OWNER)
    await page.getByRole('heading', { name: 'My account' }).waitFor()
    const age = (minutes: number) =>
      gateway.pool.query(
        `update portal_sessions set last_seen_at = now() - make_interval(mins => $1) where ended_at is null`,
        [minutes],
      )
    const look = () =>
      Promise.all([page.waitForResponse(/session\/left/), page.clock.runFor(61_000)])

    await look() // This request reports the typing at the sign-in.
    await age(14)
    await look()
    const warning = page.getByRole('dialog', { name: 'Are you still there?' })
    await warning.waitFor()
    assert.deepEqual(await seriousFindingsInDialog(page), [])
    await Promise.all([page.waitForResponse(/session\/left/), page.clock.runFor(2_000)])
    const { rows } = await gateway.pool.query<{ idle: number }>(
      `select extract(epoch from now() - max(last_seen_at))::float8 as idle from portal_sessions where ended_at is null`,
    )
    assert.ok((rows[0]?.idle ?? 0) >= 14 * 60, 'the page kept its own session open')
    await warning.getByRole('button', { name: 'Stay signed in' }).click()
    await warning.waitFor({ state: 'detached' })

    await age(15)
    await look()
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
    await leavePortal(watched)
  })

  test('a name that is markup is a name in every list, and the audit log says who did what', async () => {
    const owner = await signIn(gateway)
    await owner.post('/users', {
      email: 'markup@shop.example',
      name: MARKUP,
      role: 'support',
      refundLimit: null,
    })
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/users' })
    await page.getByText(MARKUP).waitFor()
    await goInside(page, `${gateway.baseUrl}/portal/audit?object=markup`)
    await page
      .getByRole('row', {
        name: /owner@tollgate\.test.*portal_user\.invited.*portal user markup@shop\.example/,
      })
      .waitFor()
    await page.getByRole('button', { name: 'Verify log' }).click()
    await page.getByText(/The log is intact: \d+ entries verified/).waitFor()
    await page.getByRole('button', { name: 'Download' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: /CSV/ }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'audit-log.csv')

    assert.deepEqual(await watched.violations(), [])
    assert.notEqual(await page.title(), '1')
    await leavePortal(watched)
  })

  test('a role without the right finds neither entry nor button, and is refused at the address', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: '/account',
      portalUser: await addPortalUser(gateway, 'support'),
    })
    await page.getByRole('heading', { name: 'My account' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Portal users' }).count(), 0)
    await page.goto(`${gateway.baseUrl}/portal/users`)
    await page.getByText(/Your role does not allow you to view portal users/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Invite user' }).count(), 0)
    await leavePortal(watched)
  })

  test('two admins disable a third, and the owner sees a user who came in by a reset link', async () => {
    const [one, two, third] = [
      await addPortalUser(gateway, 'admin'),
      await addPortalUser(gateway, 'admin'),
      await addPortalUser(gateway, 'admin'),
    ]
    await gateway.pool.query(`update portal_users set name = 'Third Admin' where id = $1`, [
      third.id,
    ])
    const first = await openPortal(browser, gateway.baseUrl, { path: '/users', portalUser: one })
    await first.page.getByRole('button', { name: 'Require approval' }).click()
    await first.page
      .getByRole('dialog', { name: 'Require approval?' })
      .getByRole('button', { name: 'Require approval' })
      .click()
    await first.page.getByText('A second user approves changes of users with').first().waitFor()
    await first.page.getByRole('button', { name: 'Actions for Third Admin' }).click()
    await first.page.getByRole('menuitem', { name: 'Disable' }).click()
    await first.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await first.page.getByText('Your request: another user must decide').waitFor()
    assert.equal(await first.page.getByRole('button', { name: 'Approve' }).count(), 0)

    const other = await openPortal(browser, gateway.baseUrl, { path: '/users', portalUser: two })
    await other.page.getByRole('button', { name: 'Approve' }).click()
    await other.page
      .getByRole('dialog', { name: 'Approve: Disable Third Admin?' })
      .getByRole('button', { name: 'Approve' })
      .click()
    await other.page.getByRole('row', { name: /Third Admin.*disabled/ }).waitFor()

    await gateway.pool.query(
      `update portal_users set active = true, came_in_by = $2, came_in_at = now() where id = $1`,
      [third.id, one.email],
    )
    const owner = await openPortal(browser, gateway.baseUrl, { path: '/' })
    await owner.page.getByText(`Third Admin came in by a reset link from ${one.email}`).waitFor()
    for (const { watched } of [first, other, owner]) {
      assert.deepEqual(await watched.violations(), [])
      await leavePortal(watched)
    }
    await gateway.pool.query('update merchants set peer_approval = false')
  })

  test('a user is invited by keyboard alone', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/users' })
    await page.getByRole('button', { name: 'Invite user' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByLabel('E-mail').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('keys@shop.example')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Kay Board')
    await page.keyboard.press('Enter')
    await page.getByLabel('Link', { exact: true }).waitFor()
    await page.getByRole('dialog', { name: 'Link for Kay Board' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /Kay Board/ }).waitFor()
    await leavePortal(watched)
  })

  test('its pages have no serious fault for assistive programs, and none scrolls sideways', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: '/users' })
    await putAxe(page)
    for (const path of ['/users', '/roles', '/audit', '/account']) {
      await goInside(page, `${gateway.baseUrl}/portal${path}`)
      await page.getByRole('table').first().waitFor()
      await untilLoaded(page)
      assert.deepEqual(await findings(page), [], path)
      for (const width of [360, 2560]) {
        await page.setViewportSize({ width, height: 900 })
        // The navigation slides away first.
        await page.waitForFunction(
          () => document.documentElement.scrollWidth <= innerWidth,
          undefined,
          { timeout: 10_000 },
        )
      }
      await page.setViewportSize({ width: 1280, height: 900 })
    }
    assert.deepEqual(await watched.violations(), [])
    await leavePortal(watched)
    const { context } = await watchedContext(browser)
    await context.addInitScript({ path: AXE })
    const signIn = await context.newPage()
    await signIn.goto(`${gateway.baseUrl}/portal/`)
    await signIn.getByRole('button', { name: 'Sign in' }).waitFor()
    assert.deepEqual(await findings(signIn), [])
    await context.close()
  })
})
