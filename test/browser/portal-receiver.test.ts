import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { payment } from '../support/payments.ts'
import { addPortalUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'
import { findings, putAxe } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { openPortal } from './portal.ts'

suite('the receiver of webhooks in the browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  before(async () => {
    gateway = await startRunningGateway()
    browser = await launchHeadlessShell()
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const visit = async (options: Parameters<typeof openPortal>[2] = {}) => {
    const opened = await openPortal(browser, gateway.baseUrl, {
      path: '/developer/receiver',
      ...options,
    })
    await opened.page.getByRole('heading', { level: 1, name: 'Webhook receiver' }).waitFor()
    return opened
  }
  const leave = async ({ page, watched }: { page: Page; watched: Watched }): Promise<void> => {
    assert.deepEqual(await watched.violations(), [])
    assert.equal(/\b[2-6]\d{13,18}\b/.exec(await page.locator('body').innerText()), null)
    await leavePortal(watched)
  }
  const rows = (page: Page) =>
    page
      .getByRole('table', { name: 'Caught requests' })
      .locator('tbody tr')
      .filter({ hasText: 'authorization.approved' })
  const cells = async (page: Page, at: number): Promise<readonly string[]> =>
    (await rows(page).nth(at).locator('td').allInnerTexts()).slice(2).map((text) => text.trim())

  test('a developer adds a receiver, sees a payment arrive, has it answered badly, and doubles an event', async () => {
    await clock(gateway, 'stop')
    const { page, watched } = await visit({
      portalUser: await addPortalUser(gateway, 'developer'),
    })
    await page.getByRole('button', { name: 'Add receiver' }).click()
    assert.match(await page.getByTestId('secret').innerText(), /^whsec_/)
    await page.getByRole('button', { name: 'Hide the secret' }).click()

    // The list refreshes by itself.
    await gateway.client().authorize(payment('12.50'))
    await rows(page).waitFor()
    assert.deepEqual(await cells(page, 0), ['authorization.approved', 'Valid', '204'])
    await rows(page).first().click()
    const body = page.getByRole('region', { name: 'Body' })
    assert.match(await body.innerText(), /"type": "authorization.approved"/)
    assert.match(
      await page.getByRole('region', { name: 'Headers' }).innerText(),
      /webhook-id: evt_/,
    )

    const answer = async (status: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Status' }).fill(status)
      await page.getByRole('button', { name: 'Set answer' }).click()
      await page.getByText(`status ${status}`, { exact: true }).waitFor()
    }
    await answer('500')
    await gateway.client().authorize(payment('13.50'))
    await rows(page).filter({ hasText: '500' }).waitFor()
    await answer('204')
    await clock(gateway, 'step', { by: 'PT1M' })
    await eventually('the retry is shown', async () => (await rows(page).count()) === 3 || null)
    assert.deepEqual(await cells(page, 0), ['authorization.approved', 'Valid', '204'])

    await page.getByRole('textbox', { name: 'Types' }).fill('authorization.')
    await page.getByRole('button', { name: 'Add fault' }).click()
    await page.getByText('sent twice, authorization., 1 left').waitFor()
    await gateway.client().authorize(payment('14.50'))
    await eventually('both copies are shown', async () => (await rows(page).count()) === 5 || null)
    await page.getByText('sent twice, authorization., 0 left').waitFor()
    await page.getByRole('button', { name: 'Remove all faults' }).click()
    await page.getByText('Events are delivered without faults.').waitFor()
    await putAxe(page)
    assert.deepEqual(await findings(page), [])

    await page.getByRole('button', { name: /^Remove the receiver/ }).click()
    await page.getByText('No receivers', { exact: true }).waitFor()
    const { rows: left } = await gateway.pool.query('select from webhook_endpoints')
    assert.equal(left.length, 0)
    await leave({ page, watched })
  })
})
