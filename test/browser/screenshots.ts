// The pictures of docs/portal: a sandbox of its own, sample orders, and a browser.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { openPortal } from './portal.ts'
import { startRunningGateway } from '../support/running-gateway.ts'
import { fillSandbox } from '../../seed/fill.ts'
import { SAMPLE_MERCHANT, SAMPLE_PASSWORD } from '../../seed/sample-merchant.ts'

interface Picture {
  /** Of the file in docs/portal, without `.png`. */
  readonly name: string
  readonly path: string
  /** What is done on the page before it is taken. */
  readonly prepare?: (page: Page) => Promise<void>
}

/** One line for each picture. */
const PICTURES: readonly Picture[] = [
  { name: 'orders', path: '/orders' },
  { name: 'search', path: '/orders?q=tanaka' },
  { name: 'filters', path: '/transactions?status=declined', prepare: (page) => page.getByRole('button', { name: 'Filters' }).click() },
]

const FOLDER = fileURLToPath(new URL('../../docs/portal/', import.meta.url))
const ORDERS = 1_500

/** Nothing is under way any more: no request, and no place that still holds room for what comes. */
async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(() => document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root') === null)
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !PICTURES.some((picture) => picture.name === name))
if (unknown.length > 0) {
  process.stderr.write(`There is no picture ${unknown.join(', ')}. There are ${PICTURES.map(({ name }) => name).join(', ')}.\n`)
  process.exit(1)
}
const gateway = await startRunningGateway()
try {
  process.stderr.write(`${ORDERS} sample orders are made.\n`)
  await fillSandbox({ baseUrl: gateway.baseUrl, pool: gateway.pool, orders: ORDERS, now: new Date(), onProgress: () => undefined })
  mkdirSync(FOLDER, { recursive: true })
  const browser = await launchChromium()
  try {
    const { page } = await openPortal(browser, gateway.baseUrl, {
      viewport: { width: 1280, height: 800 },
      colorScheme: 'light',
      reducedMotion: 'reduce',
      person: { email: SAMPLE_MERCHANT.owner, password: SAMPLE_PASSWORD },
    })
    for (const { name, path, prepare } of PICTURES.filter((picture) => wanted.length === 0 || wanted.includes(picture.name))) {
      await page.goto(`${gateway.baseUrl}/portal${path}`)
      await settled(page)
      await prepare?.(page)
      await settled(page)
      await page.screenshot({ path: `${FOLDER}${name}.png` })
      process.stderr.write(`docs/portal/${name}.png\n`)
    }
  } finally {
    await browser.close()
  }
} finally {
  await gateway.stop()
}
