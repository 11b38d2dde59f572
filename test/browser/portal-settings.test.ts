import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { liveAccountFile, startLiveAcquirer, type LiveAcquirer } from '../support/live-acquirer.ts'
import { payment, untilRow, VISA } from '../support/payments.ts'
import { addPortalUser, signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { putAxe, seriousFindings, seriousFindingsInDialog } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { goInside, openPortal, untilLoaded } from './portal.ts'

const PAGES = [
  '/settings',
  '/settings/sites/1001',
  '/settings/sites/1001?tab=accounts',
  '/settings/sites/1001?tab=checks',
  '/settings/sites/1001?tab=three-ds',
  '/settings/sites/1003?tab=card-testing',
  '/settings/sites/1001?tab=tokens',
  '/settings/sites/1001?tab=mail',
  '/settings/sites/1001?tab=mode',
  '/settings/api-users',
  '/settings/api-users?user=demo%40tollgate.test',
]

suite('settings in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let owner: SignedInUser
  let live: LiveAcquirer
  let operator: Operator
  before(async () => {
    gateway = await startRunningGateway()
    live = await startLiveAcquirer('acme-live')
    operator = await openOperator({
      databaseUrl: new Secret(gateway.databaseUrl),
      vaultKey: gateway.vaultKey,
    })
    browser = await launchHeadlessShell()
    owner = await signIn(gateway)
    for (let at = 0; at < 3; at += 1) await gateway.client().authorize(payment('12.00'))
    await untilRow(
      gateway,
      'they are in the request log',
      'select from requests where transaction_id is not null having count(*) >= 3',
    )
  })
  after(async () => {
    await browser?.close()
    await operator?.close()
    await gateway?.stop()
    await live?.stop()
  })

  /** Opens a page, and sees to it that nothing unexpected was complained of while it was used. */
  async function withPage(
    options: Parameters<typeof openPortal>[2],
    use: (page: Page, watched: Watched) => Promise<void>,
    expected: RegExp = /status of 401/,
  ): Promise<void> {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, options)
    await use(page, watched)
    assert.deepEqual(
      watched.console.filter(
        (line) =>
          /^(error|warning)/.test(line) && !expected.test(line) && !/status of 401/.test(line),
      ),
      [],
    )
    assert.deepEqual(await watched.violations(), [])
    assert.doesNotMatch(await page.content(), new RegExp(VISA))
    await leavePortal(watched)
  }
  const saved = (page: Page) =>
    page.getByText('Saved. The change takes effect within').first().waitFor()

  test('an owner sees what other checks would have refused, reviews the change, and saves it', async () => {
    await withPage({ path: '/settings/sites/1001?tab=checks' }, async (page) => {
      await page.getByText(/All [0-9]+ approvals .* would have been kept/).waitFor()
      await page
        .getByRole('radiogroup', { name: 'Address check mode' })
        .getByLabel('T: must match')
        .check()
      await page
        .getByRole('group', { name: 'Accepted results' })
        .first()
        .getByLabel('M Street and postal code match')
        .uncheck()
      await page
        .getByText(/Of [0-9]+ approvals .*, [1-9][0-9]* would have been declined/)
        .first()
        .waitFor()
      await page.getByRole('button', { name: 'Review and save' }).click()
      const review = page.getByRole('dialog')
      await review
        .getByRole('row', { name: 'Address check (AVS) I: for information T: must match' })
        .waitFor()
      await review.getByText(/would have been declined/).waitFor()
      await review.getByRole('button', { name: 'Save' }).click()
      await saved(page)
    })
    const { settings } = (await owner.get('/settings/sites/1001')).body
    assert.deepEqual([settings.avsMode, settings.avsMatchSet.includes('M')], ['T', false])
    await owner.put('/settings/sites/1001', { changes: { avsMode: 'I' }, seen: {} })
  })

  test('two portal users at once: the second sees both values, and decides', async () => {
    await withPage(
      { path: '/settings/sites/1003' },
      async (page) => {
        await page.getByLabel('Name', { exact: true }).fill('Mine')
        await owner.put('/settings/sites/1003', { changes: { name: 'Theirs' }, seen: {} })
        await page.getByRole('button', { name: 'Review and save' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
        await page.getByRole('row', { name: /Name Demo Shop 1003 Theirs Mine/ }).waitFor()
        await page.getByRole('button', { name: 'Keep my values' }).click()
        await page.getByRole('button', { name: 'Review and save' }).click()
        await page.getByRole('dialog').getByRole('row', { name: 'Name Theirs Mine' }).waitFor()
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
        await saved(page)
      },
      /status of 409/,
    )
    assert.equal((await owner.get('/settings/sites/1003')).body.settings.name, 'Mine')
  })

  test('a user who leaves with changes is asked, and each error is shown at its field', async () => {
    await withPage(
      { path: '/settings/sites/1003' },
      async (page) => {
        await page.getByLabel('Default product').fill(' ')
        await page.getByRole('link', { name: 'API users' }).click()
        await page
          .getByRole('dialog', { name: 'Leave without saving?' })
          .getByRole('button', { name: 'Stay' })
          .click()
        await page.getByRole('button', { name: 'Review and save' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
        await page.getByText('The default product must have 1 to 64').first().waitFor()
        assert.equal(await page.getByLabel('Default product').getAttribute('aria-invalid'), 'true')
        await page.getByRole('tab', { name: '3-D Secure' }).click()
        await page.getByRole('button', { name: 'Discard changes' }).click()
        await page.getByText('Decline if browser data').waitFor()
      },
      /status of 400/,
    )
  })

  test('velocity rules are started, tried on the past, and watched', async () => {
    await withPage({ path: '/settings/sites/1001?tab=card-testing' }, async (page) => {
      await page.getByRole('button', { name: 'Start with the default rules' }).click()
      const rule = page.getByRole('group', { name: 'Rule card-declines' })
      await rule.getByLabel('Count', { exact: true }).click()
      await page.getByRole('option', { name: 'attempts' }).click()
      await rule.getByLabel('Limit').fill('1')
      await page.getByRole('button', { name: 'Test on the last 7 days' }).click()
      await page
        .getByText(/would have declined [1-9][0-9]*\. The bank approved [1-9][0-9]* of those/)
        .waitFor()
      await page.getByRole('button', { name: 'Review and save' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await saved(page)
      await page.getByText('Watch', { exact: true }).click()
      await page.getByRole('dialog').waitFor()
      assert.deepEqual(await seriousFindingsInDialog(page), [])
      await page.getByRole('button', { name: 'Set to watch' }).click()
      await page.getByText('Velocity rules: watch').waitFor()
    })
    const { cardTesting } = (await owner.get('/settings/sites/1001')).body
    assert.deepEqual(
      [cardTesting.mode, cardTesting.rules.length, cardTesting.rules[0].limit],
      ['watch', 6, 1],
    )
  })

  test('by keyboard alone an API user is made; its password is shown once, and is not in the page afterwards', async () => {
    await withPage({ path: '/settings/api-users' }, async (page) => {
      await page.getByRole('button', { name: 'Create API user' }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Create API user' }).locator('input:focus').waitFor()
      await page.keyboard.type('till-7')
      await page.keyboard.press('Enter')
      const password = await page.getByTestId('secret').textContent()
      assert.match(password ?? '', /^[A-Za-z0-9_-]{32}$/)
      const close = page
        .getByRole('dialog')
        .filter({ has: page.getByTestId('secret') })
        .getByRole('button', { name: 'Close' })
      assert.ok(await close.isDisabled())
      await page.getByLabel('I have saved it').focus()
      await page.keyboard.press('Space')
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByTestId('secret').waitFor({ state: 'hidden' })
      const row = page.getByRole('row', { name: /till-7/ })
      await row.focus()
      await page.keyboard.press('Enter')
      await page
        .getByRole('dialog', { name: 'till-7' })
        .getByRole('button', { name: 'Create second password' })
        .waitFor()
      assert.ok(!(await page.content()).includes(password ?? '-'))
    })
  })

  test('an owner refuses an API user the events, and allows them again', async () => {
    const mayRead = async (): Promise<boolean | undefined> => {
      const { rows } = await gateway.pool.query<{ reads_api: boolean }>(
        `select reads_api from api_users where username = 'demo@tollgate.test'`,
      )
      return rows[0]?.reads_api
    }
    await withPage({ path: '/settings/api-users?user=demo%40tollgate.test' }, async (page) => {
      for (const [action, then] of [
        ['Refuse events', 'May not read events and lists.'],
        ['Allow events', 'May read events and lists.'],
      ] as const) {
        await page.getByRole('button', { name: action }).click()
        const confirm = page.getByRole('dialog', { name: /(?:Refuse|Let) demo@tollgate.test/ })
        await confirm.getByRole('button', { name: action }).click()
        await page.getByText(then).waitFor()
        await confirm.waitFor({ state: 'hidden' })
        assert.equal(await mayRead(), action === 'Allow events')
      }
    })
  })

  test('networks that would shut out who came of late are warned of before they are saved', async () => {
    await withPage({ path: '/settings/api-users?user=demo%40tollgate.test' }, async (page) => {
      await page.getByRole('combobox', { name: 'Allowed networks' }).fill('192.0.2.0/24')
      await page.keyboard.press('Enter')
      await page
        .getByRole('alert')
        .getByText(/127\.0\.0\.1 \([0-9]+ requests\)/)
        .waitFor()
      await page.getByRole('button', { name: 'Discard' }).click()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
    })
  })

  test('an owner asks for live mode, is shown no way to approve it, and a second portal user approves', async () => {
    assert.ok((await operator.putLink(live.linkFile(), live.folder)).ok)
    assert.ok((await operator.putAccount(liveAccountFile())).ok)
    await owner.post('/settings/api-users', { name: 'shop@live' })
    await owner.post('/settings/api-users/demo%40tollgate.test/disable')
    await owner.post('/settings/sites/1001/token-keys')
    await owner.remove('/settings/sites/1001/token-keys/previous')
    // As if the owner had taken a password of their own; the pages go on signing in with the one
    // that is known here.
    await gateway.pool.query(
      'update portal_users set published_password_hash = null where merchant_id = 1',
    )
    await untilRow(
      gateway,
      'the link is up',
      `select from processor_link_states where state = 'up'`,
    )
    const admin = await addPortalUser(gateway, 'admin')
    await withPage({ path: '/settings/sites/1001?tab=mode' }, async (page) => {
      await page.getByText('USD is taken by account 3001').waitFor()
      await page.getByRole('button', { name: 'Request live mode' }).click()
      await page.getByLabel('Reason (for the approver)').fill('The shop opens on Monday.')
      assert.deepEqual(await seriousFindingsInDialog(page), [])
      await page.getByRole('dialog').getByRole('button', { name: 'Request live mode' }).click()
      await page.getByRole('button', { name: 'Withdraw request' }).waitFor()
      assert.equal(await page.getByRole('button', { name: /^Approve/ }).count(), 0)
    })
    await withPage({ path: '/settings', portalUser: admin }, async (page) => {
      await page
        .getByRole('status')
        .getByText(/Requested by .*\. You can decide/)
        .waitFor()
      await page.getByRole('link', { name: 'Review the changes' }).click()
      await page.getByText('“The shop opens on Monday.”').waitFor()
      await page.getByRole('button', { name: 'Approve live mode' }).click()
      await page.getByRole('dialog').waitFor()
      assert.deepEqual(await seriousFindingsInDialog(page), [])
      await page.getByRole('dialog').getByRole('button', { name: 'Approve live mode' }).click()
      await page.getByText('The site is in live mode').first().waitFor()
      await page.getByText('Changes in test mode').waitFor()
    })
    assert.equal((await owner.get('/settings/sites/1001')).body.mode, 'live')
  })

  test('a read-only user finds nothing to change, and support finds no settings', async () => {
    await withPage(
      { path: '/settings/sites/1001', portalUser: await addPortalUser(gateway, 'finance') },
      async (page) => {
        await page.getByLabel('Name', { exact: true }).waitFor()
        assert.ok(await page.getByLabel('Name', { exact: true }).isDisabled())
        await page.getByRole('tab', { name: 'Test and live' }).click()
        await page.getByText('Changes in test mode').waitFor()
        assert.equal(await page.getByRole('button', { name: /Request|Approve/ }).count(), 0)
      },
    )
    await withPage(
      { path: '/settings', portalUser: await addPortalUser(gateway, 'support') },
      async (page) => {
        await page.getByText('Your role does not allow you to view settings').waitFor()
        assert.equal(await page.getByRole('link', { name: 'API users' }).count(), 0)
      },
      /status of 403/,
    )
  })

  test('axe finds nothing serious on any page, and none scrolls sideways at 360 or 2560 px', async () => {
    await withPage({ path: '/settings' }, async (page) => {
      await putAxe(page)
      for (const path of PAGES) {
        await goInside(page, `${gateway.baseUrl}/portal${path}`)
        await untilLoaded(page)
        for (const width of [2560, 360]) {
          await page.setViewportSize({ width, height: 900 })
          const over = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          )
          assert.ok(over <= 0, `${path} scrolls sideways by ${over} px at ${width} px`)
        }
        await page.setViewportSize({ width: 1280, height: 900 })
        assert.deepEqual(await seriousFindings(page), [], path)
      }
    })
  })
})
