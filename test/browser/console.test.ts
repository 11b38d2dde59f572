import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { codeOf, operatorsCommand, tokenOf } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { outcome, payment } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { AXE, findings, seriousFindings, seriousFindingsInDialog } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, watchedContext } from './chromium.ts'
import { openPortal } from './portal.ts'

const PASSWORD = 'Quartz-jumps-vexed-8431'

suite('the pages of the console', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let url = ''
  /** The page of the operator who signed in. */
  let shown: Page | null = null
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
})
