import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { payment } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { openPortal } from './portal.ts'
import { cardFrame } from './sample-shop.ts'

suite('a portal with an address of its own', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let portalUrl = ''
  before(async () => {
    const [port] = await freePorts(1)
    portalUrl = `http://127.0.0.1:${port}`
    ;[gateway, browser] = await Promise.all([
      startRunningGateway({ PORTAL_PORT: String(port) }),
      launchHeadlessShell(),
    ])
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status

  test('the address of payments has no portal, and that of the portal takes no payment', async () => {
    await gateway.client().sale(payment('12.50'))
    for (const path of ['/portal', '/portal/api/session']) {
      assert.equal(await statusOf(`${gateway.baseUrl}${path}`), 404, path)
      assert.notEqual(await statusOf(`${portalUrl}${path}`), 404, path)
    }
    for (const path of ['/payment/pmt_service.cfm', '/api/v1/events', '/sandbox/clock', '/']) {
      assert.equal(await statusOf(`${portalUrl}${path}`), 404, path)
    }
    assert.equal(await statusOf(`${portalUrl}/health/ready`), 200)
    assert.match(
      await (await fetch(gateway.baseUrl)).text(),
      new RegExp(`href="${portalUrl}/portal"`),
    )
  })

  test('a user signs in there, charges a card at the terminal, and gets a link for another user', async () => {
    const { page, watched } = await openPortal(browser, portalUrl, { path: '/terminal' })
    const fields = await cardFrame(page)
    await page.getByRole('textbox', { name: 'Amount' }).fill('74.20')
    await fields.locator('#number').pressSequentially('4111111111111111')
    await fields.locator('#expiry').pressSequentially('12/40')
    await fields.locator('#code').pressSequentially('123')
    await page.keyboard.press('Enter')
    await page.getByText('74.20 USD charged.').waitFor()
    const origins = new Set(watched.requests.map(({ url }) => new URL(url).origin))
    assert.deepEqual([...origins], [portalUrl])

    const owner = await signIn({ baseUrl: portalUrl })
    const invited = await owner.post('/users', {
      email: 'apart@tollgate.test',
      name: 'A. Part',
      role: 'support',
      refundLimit: null,
    })
    assert.equal(invited.status, 200, invited.text)
    const link = String(invited.body.link.address)
    assert.ok(link.startsWith(`${portalUrl}/portal/invitation#`), link)
    await leavePortal(watched)
  })
})
