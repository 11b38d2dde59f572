import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { operatorActor } from '../../packages/gateway/src/wiring/operator-actor.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { readVersion } from '../../packages/tollgate/src/version.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { linkFiles } from '../support/console-links.ts'
import { codeOf, operatorsCommand, signInOperator, tokenOf } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { startLiveAcquirer } from '../support/live-acquirer.ts'
import { outcome, payment, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { AXE, findings, seriousFindings, seriousFindingsInDialog } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, watchedContext } from './chromium.ts'
import { CONSOLE_DIALOG_WAYS, PLANTED_MERCHANT } from './console-dialogs.ts'
import { focusFaults } from './dialog-focus.ts'
import { look } from './look.ts'
import { openPortal } from './portal.ts'

const PASSWORD = 'Quartz-jumps-vexed-8431'

suite('the pages of the console', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let url = ''
  /** The page of the operator who signed in. */
  let shown: Page | null = null
  /** The merchant whose application an operator took, and a client of its site. */
  let day: { merchant: string; site: string; shop: SingleRequestClient } | null = null
  before(async () => {
    const [port] = await freePorts(1)
    url = `http://127.0.0.1:${port}`
    ;[gateway, browser] = await Promise.all([
      startRunningGateway({ CONSOLE_PORT: String(port) }),
      launchHeadlessShell(),
    ])
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

  test('an operator goes from the invitation to a disabled merchant, and the log has their name', async () => {
    const invited = await operatorsCommand(gateway, url, 'invite ina@ops.example owner Ina Ops')
    assert.equal(invited.code, 0, invited.err)
    const watched = await watchedContext(browser, { viewport: { width: 1280, height: 900 } })
    await watched.context.addInitScript({ path: AXE })
    const page = await watched.context.newPage()
    await page.goto(`${url}/console/invitation#${tokenOf(invited.out)}`)
    await page.locator('input[autocomplete=new-password]').fill(PASSWORD)
    await button(page, 'Set password and continue').click()

    const secret = (await page.locator('code').first().textContent()) ?? ''
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret.replaceAll(' ', '')))
    await button(page, 'Turn on').click()
    await button(page, 'I have saved them').click()

    await page.getByRole('navigation', { name: 'Console' }).waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('other')
    await page.getByRole('link', { name: 'Other Shop' }).click()
    await page.getByRole('heading', { level: 1, name: 'Other Shop' }).waitFor()
    assert.deepEqual(await findings(page), [])

    const shop = gateway.client(1002)
    const sold = await shop.sale(payment('11.00'))
    assert.equal(sold.status, 'APPROVED')
    await button(page, 'Disable').click()
    await page.getByLabel('Reason').fill('stolen cards')
    await button(page, 'Disable Other Shop').click()
    await page.getByText('This merchant is disabled').waitFor()
    await eventually('a refused payment', async () => {
      const refused = await shop.sale(payment('12.00'))
      return outcome(refused) === 'REFUSED 102/0'
    })

    await button(page, 'Enable').click()
    await button(page, 'Enable Other Shop').click()
    await page.getByText('Other Shop is enabled.').waitFor()
    await eventually('an approved payment', async () => {
      const again = await shop.sale(payment('13.00'))
      return again.status === 'APPROVED'
    })
    const { rows } = await gateway.pool.query(
      `select actor, operation from audit_entries
        where operation in ('merchant.disabled', 'merchant.enabled') order by number`,
    )
    assert.deepEqual(rows, [
      { actor: 'console:ina@ops.example', operation: 'merchant.disabled' },
      { actor: 'console:ina@ops.example', operation: 'merchant.enabled' },
    ])
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByRole('row', { name: /Advices to banks/ }).waitFor()
    assert.deepEqual(await findings(page), [])
    const origins = new Set(watched.requests.map(({ url: each }) => new URL(each).origin))
    assert.deepEqual([...origins], [url])
    shown = page
  })

  test('an operator sees the portal of a merchant until its owner ends the visit', async () => {
    const page = shown ?? assert.fail('no operator is signed in')
    await page.getByRole('link', { name: 'Merchants' }).click()
    await page.getByRole('searchbox', { name: 'Search' }).fill('demo')
    await page.getByRole('link', { name: /^Demo/ }).click()
    await button(page, 'Visit the portal').click()
    await page.getByLabel('Reason').fill('card 4111 1111 1111 1111')
    await button(page, 'Begin the visit').click()
    await page
      .getByRole('alert')
      .getByText(/card number/)
      .waitFor()
    await page.getByLabel('Reason').fill('ticket 17')
    assert.deepEqual(await seriousFindingsInDialog(page), [])
    await button(page, 'Begin the visit').click()
    const bar = page.getByRole('note').filter({ hasText: 'Support visit, read-only.' })
    await bar.getByText(/the portal of Demo \w+ until .*\. Reason: ticket 17$/).waitFor()
    assert.equal(new URL(page.url()).origin, url)
    assert.deepEqual(await seriousFindings(page), [])

    const { page: owner } = await openPortal(browser, gateway.baseUrl, { isFresh: true })
    await owner.getByText(/Ina Ops \(ina@ops.example\), an operator of the/).waitFor()
    await button(owner, 'End visit').click()
    await button(owner, 'End the visit').click()
    await owner.getByText('The support visit is over.').waitFor()
    await eventually('the end of the bar', async () => {
      return (await button(owner, 'End visit').count()) === 0
    })

    await page.getByRole('navigation').getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByRole('heading', { name: 'The support visit is over' }).waitFor()
    await page.getByRole('link', { name: 'Back to the console' }).click()
    await page.getByRole('cell', { name: /by portal:owner@tollgate.test/ }).waitFor()
    assert.deepEqual(await findings(page), [])
  })

  /** Types a card number, sees it refused, and types the text instead. */
  async function fillAfterCard(page: Page, label: string, text: string, action: string) {
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: label, exact: true }).fill(CARD)
    await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
    const alert = dialog.getByRole('alert').filter({ hasText: /card number/ })
    await alert.waitFor()
    assert.ok(!((await alert.textContent()) ?? '').includes(CARD))
    await dialog.getByRole('textbox', { name: label, exact: true }).fill(text)
  }

  async function commit(page: Page, action: string, done: RegExp): Promise<string> {
    await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click()
    const shownDone = page.getByRole('alert').filter({ hasText: done })
    await shownDone.waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    return /\d+/.exec((await shownDone.textContent()) ?? '')?.[0] ?? ''
  }

  async function fillAccount(page: Page, link: RegExp, bank: string, currency: string) {
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Link' }).click()
    await page.getByRole('option', { name: link }).click()
    for (const [label, text] of [
      ['Name of the bank', bank],
      ['Merchant id at the acquirer', 'DAYSHOP1'],
      ['Acquirer id', '414000'],
      ['Category code', '5999'],
      ['Currencies', currency],
      ['Name on statements', 'Day Shop'],
      ['City', 'Berlin'],
      ['Country', 'DE'],
    ] as const) {
      await dialog.getByRole('textbox', { name: label, exact: true }).fill(text)
    }
  }

  const atConsole = async (page: Page, to: string): Promise<void> => {
    const entry = page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: to })
    await entry.click()
    await page.getByRole('heading', { level: 1, name: to }).waitFor()
  }

  /** Registers an account for 3-D Secure, allows it credits, and has the site require it. */
  async function setFeatures(page: Page, account: string, site: string): Promise<void> {
    const dialog = page.getByRole('dialog')
    await button(page, `Details of account ${account}`).click()
    assert.equal(await dialog.getByLabel('City').inputValue(), 'Berlin')
    await dialog.getByLabel('City').fill('Hamburg')
    await dialog.getByLabel('Currencies').fill('USD')
    await button(page, 'Set details').click()
    await dialog.getByText(/^EUR is the default currency of a site/).waitFor()
    await dialog.getByLabel('Currencies').fill('EUR')
    await fillAfterCard(page, 'Name on statements', 'Day and Night', 'Set details')
    await button(page, 'Set details').click()
    await page.getByText(`The details of account ${account} were changed.`).waitFor()
    await dialog.waitFor({ state: 'detached' })

    await button(page, `3-D Secure of account ${account}`).click()
    await fillAfterCard(page, 'Requestor id', 'DAY-SHOP-1', 'Set 3-D Secure')
    await dialog.getByLabel('Requestor URL').fill('https://day.example')
    await button(page, 'Set 3-D Secure').click()
    await dialog.waitFor({ state: 'detached' })
    await page
      .getByRole('row', { name: /Day Bank/ })
      .getByText('on', { exact: true })
      .waitFor()

    await button(page, `Credits of account ${account}`).click()
    await dialog.getByLabel('The account takes unreferenced credits').check({ force: true })
    await button(page, 'Set credits').click()
    await page.getByText('Takes unreferenced credits').waitFor()
    await dialog.waitFor({ state: 'detached' })

    await button(page, `3-D Secure of site ${site}`).click()
    await dialog.getByLabel('Decline if browser data is missing').check({ force: true })
    await button(page, 'Set 3-D Secure').click()
    await page.getByText('required, authorize if unavailable').waitFor()
    await dialog.waitFor({ state: 'detached' })
  }

  /** Sets a plan of fees by the form, replaces it by a file, and goes back to the merchant. */
  /** Creates the link away by its file, of which it forgets the key at first. */
  async function putLink(page: Page): Promise<void> {
    const { sent } = await linkFiles({ name: 'away', mode: 'test' })
    const choose = async (names: readonly string[]): Promise<void> => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        button(page, 'Choose PEM files').click(),
      ])
      const files = sent.pem.filter(({ name }) => names.includes(name))
      await chooser.setFiles(
        files.map(({ name, text }) => {
          return { name, mimeType: 'application/x-pem-file', buffer: Buffer.from(text) }
        }),
      )
    }
    await atConsole(page, 'Links')
    await button(page, 'Create or change a link').click()
    await page.getByLabel('File of the link').fill(sent.file)
    await choose(['ca.pem', 'client.pem'])
    await button(page, 'Preview').click()
    await page.getByText('which is not among the chosen files').waitFor()
    await choose(['client.key'])
    await button(page, 'Preview').click()
    const changes = page.getByRole('table', { name: 'Changes of away' })
    await changes.getByRole('row', { name: /Client certificate CN=gateway, ends/ }).waitFor()
    assert.ok(!(await page.locator('body').innerText()).includes('PRIVATE KEY'))
    assert.deepEqual(await findings(page), [])
    await look(page, 'console-link')
    await button(page, 'Set the link').click()
    await button(page, 'Create link').click()
    await page.getByText('The link away was created.').waitFor()
    await page.getByRole('row', { name: /^away/ }).waitFor()
  }

  async function setFees(page: Page, merchant: string): Promise<void> {
    const set = async (): Promise<void> => {
      await button(page, 'Set the plan').click()
      await button(page, 'Set plan').click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    const sample = page.getByRole('table', { name: 'Fees of the sample' })
    await page.getByRole('link', { name: 'Plans of fees' }).click()
    await page.getByText('the merchant is charged nothing').waitFor()
    await button(page, 'New plan').click()
    await page.getByLabel('Percent').fill('1,4')
    await page.getByText('rates.0.percent is "1,4"').waitFor()
    assert.ok(await button(page, 'Set the plan').isDisabled())
    await page.getByLabel('Percent').fill('1.4')
    await page.getByLabel('Fixed, EUR').fill('0.10')
    await sample.getByRole('cell', { name: '1.50 EUR' }).waitFor()
    assert.deepEqual(await findings(page), [])
    await set()
    await page.getByText('planned', { exact: true }).waitFor()

    await button(page, 'New plan').click()
    await page.getByText('File', { exact: true }).click()
    const typed = await page.getByLabel('File of the plan').inputValue()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      button(page, 'Choose a file').click(),
    ])
    // The price in USD lets the merchant have an account that takes it.
    const changed = typed.replace('"1.4"', '"2.9"').replace('"EUR":', '"USD": "0.10", "EUR":')
    const buffer = Buffer.from(changed)
    await chooser.setFiles({ name: 'plan.json', mimeType: 'application/json', buffer })
    await sample.getByRole('row', { name: /Sale .* 1\.50 EUR 3\.00 EUR/ }).waitFor()
    assert.deepEqual(await findings(page), [])
    await set()
    await page.getByRole('cell', { name: '2.9 %' }).waitFor()
    await page.getByRole('link', { name: `Merchant ${merchant}` }).click()
  }

  test('an operator takes a merchant from its application to payments, and the log has each operation under their name', async () => {
    const page = shown ?? assert.fail('no operator is signed in')
    await page.goto(`${url}/console/`)
    await atConsole(page, 'Merchants')
    await button(page, 'Create merchant').click()
    await fillAfterCard(page, 'Name', 'Day Shop', 'Create merchant')
    const dialogFaults = await seriousFindingsInDialog(page)
    const merchant = await commit(page, 'Create merchant', /Merchant \d+ was created/)
    await page.getByRole('heading', { level: 1, name: 'Day Shop' }).waitFor()

    await button(page, 'Create site').click()
    await fillAfterCard(page, 'Name', 'day.example', 'Create site')
    await page.getByLabel('Default currency').fill('EUR')
    const site = await commit(page, 'Create site', /Site \d+ was created/)

    await button(page, 'Create account').click()
    await fillAccount(page, /bundled bank/, 'Day Bank', 'EUR')
    await fillAfterCard(page, 'Name of the bank', 'Day Bank', 'Create account')
    dialogFaults.push(...(await seriousFindingsInDialog(page)))
    const account = await commit(page, 'Create account', /Account \d+ was created/)
    await page.getByRole('cell', { name: 'Day Bank' }).waitFor()

    await button(page, 'Invite the owner').click()
    await page.getByRole('textbox', { name: 'E-mail' }).fill('dora@day.example')
    await fillAfterCard(page, 'Name', 'Dora Day', 'Create link')
    await button(page, 'Create link').click()
    const link = (await page.getByLabel('Link', { exact: true }).textContent()) ?? ''
    await button(page, 'Done').click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(dialogFaults, [])
    assert.deepEqual(await findings(page), [])

    const portal = await watchedContext(browser, { viewport: { width: 1280, height: 900 } })
    const owner = await portal.context.newPage()
    await owner.goto(`${gateway.baseUrl}/portal/invitation${new URL(link).hash}`)
    await owner.locator('input[autocomplete=new-password]').fill(PASSWORD)
    await owner.locator('button[type=submit]').click()
    await owner.getByRole('navigation', { name: 'Portal' }).waitFor()
    await portal.context.close()

    const shop = await shopOf(merchant, site)
    day = { merchant, site, shop }
    await eventually('an approved payment', async () => {
      return (await shop.sale(payment('14.00'))).status === 'APPROVED'
    })

    await button(page, `Countries of account ${account}`).click()
    await page.getByRole('combobox', { name: 'Takes' }).click()
    await page.getByRole('option', { name: 'Only these countries' }).click()
    await page.getByRole('dialog').getByLabel('Countries').fill(CARD)
    await button(page, 'Set countries').click()
    await page
      .getByRole('alert')
      .getByText(/two capital letters/)
      .waitFor()
    await page.getByRole('dialog').getByLabel('Countries').fill('DE AT')
    await button(page, 'Set countries').click()
    await page.getByText('Countries: only AT, DE').waitFor()

    await button(page, `Demands of account ${account}`).click()
    await page.getByRole('combobox', { name: 'Brands' }).click()
    await page.getByRole('option', { name: 'Mastercard', exact: true }).click()
    // Leaves the list, which covers the button.
    await page.getByRole('dialog').getByLabel('Reason').fill('contract')
    await button(page, 'Set demands').click()
    await page.getByText('Brands: Mastercard').waitFor()
    await eventually('a declined Visa', async () => {
      return (await shop.sale(payment('15.00'))).status === 'DECLINED'
    })
    await button(page, `Demands of account ${account}`).click()
    await page.getByRole('combobox', { name: 'Brands' }).click()
    await page.getByRole('option', { name: 'Mastercard', exact: true }).click()
    // Leaves the list, which covers the button.
    await page.getByRole('dialog').getByLabel('Reason').fill('contract')
    await button(page, 'Set demands').click()
    await page.getByText('Brands: Mastercard').waitFor({ state: 'detached' })

    await setFeatures(page, account, site)
    await setFees(page, merchant)

    await button(page, 'New link for Dora Day').click()
    await page.getByLabel('Reason').fill('lost phone')
    assert.deepEqual(await seriousFindingsInDialog(page), [])
    await button(page, 'Create link').click()
    const renewed = (await page.getByLabel('Link', { exact: true }).textContent()) ?? ''
    assert.match(renewed, /\/portal\/invitation#/)
    await button(page, 'Done').click()

    for (const [opener, name] of [
      ['Rename', 'Day and Night Shop'],
      [`Rename site ${site}`, 'night.example'],
      [`Rename account ${account}`, 'Night Bank'],
    ] as const) {
      await button(page, opener).click()
      await fillAfterCard(page, 'Name', name, 'Rename')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.getByText(name, { exact: true }).first().waitFor()
    }

    await putLink(page)
    await page.goto(`${url}/console/merchants/${merchant}`)
    await button(page, 'Create account').click()
    await fillAccount(page, /^away/, 'Away Bank', 'USD')
    const awayAccount = await commit(page, 'Create account', /Account \d+ was created/)
    await atConsole(page, 'Links')
    await untilRow(
      gateway,
      'a link that fails',
      `select 1 from processor_link_states s join processor_links l on l.id = s.link_id
        where l.name = 'away' and s.last_error is not null`,
    )
    await page.reload()
    await page.getByRole('row', { name: /^away.*last error: / }).waitFor()
    assert.deepEqual(await findings(page), [])

    await page.goto(`${url}/console/merchants/${merchant}`)
    await button(page, 'Disable').click()
    await fillAfterCard(page, 'Reason', 'the application was false', 'Disable Day and Night Shop')
    await button(page, 'Disable Day and Night Shop').click()
    await page.getByText('This merchant is disabled').waitFor()
    await eventually('a refused payment', async () => {
      return outcome(await shop.sale(payment('15.00'))) === 'REFUSED 102/0'
    })
    await button(page, 'Enable').click()
    await button(page, 'Enable Day and Night Shop').click()
    await page.getByText('Day and Night Shop is enabled.').waitFor()

    await button(page, 'Visit the portal').click()
    await page.getByLabel('Reason').fill('first payments')
    await button(page, 'Begin the visit').click()
    await page.getByText(/the portal of Day and Night Shop until/).waitFor()
    await page.goto(`${url}/console/merchants/${merchant}`)
    await button(page, 'End visit').click()
    await page.getByText('The support visit is over.').waitFor()

    const { rows } = await gateway.pool.query<{ operation: string; object: string }>(
      `select operation, object from audit_entries
        where merchant_id = $1 and actor = 'console:ina@ops.example' order by number`,
      [merchant],
    )
    assert.deepEqual(
      rows.map(({ operation, object }) => `${operation} ${object}`),
      [
        `merchant.created merchant ${merchant}`,
        `site.created site ${site}`,
        `account.put account ${account}`,
        'portal_user.invited portal user dora@day.example',
        `account.limits_set account ${account}`,
        `account.demands_set account ${account}`,
        `account.demands_set account ${account}`,
        `account.details_set account ${account}`,
        `account.three_ds_set account ${account}`,
        `account.unreferenced_credits_set account ${account}`,
        `site.three_ds_set site ${site}`,
        `fees.plan_put merchant ${merchant}`,
        `fees.plan_put merchant ${merchant}`,
        'portal_user.reset portal user dora@day.example',
        `merchant.renamed merchant ${merchant}`,
        `site.settings_set site ${site}`,
        `account.put account ${account}`,
        `account.put account ${awayAccount}`,
        `merchant.disabled merchant ${merchant}`,
        `merchant.enabled merchant ${merchant}`,
        `support.visit_begun merchant ${merchant}`,
        `support.visit_ended merchant ${merchant}`,
      ],
    )
  })

  test('the health names the versions of the process and since when it runs', async () => {
    const page = shown ?? assert.fail('no operator is signed in')
    await page.goto(`${url}/console/health`)
    const processes = page.getByRole('table', { name: 'Processes' })
    await processes.getByRole('cell', { name: readVersion(), exact: true }).waitFor()
    await processes.getByRole('cell', { name: process.versions.node, exact: true }).waitFor()
    assert.equal(await processes.locator('time').count(), 1)
  })

  test('every dialog takes the focus, reads well, and gives the focus back', async () => {
    const page = shown ?? assert.fail('no operator is signed in')
    await gateway.pool.query(PLANT, [PLANTED_MERCHANT])
    const invited = await operatorsCommand(gateway, url, 'invite vic@ops.example viewer Vic View')
    assert.equal(invited.code, 0, invited.err)
    page.setDefaultTimeout(10_000)
    const faults: string[] = []
    for (const way of CONSOLE_DIALOG_WAYS) {
      await page.goto(`${url}/console${way.path ?? '/merchants/1'}`)
      await way.before?.(page)
      const found = await focusFaults(page, way).catch((error: unknown) => [String(error)])
      faults.push(...found.map((fault) => `${way.file} ${way.dialog}: ${fault}`))
    }
    assert.deepEqual(faults, [])
  })

  async function operate(
    work: (operator: Operator) => Promise<{ readonly ok: boolean }>,
  ): Promise<void> {
    const { databaseUrl, vaultKey } = gateway
    const operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
    try {
      const done = await work(operator)
      assert.ok(done.ok, JSON.stringify(done))
    } finally {
      await operator.close()
    }
  }

  /** A program of the merchant, with an API user of its own. */
  async function shopOf(merchant: string, site: string) {
    const user = { username: 'day@day.example', password: 'Day-Quartz-8431-vexed' }
    const { username, password } = user
    await operate(({ users }) => users.add(Number(merchant), username, new Secret(password)))
    return createSingleRequestClient({ ...user, baseUrl: gateway.baseUrl, siteId: Number(site) })
  }

  test('an operator requests an operation on keys, which then waits for another operator', async () => {
    const page = shown ?? assert.fail('no operator is signed in')
    await page.getByRole('link', { name: 'Requests' }).click()
    await button(page, 'Request a key operation').click()
    await page.getByRole('combobox', { name: 'Operation' }).click()
    await page.getByRole('option', { name: 'Replace the key-encrypting key' }).click()
    await page.getByLabel('Id of the new key').fill('transit:transit/tollgate')
    await page.getByLabel('Reason').fill('yearly rotation')
    assert.deepEqual(await seriousFindingsInDialog(page), [])
    await button(page, 'Request').click()

    const name = 'Replace the key-encrypting key by transit:transit/tollgate'
    const card = page.getByRole('region', { name })
    await card.getByText('waits for a second operator').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    assert.deepEqual(await card.getByRole('button').allTextContents(), ['Withdraw'])
    assert.deepEqual(await findings(page), [])
  })

  test('the merchant takes its first live payment over a link that two operators put', async (t) => {
    const page = shown ?? assert.fail('no operator is signed in')
    const { merchant, site, shop } = day ?? assert.fail('no merchant applied')
    const otto = { email: 'otto@ops.example', role: 'owner', name: 'Otto Ops' }
    const [live, second] = await Promise.all([
      startLiveAcquirer('day-live'),
      signInOperator(gateway, url, otto),
    ])
    t.after(() => live.stop())

    await atConsole(page, 'Links')
    await button(page, 'Create or change a link').click()
    await page.getByLabel('File of the link').fill(live.linkFile())
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      button(page, 'Choose PEM files').click(),
    ])
    const pem = ['ca.pem', 'client.pem', 'client.key']
    await chooser.setFiles(pem.map((name) => join(live.folder, name)))
    await button(page, 'Preview').click()
    await button(page, 'Set the link').click()
    await page.getByRole('dialog').getByLabel('Reason').fill('contract of the shop')
    await page.getByRole('dialog').getByRole('button', { name: 'Request' }).click()
    // The dialog and the preview have the sentence too, before anything is requested.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('A second operator has to confirm').first().waitFor()
    const isOfLink = ({ sentence }: { sentence: string }) =>
      sentence.startsWith('Create link day-live')
    const request = (await second.send('GET', '/requests')).body.find(isOfLink)
    const approved = await second.send('POST', `/requests/${request.id}/approve`)
    assert.equal(approved.status, 200, approved.text)

    await page.goto(`${url}/console/merchants/${merchant}`)
    await button(page, 'Create account').click()
    await fillAccount(page, /^day-live/, 'Day Live', 'EUR USD')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Acquirer id' }).fill('')
    const account = await commit(page, 'Create account', /Account \d+ was created/)
    await operate(({ setSiteMode }) => setSiteMode(Number(site), 'live'))
    await eventually('a payment that the acquirer approved', async () => {
      const paid = await shop.sale(payment('16.00', { currency: 'EUR' }))
      return paid.status === 'APPROVED' && String(paid.raw['MERCH_ACCT_ID']) === account
    })
    await page.reload()
    await page.getByRole('row', { name: new RegExp(`^${site} .*live`) }).waitFor()

    const { rows } = await gateway.pool.query<{ line: string }>(
      `select operation || ' ' || object || ' by ' || actor as line from audit_entries
        where object in ('link day-live', $1, $2) order by number`,
      [`account ${account}`, `site ${site}`],
    )
    assert.deepEqual(
      rows.map(({ line }) => line).filter((line) => !/site\.(?:created|settings|three)/.test(line)),
      [
        'operator.change_requested link day-live by console:ina@ops.example',
        'link.put link day-live by console:otto@ops.example',
        'operator.change_approved link day-live by console:otto@ops.example',
        `account.put account ${account} by console:ina@ops.example`,
        `site.mode_set site ${site} by ${operatorActor()}`,
      ],
    )
  })
})

const CARD = '4111 1111 1111 1111'
/** A disabled merchant without users, and a request of the first operator. */
const PLANT = `
  with planted as (
    insert into merchants (id, name, disabled_at, disabled_by, disabled_reason)
    values ($1, 'Stopped', now(), 'console:ina@ops.example', 'planted'))
  insert into operator_requests (wanted, subject, seen, asked_by, asked_session)
  select '{"does":"disable_merchant","label":"Other","merchant":"2","reason":"planted"}',
         'merchant 2', 'enabled', operator_id, id
    from operator_sessions where ended_at is null and second_factor order by id limit 1`
