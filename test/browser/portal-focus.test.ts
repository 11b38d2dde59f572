import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { payment } from '../support/payments.ts'
import { plantDelivery, plantEndpoint } from '../support/planted-webhooks.ts'
import { sellToMembers } from '../support/portal-members.ts'
import { addPortalUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { AXE } from './axe.ts'
import { launchHeadlessShell, NEEDS_CHROMIUM } from './chromium.ts'
import { CONSOLE_DIALOG_WAYS } from './console-dialogs.ts'
import { focusFaults } from './dialog-focus.ts'
import { leavePortal } from './left-portals.ts'
import {
  DIALOG_WAYS,
  OPENED_ELSEWHERE,
  type DialogPlaces,
  type DialogWay,
} from './portal-dialogs.ts'
import { goInside, openPortal } from './portal.ts'

/** A dialog that has not opened by then is reported with the others. */
const DIALOG_TIMEOUT_MS = 10_000
const SOURCES = join(import.meta.dirname, '../../packages/portal/src')
const BUILT = join(import.meta.dirname, '../../packages/portal/dist/web')

const sources = globSync('**/*.tsx', { cwd: SOURCES }).map((file) => ({
  file,
  text: readFileSync(join(SOURCES, file), 'utf8'),
}))

suite('dialogs in the sources of the portal', () => {
  test('each file that draws dialogs is opened by a test as often as it draws one', () => {
    const missing = sources
      .filter(({ file }) => !file.startsWith('parts/'))
      .map(({ file, text }) => ({
        file,
        drawn: text.match(/<(Dialog|SideDialog|Confirm)\b/g)?.length ?? 0,
        opened: [...DIALOG_WAYS, ...CONSOLE_DIALOG_WAYS].filter((way) => way.file === file).length,
      }))
      .filter(({ file, drawn, opened }) => !(file in OPENED_ELSEWHERE) && opened < drawn)
    assert.deepEqual(missing, [])
  })

  test('only the parts that return the focus are made of the dialogs of the library', () => {
    const others = sources
      .filter(({ file, text }) => file !== 'parts/dialog.tsx' && /<(Modal|Drawer)\b/.test(text))
      .map(({ file }) => file)
    assert.deepEqual(others, [])
  })
})

const PLANT_MAIL = `
  insert into mail_messages (merchant_id, site_id, kind, mode, recipient, sender_name, reply_to,
    subject, body_text, body_html, state, ended_at)
  values (1, 1001, 'receipt', 'test', 'buyer@shop.example', 'Demo', '',
    'Receipt of the test of dialogs', 'Thank you.', '<p>Thank you.</p>', 'sent', now())`

suite('the focus in the portal', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let browser: Browser
  let places: DialogPlaces
  let isTouched = false
  before(async () => {
    ;[gateway, browser] = await Promise.all([startRunningGateway(), launchHeadlessShell()])
    const { active } = await sellToMembers(gateway)
    const captured = await gateway.client().sale(payment('12.50'))
    const open = await gateway.client().authorize(payment('30.00'))
    await addPortalUser(gateway, 'support')
    await plantEndpoint(gateway.pool, 'enabled')
    await plantEndpoint(gateway.pool, 'paused', ['current', 'previous'])
    await plantDelivery(gateway.pool, '1')
    await gateway.pool.query(PLANT_MAIL)
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select id from memberships where customer_id = $1',
      [active['CUST_ID']],
    )
    places = {
      captured: String(captured.orderId),
      open: String(open.orderId),
      customer: active['CUST_ID'] ?? '',
      membership: rows[0]?.id ?? '',
    }
  })
  after(async () => {
    await browser?.close()
    await gateway?.stop()
  })

  test('the built styles hold no colour of which the build lost the scheme', () => {
    const styles = globSync('assets/*.css', { cwd: BUILT })
    assert.ok(styles.length > 0)
    for (const file of styles)
      assert.doesNotMatch(readFileSync(join(BUILT, file), 'utf8'), /--lightningcss-/, file)
  })

  test('Tab shows a ring at each row of a list, in light and in dark colours', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, { colorScheme: 'light' })
    for (const [path, table] of [
      ['/orders', 'Orders'],
      ['/transactions', 'Transactions'],
      ['/customers', 'Customers'],
      ['/memberships', 'Memberships'],
      ['/batches', 'Batches'],
      ['/developer/requests', 'Requests'],
      ['/settings/api-users', 'API users'],
    ] as const) {
      await goInside(page, `${gateway.baseUrl}/portal${path}`)
      const row = page.locator('table tbody tr[tabindex="0"]').first()
      await row.waitFor()
      await row.focus()
      await page.keyboard.press('Shift+Tab')
      await tabToRow(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await showInColours(page, colorScheme)
        const ring = await ringOfFocus(page)
        assert.deepEqual([ring.style, ring.width], ['solid', '2px'], `${table}, ${colorScheme}`)
        assert.ok(ring.contrast >= 3, `${table}, ${colorScheme}: contrast ${ring.contrast}`)
      }
      await showInColours(page, 'light')
    }
    await leavePortal(watched)
  })

  test('every dialog takes the focus, reads well in dark colours, and gives the focus back', async () => {
    const { page, watched } = await openPortal(browser, gateway.baseUrl, {
      colorScheme: 'dark',
      reducedMotion: 'reduce',
      bypassCSP: true,
    })
    // As if the owner had a second factor: one of the gateway would ask for codes.
    await page.route('**/portal/api/account', async (route) => {
      const answer = await route.fetch()
      const account = { ...(await answer.json()), secondFactorSetAt: '2026-01-01T00:00:00Z' }
      await route.fulfill({ response: answer, json: account })
    })
    // Loaded before anything is opened; the pages after it are reached inside the portal.
    await page.goto(`${gateway.baseUrl}/portal/account`)
    await page.addScriptTag({ path: AXE })
    const faults: string[] = []
    page.setDefaultTimeout(DIALOG_TIMEOUT_MS)
    for (const way of DIALOG_WAYS) {
      const name = `${way.file} ${way.dialog}`
      const found = await faultsOf(page, way).catch((error: unknown) => [String(error)])
      faults.push(...found.map((fault) => `${name}: ${fault}`))
    }
    assert.deepEqual(faults, [])
    await leavePortal(watched)
  })

  async function faultsOf(page: Page, way: DialogWay): Promise<readonly string[]> {
    await page.setViewportSize({ width: 1280, height: 900 })
    const address = `${gateway.baseUrl}/portal${way.path(places)}`
    // A page on which a dialog was only opened and closed is as good as new.
    if (isTouched || address !== page.url()) await goInside(page, address)
    isTouched = way.before !== undefined || way.close !== undefined || way.press.length > 2
    await way.before?.(page)
    return focusFaults(page, way)
  }
})

async function showInColours(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page
    .locator(`html[data-mantine-color-scheme=${colorScheme}]`)
    .waitFor({ state: 'attached' })
}

async function tabToRow(page: Page): Promise<void> {
  for (let steps = 0; steps < 5; steps += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.tagName === 'TR')) return
  }
  throw new Error('Tab does not lead to a row.')
}

/** The outline of the focused element, and its contrast with the page behind it. */
function ringOfFocus(page: Page): Promise<{ style: string; width: string; contrast: number }> {
  return page.evaluate(() => {
    const { outlineColor, outlineStyle, outlineWidth } = getComputedStyle(
      document.activeElement ?? document.body,
    )
    const luminance = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
        const share = Number(part) / 255
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const [light = 0, dark = 0] = [outlineColor, getComputedStyle(document.body).backgroundColor]
      .map(luminance)
      .toSorted((left, right) => right - left)
    return { style: outlineStyle, width: outlineWidth, contrast: (light + 0.05) / (dark + 0.05) }
  })
}
