import { signIn, type SignedInUser } from '../../test/support/portal.ts'
import { BEFORE_ORDERS } from './history-orders.ts'
import type { MeasuredServer } from './measured-servers.ts'
import { table } from './report.ts'

/** Of each page on each database, one after the other. */
const TIMES = 41

/** A portal user may ask for so many pages in a time. */
const TOO_MANY = 429
const PAUSE_MS = 2_000

/** An order that both databases have. */
const ORDER = 777

/** Addresses of the portal's API. */
const PAGES = [
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

interface Page {
  readonly path: string
  readonly fewMs: number
  readonly manyMs: number
  readonly rows: string
}

/** How long the portal's pages take with few orders and with many, at rest, as a table. */
export async function measurePages(
  few: MeasuredServer,
  many: MeasuredServer,
  onProgress: (sentence: string) => void,
): Promise<string> {
  const ofFew = await owner(few)
  const ofMany = await owner(many)
  const pages: Page[] = []
  for (const path of PAGES) {
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

function owner({ host, port }: MeasuredServer): Promise<SignedInUser> {
  return signIn({ baseUrl: `http://${host}:${port}` })
}

async function read(user: SignedInUser, path: string): Promise<{ ms: number; rows: number }> {
  const began = performance.now()
  const { body, status, text } = await user.get(path)
  if (status === TOO_MANY) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    return read(user, path)
  }
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`)
  const ms = performance.now() - began
  return { ms, rows: Object.values<unknown>(body).find(Array.isArray)?.length ?? 0 }
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
}
