import { basicLogin } from '../../test/support/events.ts'
import { signIn } from '../../test/support/portal.ts'
import { BEFORE_ORDERS } from './history-orders.ts'
import type { MeasuredServer } from './measured-servers.ts'
import { table } from './report.ts'

/** Of each page on each database, one after the other. */
const TIMES = 41

/** A user may ask for so many pages in a time. */
const TOO_MANY = 429
const PAUSE_MS = 2_000

/** An order that both databases have. */
const ORDER = 777

const A_DAY_MS = 86_400_000
const YESTERDAY = new Date(Date.now() - A_DAY_MS).toISOString()

/** Addresses of the portal's API. */
const PORTAL_PAGES = [
  '/orders',
  '/orders?sort=oldest',
  '/orders?status=declined',
  '/orders?brand=Visa&status=authorized',
  '/orders?site=1001&currency=KWD',
  '/orders?time=7 days',
  '/orders?reason=605',
  '/orders?q=firstb',
  `/orders?q=order:${BEFORE_ORDERS + ORDER}`,
  `/orders?q=REF-${ORDER}`,
  `/orders?q=person${ORDER}@example.com`,
  `/orders/${BEFORE_ORDERS + ORDER}`,
  '/transactions',
  '/transactions?status=declined',
  '/customers',
  '/customers?site=1001&cards=yes',
  '/customers?search=firstb',
  `/customers?search=person${ORDER}@example.com`,
  `/customers/${BEFORE_ORDERS + ORDER}`,
  '/memberships',
  '/batches',
  '/payouts',
  '/disputes',
  '/settlement-differences',
  '/reconciliation',
  '/developer/requests',
  '/developer/requests?outcome=approved',
  `/developer/requests/${BEFORE_ORDERS + ORDER}`,
  '/settings/webhook-deliveries',
  '/audit',
  '/home',
  '/home/chart?range=30d',
  '/home/work',
  '/open-authorizations',
]

/** Addresses of lists for merchants' programs. */
const API_PAGES = [
  '/orders',
  '/orders?limit=1000',
  `/orders?from=${YESTERDAY}`,
  '/orders?status=DECLINED',
  '/orders?status=RUNNING',
  '/orders?site_id=1002&currency=KWD',
  '/orders?currency=KWD&amount=1.500',
  `/orders?xtl_order_id=REF-${ORDER}`,
  `/orders?cust_id=${BEFORE_ORDERS + ORDER}`,
  '/orders?xtl_cust_id=unknown',
  '/orders?mbshp_id_xtl=unknown',
  `/orders/${BEFORE_ORDERS + ORDER}`,
  '/transactions',
  '/transactions?limit=1000',
  `/transactions?from=${YESTERDAY}`,
  '/transactions?status=DECLINED',
  '/transactions?action=void',
  `/transactions?po_id=${BEFORE_ORDERS + ORDER}`,
  `/transactions?xtl_order_id=REF-${ORDER}`,
  '/transactions?batch_id=500',
  `/transactions/${BEFORE_ORDERS + ORDER}`,
  '/memberships',
  '/customers',
  '/customers?limit=1000',
  `/customers?from=${YESTERDAY}`,
  '/customers?xtl_cust_id=unknown',
  `/customers/${BEFORE_ORDERS + ORDER}`,
  '/batches',
  '/payouts',
  '/disputes',
].map((path) => `/api/v1${path}`)

interface Page {
  readonly path: string
  readonly fewMs: number
  readonly manyMs: number
  readonly rows: string
}

/** Sends a request of a path. */
type Ask = (path: string) => Promise<{ readonly status: number; readonly text: string }>

/**
 * How long pages of the portal and of the API take with few orders and with many, at rest, as a
 * table.
 */
export async function measurePages(
  few: MeasuredServer,
  many: MeasuredServer,
  onProgress: (sentence: string) => void,
): Promise<string> {
  const pages = [
    ...(await measure(await owner(few), await owner(many), PORTAL_PAGES, onProgress)),
    ...(await measure(program(few), program(many), API_PAGES, onProgress)),
  ]
  return table<Page>(
    [
      ['page', ({ path }) => path],
      ['rows', ({ rows }) => rows],
      ['ms', ({ fewMs, manyMs }) => `${fewMs.toFixed(1)} : ${manyMs.toFixed(1)}`],
      ['ratio', ({ fewMs, manyMs }) => (manyMs / fewMs).toFixed(2)],
    ],
    pages,
  )
}

async function measure(
  ofFew: Ask,
  ofMany: Ask,
  paths: readonly string[],
  onProgress: (sentence: string) => void,
): Promise<Page[]> {
  const pages: Page[] = []
  for (const path of paths) {
    onProgress(`Measuring ${path} ...`)
    const took: { few: number[]; many: number[] } = { few: [], many: [] }
    const rows = { few: 0, many: 0 }
    for (let at = 0; at < TIMES; at += 1) {
      const first = await read(ofFew, path)
      const second = await read(ofMany, path)
      took.few.push(first.ms)
      took.many.push(second.ms)
      Object.assign(rows, { few: first.rows, many: second.rows })
    }
    const page = {
      path,
      fewMs: median(took.few),
      manyMs: median(took.many),
      rows: `${rows.few} : ${rows.many}`,
    }
    onProgress(`${page.fewMs.toFixed(1)} : ${page.manyMs.toFixed(1)} ms`)
    pages.push(page)
  }
  return pages
}

async function owner({ host, port }: MeasuredServer): Promise<Ask> {
  const user = await signIn({ baseUrl: `http://${host}:${port}` })
  return (path) => user.get(path)
}

function program({ host, port }: MeasuredServer): Ask {
  const headers = { authorization: basicLogin() }
  return async (path) => {
    const response = await fetch(`http://${host}:${port}${path}`, { headers })
    return { status: response.status, text: await response.text() }
  }
}

async function read(ask: Ask, path: string): Promise<{ ms: number; rows: number }> {
  const began = performance.now()
  const { status, text } = await ask(path)
  const ms = performance.now() - began
  if (status === TOO_MANY) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    return read(ask, path)
  }
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>
  return { ms, rows: Object.values(body).find(Array.isArray)?.length ?? 0 }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
