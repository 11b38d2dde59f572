import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { payment } from '../support/payments.ts'
import { plantEndpoint } from '../support/planted-webhooks.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import {
  answering,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { look } from './look.ts'
import { openPortal } from './portal.ts'

suite('webhooks in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let receiver: WebhookReceiver
  before(async () => {
    ;[gateway, browser] = await Promise.all([startRunningGateway(), launchHeadlessShell()])
    receiver = await startWebhookReceiver()
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
    await receiver?.stop()
  })

  test('a user adds an endpoint, reads in the log why it failed, and sends the event again', async () => {
    receiver.behave('/shop', answering(500))
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: '/settings/webhooks',
    })
    await page.getByRole('button', { name: 'Add endpoint' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const url = dialog.getByRole('textbox', { name: 'URL' })
    await url.fill('https://169.254.169.254/latest')
    await dialog.getByRole('button', { name: 'Add endpoint' }).press('Enter')
    await dialog.getByText(/is the address of a metadata service/).waitFor()
    await url.fill(receiver.url('/shop'))
    await dialog.getByRole('radio', { name: 'Chosen events' }).check()
    await dialog.getByRole('combobox', { name: 'Chosen events' }).fill('authorization')
    await page.getByRole('option', { name: 'authorization.*' }).click()
    await page.keyboard.press('Tab')
    await look(page, 'add')
    await dialog.getByRole('button', { name: 'Add endpoint' }).press('Enter')
    const secret = (await page.getByTestId('secret').textContent()) ?? ''
    assert.match(secret, /^whsec_/)
    await page.getByRole('checkbox', { name: 'I have saved it' }).check()
    await page.getByRole('button', { name: 'Close' }).press('Enter')

    await gateway.client().authorize(payment('12.50'))
    const [received] = await receiver.until('/shop', 1)
    await page.getByRole('table', { name: 'Endpoints' }).getByText(receiver.url('/shop')).waitFor()
    await look(page, 'endpoints')
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('combobox', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Pending' }).click()
    const list = page.getByRole('table', { name: 'Deliveries' })
    await list
      .getByRole('row', { name: /authorization\.approved.*500/ })
      .waitFor({ timeout: 30_000 })
    await look(page, 'deliveries')
    await list.getByRole('link', { name: 'authorization.approved' }).click()
    await page.getByLabel('Answer body').first().getByText('status 500').waitFor()
    const headers = await page.getByLabel('Request headers').last().textContent()
    assert.ok(
      headers?.includes(`webhook-signature: ${String(received?.headers['webhook-signature'])}`),
    )
    const body = (await page.locator('pre[aria-label="Request body"]').textContent()) ?? ''
    assert.deepEqual(JSON.parse(body), received?.event)
    await look(page, 'delivery')

    receiver.behave('/shop', answering(200))
    await page.getByRole('button', { name: 'Send again' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).press('Enter')
    await page
      .getByRole('region', { name: 'authorization.approved' })
      .getByText('delivered')
      .waitFor({ timeout: 30_000 })
    const last = receiver.received('/shop').at(-1)
    new Webhook(secret).verify(last?.body ?? '', last?.headers as Record<string, string>)
    await leavePortal(watched)
  })

  test('the home page and the list show an endpoint that the gateway paused, until a user resumes it', async () => {
    const id = await plantEndpoint(gateway.pool, 'paused')
    const { page, watched } = await openPortal(browser, gateway.baseUrl)
    await page.getByRole('link', { name: `Webhook endpoint ${id} is paused` }).click()
    const notice = page.getByRole('status').filter({ hasText: `Endpoint ${id} is paused` })
    await notice.getByText(/All 25 attempts since 2026-11-20/).waitFor()
    await look(page, 'paused')
    await notice.getByRole('link').click()
    await page.getByRole('button', { name: 'Resume' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).press('Enter')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await look(page, 'endpoint')
    await page.getByRole('link', { name: 'All endpoints' }).click()
    await page.getByRole('table', { name: 'Endpoints' }).waitFor()
    assert.equal(await notice.count(), 0)
    await leavePortal(watched)
  })

  test('a secret is replaced while the older one signs too, and an endpoint is edited and removed', async () => {
    const id = await plantEndpoint(gateway.pool, 'enabled')
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      path: `/settings/webhooks/${id}`,
    })
    const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name })
    const choose = async (entry: string): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: entry }).click()
    }
    await choose('Create new secret')
    await inDialog('Create new secret').press('Enter')
    await page.getByTestId('secret').waitFor()
    await page.getByRole('checkbox', { name: 'I have saved it' }).check()
    await inDialog('Close').last().press('Enter')
    await page.getByText(/signs too until you remove it/).waitFor()
    await choose('Remove older secret')
    await inDialog('Remove older secret').press('Enter')
    await page.getByText(/signs too until you remove it/).waitFor({ state: 'detached' })

    // A click waits until the dialog before it is gone; a key would not, and that dialog's end would
    // close this one.
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'URL' }).fill('https://shop.example/new')
    await inDialog('Save').press('Enter')
    await page.getByRole('main').getByText('https://shop.example/new', { exact: true }).waitFor()
    await choose('Remove endpoint')
    await inDialog('Remove endpoint').press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    const listed = page.getByRole('main').getByText('https://shop.example/new')
    await listed.waitFor({ state: 'detached' })
    await leavePortal(watched)
  })
})
