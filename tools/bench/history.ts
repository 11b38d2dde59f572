// `npm run bench:history`: what years of orders cost the next ones. Two databases of this build are
// measured in turn, one of them with many orders.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { meanCost, meanOf } from './compare.ts'
import { writeManyOrders, writePostings } from './many-orders.ts'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import { IDS, idsOf, type OrderIds } from './other-requests.ts'
import { table } from './report.ts'
import { checkpoint, databaseOptions, query, socketFolder } from './tpcb.ts'
import {
  APPROVED,
  authorizations,
  LISTED,
  loadGateway,
  referencedSales,
  sales,
  savedCardSales,
  statusesOf,
  type GatewayLoad,
  type Load,
} from './workload.ts'

const USAGE = `Usage: npm run bench:history [-- ORDERS]
  ORDERS   how many orders the second database has (1000000)
`
const SECONDS = 10
const WARM_UP_SECONDS = 15
const BUSY = 64
/** More than a side can sell in its time. */
const SALES_OF_A_RUN = 80_000
const ASKED_FOR = 1_000

interface Side {
  readonly gateway: MeasuredGateway
  readonly dataDir: string
  readonly cards: OrderIds[]
  /** Orders to ask for. */
  orders: string[]
}

interface Row {
  readonly name: string
  readonly connections: number
  readonly empty: GatewayLoad[]
  readonly filled: GatewayLoad[]
}

async function run(orders: number): Promise<void> {
  const sides: Side[] = []
  try {
    report('Starting two gateways ...')
    const empty = await startSide(sides)
    const filled = await startSide(sides)
    await fill(filled, orders)
    report('Warming up ...')
    for (const side of sides) await prepare(side)
    // Of the history: sales that were approved, from its beginning to its end.
    const length = Math.min(ASKED_FOR, Math.floor(orders / 10))
    const step = Math.floor(orders / 10 / length)
    filled.orders = Array.from({ length }, (_, at) => String(5_000_005 + at * step * 10))
    print(result(await measure(empty, filled)))
  } finally {
    for (const { gateway, dataDir } of sides) {
      await gateway.stop()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  }
}

async function startSide(sides: Side[]): Promise<Side> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-history-'))
  const checkout = THIS_CHECKOUT
  const gateway = await startGateway({ checkout, dataDir, workers: 2, profileDir: null })
  const side = { gateway, dataDir, cards: [], orders: [] }
  sides.push(side)
  return side
}

/** Writes the history, and lets the next ids follow it. */
async function fill({ dataDir }: Side, orders: number): Promise<void> {
  report(`Writing ${orders.toLocaleString('en-US')} orders ...`)
  const began = performance.now()
  const pool = new pg.Pool(databaseOptions(socketFolder(dataDir)))
  try {
    await writeManyOrders(pool, orders)
    await writePostings(pool)
    for (const statement of MORE_ROWS) await pool.query(statement)
    const { rows } = await pool.query<{ size: string }>(
      `select pg_size_pretty(pg_database_size(current_database())) as size`,
    )
    const seconds = Math.round((performance.now() - began) / 1_000)
    report(`Written in ${seconds} s: ${rows[0]?.size}`)
  } finally {
    await pool.end()
  }
}

const AFTER_ALL = `(select max(id) + 1000 from orders)`
/** The other rows that each order leaves for good. */
const MORE_ROWS = [
  `insert into order_lines (id, merchant_id, order_id, number, product, count, amount_minor,
                            captured_minor)
   select id, merchant_id, id, 1, 'shoes', 1, requested_minor, captured_minor from orders`,
  `insert into order_claims (site_id, reference, merchant_id, order_id, transaction_id, state,
                             content, claimed_at, mode, ended_at)
   select site_id, reference, merchant_id, id, id, 'approved', sha256(reference::bytea), created_at,
          mode, created_at
     from orders where state = 'authorized'`,
  ...['order', 'transaction', 'request', 'line', 'customer', 'payment_method'].map(
    (name) => `select setval('${name}_ids', ${AFTER_ALL})`,
  ),
  `select keep_request_ranges(${AFTER_ALL})`,
  'vacuum analyze',
]

