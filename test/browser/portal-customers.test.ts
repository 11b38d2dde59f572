import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ask, sale } from '../support/memberships.ts'
import { untilNoAdviceIsQueued } from '../support/payments.ts'
import { sellToMembers, type Members } from '../support/portal-members.ts'
import { addPortalUser } from '../support/portal.ts'
import { untilCharged } from '../support/renewals.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { putAxe, seriousFindings } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { goInside, openPortal } from './portal.ts'

suite('customers and memberships in the browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let members: Members
  before(async () => {
    gateway = await startRunningGateway({ REQUEST_RATE_LIMIT: '0' })
    browser = await launchHeadlessShell()
    members = await sellToMembers(gateway)
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

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
    const shown = (await page.content()).replaceAll(/[^0-9]{1,3}(?=[0-9])/g, '')
    for (const number of ['4444333322221111', '4012888888881881'])
      assert.ok(!shown.includes(number))
    await leavePortal(watched)
  }
  const heading = (page: Page, name: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name }).waitFor()

  test('a support agent finds a customer by last four, corrects the e-mail address and takes a card away', async () => {
    const { page, watched } = await visit('/customers', {
      portalUser: await addPortalUser(gateway, 'support'),
    })
    const search = page.getByLabel('Search', { exact: true })
    await search.fill('lindqvist ')
    await page.getByText('Theo Brandt').waitFor({ state: 'detached' })
    assert.equal(
      await search.inputValue(),
      'lindqvist ',
      'the blank stays, for the name that is typed behind it',
    )
    await search.fill('1881')
    await page.getByRole('row', { name: /Nora Lindqvist/ }).waitFor()
    await page.getByText('Theo Brandt').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Nora Lindqvist' }).click()
    await heading(page, 'Nora Lindqvist')
    await page.getByText('Possible duplicates').waitFor()

    await page.getByRole('button', { name: 'Edit contact' }).click()
    const form = page.getByRole('dialog', { name: 'Edit contact' })
    await form.getByLabel('E-mail').fill('nora lindqvist')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('an e-mail address has the form').waitFor()
    await form.getByLabel('E-mail').fill('nora@new.example.com')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('nora@new.example.com').waitFor()

    await page.getByRole('button', { name: /Delete Visa •••• 1111/ }).click()
    await page.getByText(/Membership \d+ charges it/).waitFor()
    assert.ok(await page.getByRole('button', { name: 'Delete card' }).isDisabled())
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: /Delete Visa •••• 1881/ }).click()
    await page.getByText('7.50 USD of 1 order can still be refunded').waitFor()
    await page.getByRole('button', { name: 'Delete card' }).click()
    await page.getByText(/deleted \d{4}/).waitFor()
    await leave({ page, watched }, 1)
  })

  test('a product is added by keyboard alone, and what is wrong is said at its field', async () => {
    const { page, watched } = await visit('/products')
    await page.getByRole('row', { name: /Gold membership/ }).waitFor()
    await page.getByRole('button', { name: 'Add a product' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.locator(':focus[maxlength="255"]').waitFor()
    await page.keyboard.type('Platinum')
    await page.keyboard.press('Tab')
    await page.keyboard.type('platinum')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('49.999')
    await page.keyboard.press('Enter')
    await page.getByText('Price is 49.999; expected an amount of USD').waitFor()
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /Platinum.*49\.99 USD/ }).waitFor()
    await leave({ page, watched }, 1)
  })

  test('another site on the page of products leaves the other pages at their site', async () => {
    const { page, watched } = await visit('/products')
    const head = page.getByRole('banner').getByRole('combobox', { name: 'Site' })
    const before = await head.inputValue()
    await page.getByRole('row', { name: /Gold membership/ }).waitFor()
    await page.getByRole('main').getByRole('combobox', { name: 'Site' }).click()
    await page.getByRole('option', { name: 'Demo Shop 1003' }).click()
    await page.getByRole('row', { name: /Gold membership/ }).waitFor({ state: 'detached' })
    assert.equal(await head.inputValue(), before)
    await page.getByRole('link', { name: 'Memberships' }).click()
    await page
      .getByRole('row', { name: /Gold membership/ })
      .first()
      .waitFor()
    await leave({ page, watched })
  })

  test('a failed renewal is retried from its page, and a second user who is late sees what happened', async () => {
    const id = members.failing['MBSHP_ID_1'] ?? ''
    const [one, other] = await Promise.all([
      visit(`/memberships/${id}`),
      visit(`/memberships/${id}`, { portalUser: await addPortalUser(gateway, 'support') }),
    ])
    await other.page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await other.page
      .getByRole('dialog')
      .getByText('The unpaid renewal of 19.95 USD is no longer charged.')
      .waitFor()

    await one.page.getByRole('button', { name: 'Retry now' }).click()
    await one.page.getByRole('button', { name: 'Charge 19.95 USD' }).dblclick()
    await one.page.getByText('The failed renewal is retried now.').first().waitFor()
    assert.equal((await untilCharged(gateway, id, 2)).length, 2)
    await one.page.getByText('attempt 2').waitFor()

    await other.page.getByRole('button', { name: 'Cancel now' }).click()
    await other.page
      .getByText(/owner@tollgate\.test changed the membership after you opened it/)
      .waitFor()
    await leave(one)
    await leave(other, 1)
  })

  test('an active membership gets another product and is cancelled where its period ends', async () => {
    const { page, watched } = await visit(`/memberships/${members.active['MBSHP_ID_1']}`)
    await page.getByRole('button', { name: 'Change product' }).click()
    await page.getByRole('combobox', { name: 'Product from the next renewal' }).click()
    await page.getByRole('option', { name: /Silver membership/ }).click()
    await page.getByText(/9\.95 USD is charged on \d{4}-\d\d-\d\d/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Change product' }).click()
    await page.locator('#main').getByText('Silver membership: 9.95 USD every month').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel at period end' }).click()
    await page.getByText('Cancellation scheduled.', { exact: true }).waitFor()
    // The narrow card of the facts has less room than a time with its zone.
    assert.ok((await page.locator('dd time').count()) > 1)
    assert.deepEqual(
      await page
        .locator('dd')
        .evaluateAll((cells) =>
          cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerHTML),
        ),
      [],
    )
    await leave({ page, watched })
  })

  test('an owner erases the data of a customer, and the page says so instead of offering it again', async () => {
    const { page, watched } = await visit(`/customers/${members.active['CUST_ID']}`)
    await page.getByRole('button', { name: 'Erase data' }).click()
    const dialog = page.getByRole('dialog', { name: /Erase the data of customer/ })
    await dialog.getByText('A membership charges a card.').waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Erase data' }).isDisabled())
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const { CUST_ID: id = '' } = await ask(gateway, sale({ CUST_LNAME: 'Forgotten' }))
    await untilNoAdviceIsQueued(gateway)
    await goInside(page, `${gateway.baseUrl}/portal/customers/${id}`)
    await heading(page, 'Forgotten')
    await page.getByRole('button', { name: 'Erase data' }).click()
    await dialog.getByText('19.95 USD of 1 order can still be refunded').waitFor()
    await dialog.getByRole('button', { name: 'Erase data' }).click()
    await page.getByText('The personal data were erased', { exact: true }).waitFor()
    await heading(page, `Customer ${id}`)
    assert.equal(await page.getByRole('button', { name: /Erase|Edit/ }).count(), 0)
    await leave({ page, watched })
  })

  test('roles that may only look see no buttons', async () => {
    const { page, watched } = await visit(`/memberships/${members.active['MBSHP_ID_1']}`, {
      portalUser: await addPortalUser(gateway, 'read_only'),
    })
    await heading(page, `Membership ${members.active['MBSHP_ID_1']}`)
    assert.equal(await page.getByRole('button', { name: /Cancel|Change|Retry/ }).count(), 0)
    await page.getByRole('link', { name: 'Products' }).click()
    await page.getByRole('row', { name: /Gold membership/ }).waitFor()
    assert.equal(await page.getByRole('button', { name: /Add|ctivate/ }).count(), 0)
    await leave({ page, watched })
  })

  test('every page fits at 360 and 2560 px, and axe finds nothing serious', async () => {
    const { page, watched } = await visit('/customers')
    await putAxe(page)
    for (const [path, text] of [
      ['/customers', 'Theo Brandt'],
      [`/customers/${members.active['CUST_ID']}`, 'Recent orders'],
      ['/products', 'Daily paper'],
      ['/memberships', 'Past due'],
      [`/memberships/${members.failing['MBSHP_ID_1']}`, 'Unpaid renewal'],
      ['/renewals', 'By day'],
    ] as const) {
      await page.setViewportSize({ width: 360, height: 900 })
      await goInside(page, `${gateway.baseUrl}/portal${path}`)
      await page.getByText(text).first().waitFor()
      assert.deepEqual(await seriousFindings(page), [], path)
      for (const width of [360, 2560]) {
        await page.setViewportSize({ width, height: 900 })
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
          `${path} is too wide at ${width} px`,
        )
      }
    }
    await leavePortal(watched)
  })

  test('the page of a missing object says so, and links onward', async () => {
    const { page, watched } = await visit('/memberships/999999')
    await page.getByText('Membership not found').waitFor()
    await page.getByRole('link', { name: 'All memberships' }).click()
    await page.getByLabel('States').first().waitFor()
    await goInside(page, `${gateway.baseUrl}/portal/customers?search=nobody`)
    await page.getByText('No results').waitFor()
    await leave({ page, watched }, 1)
  })
})
