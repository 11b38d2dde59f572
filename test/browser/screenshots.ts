// The pictures of docs/portal: a sandbox of its own, sample orders, and a browser.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { fillSandbox } from '../../tools/seed/fill.ts'
import { createSampleBank } from '../../tools/seed/sample-bank.ts'
import { SAMPLE_MERCHANT, SAMPLE_PASSWORD } from '../../tools/seed/sample-merchant.ts'
import { startRunningGateway } from '../support/running-gateway.ts'
import { launchChromium } from './chromium.ts'
import { withPalette } from './palette-png.ts'
import { openPortal } from './portal.ts'

interface Picture {
  /** Of the file in docs/portal, without `.png`. */
  readonly name: string
  /** In the portal; what is in braces is the first column of a query's first row. */
  readonly path: string
  readonly query?: string
  /** The steps on the page before the screenshot. */
  readonly prepare?: (page: Page) => Promise<void>
}

const OURS = `merchant_id = ${SAMPLE_MERCHANT.id}`

/** A deposit with refunds. */
const REFUNDED = `select id from settlement_payouts
   where ${OURS} and refunds_minor <> 0 and state = 'deposited' order by id desc limit 1`

/** The month before a day, `2026-10`. */
function monthBefore(day: Date): string {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - 1)).toISOString().slice(0, 7)
}

/** One line or two for each picture. */
const PICTURES: readonly Picture[] = [
  { name: 'home', path: '/?range=12m' },
  { name: 'orders', path: '/orders' },
  {
    name: 'order',
    path: '/orders/{}',
    query: `select order_id from transactions t where ${OURS} and kind = 'refund' and state = 'approved'
              and exists (select from transactions o where o.order_id = t.order_id and o.kind in ('authorization', 'sale'))
             order by exists (select from transactions c where c.order_id = t.order_id and c.kind = 'capture') desc, id desc limit 1`,
  },
  {
    name: 'terminal',
    path: '/terminal?{}',
    query: `select 'customer=' || customer_id || '&card=' || id || '&mode=test' from payment_methods where ${OURS} order by id desc limit 1`,
    prepare: async (page) => {
      await page.getByRole('textbox', { name: 'Amount' }).fill('48.00')
      await page.getByRole('radio', { checked: true }).and(page.locator('[value]')).last().waitFor()
    },
  },
  {
    name: 'membership',
    path: '/memberships/{}',
    query: `select id from memberships where ${OURS} order by id limit 1`,
  },
  { name: 'going-live', path: '/settings/sites/1091?tab=mode' },
  {
    name: 'why',
    path: '/developer/why/{}',
    query: `select id from transactions where ${OURS} and state = 'declined' order by id desc limit 1`,
  },
  { name: 'payouts', path: '/payouts?account=2091&currency=EUR' },
  { name: 'payout', path: '/payouts/{}', query: REFUNDED },
  {
    name: 'payout-order',
    path: '/payouts/{}?part=refunds',
    query: REFUNDED,
    prepare: async (page) => {
      const lines = page.getByRole('table', { name: 'Lines of the payout' })
      await lines.locator('a[href*="/orders/"]').first().click()
      await page.getByRole('table', { name: 'Settlement' }).scrollIntoViewIfNeeded()
    },
  },
  {
    name: 'statement',
    path: '/statements?source={}&month=' + monthBefore(new Date()),
    query: `select id from settlement_sources where ${OURS} and currency = 'EUR' order by id limit 1`,
  },
  { name: 'disputes', path: '/disputes?sort=due' },
  {
    name: 'dispute',
    path: '/disputes/{}',
    query: `select id from disputes where ${OURS} and state = 'chargeback' order by respond_by limit 1`,
  },
  {
    name: 'reconciliation',
    path: '/reconciliation',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Compare now' }).click()
      await page
        .getByRole('link', { name: /Certificate|Totals/ })
        .first()
        .waitFor()
    },
  },
]

const FOLDER = fileURLToPath(new URL('../../docs/portal/', import.meta.url))
const ORDERS = 1_500

/** Nothing is under way any more: no request, and no place that still holds room for what comes. */
async function loaded(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(
    () => document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root') === null,
  )
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !PICTURES.some((picture) => picture.name === name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no picture ${unknown.join(', ')}. There are ${PICTURES.map(({ name }) => name).join(', ')}.\n`,
  )
  process.exit(1)
}
const gateway = await startRunningGateway()
try {
  process.stderr.write(`${ORDERS} sample orders are made.\n`)
  await fillSandbox({
    baseUrl: gateway.baseUrl,
    pool: gateway.pool,
    databaseUrl: gateway.databaseUrl,
    bank: createSampleBank({ dataDir: gateway.nodeSettings['DATA_DIR'] ?? '', bankSecret: null }),
    orders: ORDERS,
    now: new Date(),
    onProgress: () => undefined,
  })
  mkdirSync(FOLDER, { recursive: true })
  const browser = await launchChromium()
  try {
    const { page } = await openPortal(browser, gateway.baseUrl, {
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
      portalUser: { email: SAMPLE_MERCHANT.owner, password: SAMPLE_PASSWORD },
    })
    for (const { name, path, query, prepare } of PICTURES.filter(
      (picture) => wanted.length === 0 || wanted.includes(picture.name),
    )) {
      const found =
        query === undefined
          ? []
          : (await gateway.pool.query<[string]>({ text: query, rowMode: 'array' })).rows
      await page.goto(`${gateway.baseUrl}/portal${path.replace('{}', String(found[0]?.[0] ?? ''))}`)
      await loaded(page)
      await prepare?.(page)
      await loaded(page)
      writeFileSync(
        `${FOLDER}${name}.png`,
        await withPalette(page.context(), await page.screenshot()),
      )
      process.stderr.write(`docs/portal/${name}.png\n`)
    }
  } finally {
    await browser.close()
  }
} finally {
  await gateway.stop()
}