/** Warms it up, and has cards and orders to use from then on. */
async function prepare(side: Side): Promise<void> {
  const warmUp = { connections: BUSY, seconds: WARM_UP_SECONDS }
  await loadGateway(side.gateway, { what: APPROVED, bodies: authorizations(), ...warmUp })
  const sold = await loadGateway(side.gateway, {
    what: APPROVED,
    bodies: sales(),
    connections: BUSY,
    seconds: 5,
    collect: IDS,
  })
  side.cards.push(...idsOf(sold.collected).slice(0, ASKED_FOR))
  side.orders = side.cards.map(({ order }) => order)
  // The history has no advices. A statement that was planned for an empty table reads all of it,
  // until autovacuum has seen the new rows.
  await query(socketFolder(side.dataDir), 'analyze')
}

async function measure(empty: Side, filled: Side): Promise<Row[]> {
  const rows: Row[] = []
  const row = async (
    name: string,
    connections: number,
    load: (side: Side) => Pick<Load, 'bodies'> & Partial<Load>,
  ): Promise<void> => {
    report(`Measuring ${name} at ${connections} connections ...`)
    const measured: Row = { name, connections, empty: [], filled: [] }
    for (const side of [empty, filled, filled, empty]) {
      await checkpoint(socketFolder(side.dataDir))
      const all = { what: APPROVED, connections, seconds: SECONDS, ...load(side) }
      const loads = side === empty ? measured.empty : measured.filled
      loads.push(await loadGateway(side.gateway, all))
    }
    report(`${ratio(measured)} of the rate without orders`)
    rows.push(measured)
  }
  await row('authorizations', BUSY, () => ({ bodies: authorizations() }))
  const once = { isEachSentOnce: true }
  await row('sales with a reference', BUSY, () => ({
    bodies: referencedSales(SALES_OF_A_RUN),
    ...once,
  }))
  await row('saved-card sales', BUSY, ({ cards }) => ({ bodies: savedCardSales(cards) }))
  await row('inquiries', BUSY, ({ orders }) => ({ bodies: statusesOf(orders), what: LISTED }))
  await row('authorizations', 1, () => ({ bodies: authorizations() }))
  await row('sales with a reference', 1, () => ({
    bodies: referencedSales(SALES_OF_A_RUN),
    ...once,
  }))
  await row('saved-card sales', 1, ({ cards }) => ({ bodies: savedCardSales(cards) }))
  await row('inquiries', 1, ({ orders }) => ({ bodies: statusesOf(orders), what: LISTED }))
  return rows
}

function ratio({ empty, filled }: Row): string {
  return (meanOf(filled, 'perSecond') / meanOf(empty, 'perSecond')).toFixed(2)
}

function result(rows: readonly Row[]): string {
  const pair = (row: Row, of: (loads: readonly GatewayLoad[]) => number, digits: number): string =>
    `${of(row.empty).toFixed(digits)} : ${of(row.filled).toFixed(digits)}`
  return table<Row>(
    [
      ['requests', ({ name }) => name],
      ['connections', ({ connections }) => String(connections)],
      ['per second', (row) => pair(row, (loads) => meanOf(loads, 'perSecond'), 0)],
      ['ratio', ratio],
      ['p50 ms', (row) => pair(row, (loads) => meanOf(loads, 'p50Ms'), 1)],
      ['p99 ms', (row) => pair(row, (loads) => meanOf(loads, 'p99Ms'), 1)],
      ['database µs', (row) => pair(row, (loads) => meanCost(loads)?.database ?? NaN, 0)],
    ],
    rows,
  )
}

function report(line: string): void {
  process.stderr.write(`${line}\n`)
}

function print(text: string): void {
  process.stdout.write(`Without orders : with them\n\n${text}\n`)
}

const orders = Number(process.argv[2] ?? 1_000_000)
if (!Number.isInteger(orders) || orders < 1_000) {
  process.stderr.write(USAGE)
  process.exitCode = 1
} else {
  await run(orders)
}
