import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { payment, VISA } from '../support/payments.ts'
import { addPortalUser, OWNER, signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { AXE, seriousFindings, seriousFindingsInDialog } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM, type Watched } from './chromium.ts'
import { leavePortal } from './left-portals.ts'
import { openPortal } from './portal.ts'

const PATH = '/settings/sites/1001?tab=mail'

suite('mail of a site in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let owner: SignedInUser
  before(async () => {
    gateway = await startRunningGateway()
    browser = await launchHeadlessShell()
    owner = await signIn(gateway)
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  async function withPage(
    options: Parameters<typeof openPortal>[2],
    use: (page: Page, watched: Watched) => Promise<void>,
  ): Promise<void> {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, options)
    await use(page, watched)
    assert.doesNotMatch(await page.content(), new RegExp(VISA))
    assert.deepEqual(await watched.violations(), [])
    await leavePortal(watched)
  }

  test('an owner switches receipts on, and finds the mail of a payment in the mailbox of the sandbox', async () => {
    await withPage({ path: PATH }, async (page) => {
      await page.getByText('This sandbox has no mail server.').waitFor()
      await page.getByLabel('receipt of a payment').check()
      await page.getByLabel('Send mails about payments of test mode too').check()
      await page.getByRole('button', { name: 'Review and save' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved. The change takes effect within').first().waitFor()

      const customer = { email: 'ada@shop.example', firstName: 'Ada' }
      const sale = await gateway.client().sale(payment('7.50', { customer }))
      assert.equal(sale.status, 'APPROVED')
      const row = page.getByRole('row', { name: /ada@shop\.example .* caught/ })
      await row.waitFor()
      await page.context().addInitScript({ path: AXE })
      await row.getByRole('button').click()
      const dialog = page.getByRole('dialog')
      const frame = dialog.frameLocator('iframe')
      await frame.getByText('we received your payment of 7.50 USD').waitFor()
      await dialog.getByText('Plain text').click()
      await dialog.getByText('Card: Visa ending in 1111').waitFor()
      await dialog.getByRole('button', { name: 'Send again' }).click()
      await page.getByText('The mail is queued again.').waitFor()
    })
    await eventually('it is caught once more', async () => {
      const { rows } = await gateway.pool.query<{ state: string; round: number }>(
        'select state, round from mail_messages where recipient = $1',
        ['ada@shop.example'],
      )
      return rows[0]?.round === 2 && rows[0].state === 'caught'
    })
  })

  test('typed texts are previewed at once, run nothing, and are refused with an unknown placeholder', async () => {
    await withPage({ path: PATH }, async (page) => {
      await page.getByLabel('Subject', { exact: true }).fill('Thanks {{first_name}}')
      await page.getByText('[TEST] Thanks Ada').waitFor()
      await page
        .getByLabel('HTML', { exact: true })
        .and(page.locator('textarea'))
        .fill('<b>{{amount}}</b><script>parent.document.title = "run"</script>')
      const preview = page.frameLocator('iframe')
      await preview.getByText('12.50').waitFor()
      assert.notEqual(await page.title(), 'run')

      await page.getByLabel('Plain text').and(page.locator('textarea')).fill('{{pan}}')
      await page.getByText('{{pan}} in the text is no placeholder of this mail.').waitFor()
      assert.ok(await page.getByRole('button', { name: 'Save texts' }).isDisabled())
      await page.getByLabel('Plain text').and(page.locator('textarea')).fill('Paid {{amount}}')
      await page.getByRole('button', { name: 'Save texts' }).click()
      await page.getByText('Your own texts are sent.').waitFor()

      await page.getByRole('button', { name: 'Send a test to me' }).click()
      await page.getByText(`A mail to ${OWNER.email} is queued.`).waitFor()
      await page.getByRole('row', { name: /Thanks Ada caught/ }).waitFor()
      await page.getByRole('button', { name: 'Use built-in texts' }).click()
      await page.getByText('The built-in texts are sent.').waitFor()
      // The frame, in a hidden tab, has loaded them too: it is not asked while it changes.
      const builtIn = preview.getByText('we received your payment of 12.50 EUR')
      await builtIn.waitFor({ state: 'attached' })
    })
  })

  test('texts that another user changed meanwhile are not overwritten', async () => {
    await withPage({ path: PATH }, async (page) => {
      await page.getByLabel('Subject', { exact: true }).fill('Mine')
      const texts = { subject: 'Theirs', text: 'Theirs', html: '' }
      await owner.put('/settings/sites/1001/mail/texts', { kind: 'receipt', texts, seen: null })
      await page.getByText('[TEST] Mine').waitFor()
      await page.getByRole('button', { name: 'Save texts' }).click()
      await page.getByText('Another user changed the mail of this site.').waitFor()
    })
    const { body } = await owner.get('/settings/sites/1001/mail')
    assert.equal(body.kinds[0].own.subject, 'Theirs')
    const seen = { subject: 'Theirs', text: 'Theirs', html: '' }
    await owner.put('/settings/sites/1001/mail/texts', { kind: 'receipt', texts: null, seen })
  })

  test('a developer sees the mail and changes nothing of it', async () => {
    const developer = await addPortalUser(gateway, 'developer')
    await withPage({ path: PATH, portalUser: developer }, async (page) => {
      await page.getByText('Newest mails').waitFor()
      assert.ok(await page.getByLabel('receipt of a payment').isDisabled())
      assert.equal(await page.getByRole('button', { name: 'Save texts' }).count(), 0)
    })
  })

  test('the page and the dialog of a mail have no serious barrier', async () => {
    await withPage({ path: PATH }, async (page) => {
      await page.context().addInitScript({ path: AXE })
      await page.reload()
      const row = page.getByRole('row', { name: /ada@shop\.example/ }).first()
      await row.waitFor()
      assert.deepEqual(await seriousFindings(page), [])
      await row.getByRole('button').click()
      await page.getByRole('dialog').getByText('Subject:').waitFor()
      assert.deepEqual(await seriousFindingsInDialog(page), [])
    })
  })
})
