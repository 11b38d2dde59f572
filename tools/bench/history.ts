// `npm run bench:history`: what years of orders cost the next ones, and the pages of the portal and
// of /api/v1. Two databases of this build are measured in turn, one with some thousand orders and
// one with many.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { meanCost, meanOf } from './compare.ts'
import { BEFORE_ORDERS, writeHistory } from './history-orders.ts'
import { measurePages } from './history-pages.ts'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import { IDS, idsOf, type OrderIds } from './other-requests.ts'
import { table } from './report.ts'
import { checkpoint, query, socketFolder } from './tpcb.ts'
import {
  APPROVED,
  authorizations,
  DUPLICATE,
  duplicatesOf,
  LISTED,
  loadGateway,
  referencedSales,
  sales,
  savedCardSales,
  statusesOf,
  statusesOfReferences,
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
/** Those of the other database. A filter of the portal has too many there to list them by ids. */
const FEW_ORDERS = 20_000

interface Side {
  readonly gateway: MeasuredGateway
  readonly dataDir: string
  /** Orders of its history. */
  readonly size: number
  readonly cards: OrderIds[]
  /** Orders of its history that were approved, to ask for, and their references. */
  readonly orders: readonly string[]
  readonly references: readonly string[]
}

interface Row {
  readonly name: string
  readonly connections: number
  readonly few: GatewayLoad[]
  readonly many: GatewayLoad[]
}

async function run(orders: number): Promise<void> {
  const sides: Side[] = []
  try {
    report('Starting two gateways ...')
    const few = await startSide(sides, FEW_ORDERS)
    const many = await startSide(sides, orders)
    for (const side of sides) await fill(side)
    print(await measurePages(few.gateway, many.gateway, report))
    report('Warming up ...')
    for (const side of sides) await prepare(side)
    print(result(await measure(few, many)))
  } finally {
    for (const { gateway, dataDir } of sides) {
      await gateway.stop()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  }
}

async function startSide(sides: Side[], size: number): Promise<Side> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-history-'))
  const checkout = THIS_CHECKOUT
  const gateway = await startGateway({ checkout, dataDir, workers: 2, profileDir: null })
  // From its beginning to its end.
  const length = Math.min(ASKED_FOR, Math.floor(size / 10))
  const step = Math.floor(size / 10 / length)
  const places = Array.from({ length }, (_, at) => 5 + at * step * 10)
  const side: Side = {
    gateway,
    dataDir,
    size,
    cards: [],
    orders: places.map((place) => String(BEFORE_ORDERS + place)),
    references: places.map((place) => `REF-${place}`),
  }
  sides.push(side)
  return side
}

async function fill({ dataDir, size }: Side): Promise<void> {
  report(`Writing ${size.toLocaleString('en-US')} orders ...`)
  const began = performance.now()
  const bytes = await writeHistory(socketFolder(dataDir), size)
  report(`Written in ${Math.round((performance.now() - began) / 1_000)} s: ${bytes}`)
}

/** Warms it up, and has cards to use from then on. */
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
  // Both have statistics of the same age.
  await query(socketFolder(side.dataDir), 'analyze')
}

async function measure(few: Side, many: Side): Promise<Row[]> {
  const rows: Row[] = []
  const row = async (
    name: string,
    connections: number,
    load: (side: Side) => Pick<Load, 'bodies'> & Partial<Load>,
  ): Promise<void> => {
    report(`Measuring ${name} at ${connections} connections ...`)
    const measured: Row = { name, connections, few: [], many: [] }
    for (const side of [few, many, many, few]) {
      await checkpoint(socketFolder(side.dataDir))
      const all = { what: APPROVED, connections, seconds: SECONDS, ...load(side) }
      const loads = side === few ? measured.few : measured.many
      loads.push(await loadGateway(side.gateway, all))
    }
    report(`${ratio(measured)} of the rate with few orders`)
    rows.push(measured)
  }
  for (const connections of [BUSY, 1]) {
    await row('authorizations', connections, () => ({ bodies: authorizations() }))
    await row('sales with a reference', connections, () => ({
      bodies: referencedSales(SALES_OF_A_RUN),
      isEachSentOnce: true,
    }))
    await row('saved-card sales', connections, ({ cards }) => ({ bodies: savedCardSales(cards) }))
    await row('inquiries', connections, ({ orders }) => ({
      bodies: statusesOf(orders),
      what: LISTED,
    }))
    await row('inquiries by reference', connections, ({ references }) => ({
      bodies: statusesOfReferences(references),
      what: LISTED,
    }))
    await row('duplicates', connections, ({ references }) => ({
      bodies: duplicatesOf(references),
      what: DUPLICATE,
    }))
  }
  return rows
}

function ratio({ few, many }: Row): string {
  return (meanOf(many, 'perSecond') / meanOf(few, 'perSecond')).toFixed(2)
}

function result(rows: readonly Row[]): string {
  const pair = (row: Row, of: (loads: readonly GatewayLoad[]) => number, digits: number): string =>
    `${of(row.few).toFixed(digits)} : ${of(row.many).toFixed(digits)}`
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
  process.stdout.write(`With few orders : with many\n\n${text}\n`)
}

const orders = Number(process.argv[2] ?? 1_000_000)
if (!Number.isInteger(orders) || orders < 1_000) {
  process.stderr.write(USAGE)
  process.exitCode = 1
} else {
  await run(orders)
}
