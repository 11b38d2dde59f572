import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import { checkpoint, databaseOptions, query, socketFolder } from './tpcb.ts'
import { APPROVED, authorizations, loadGateway, type GatewayLoad } from './workload.ts'

/** As many as give the most authorizations a second, with a place at a worker for each. */
const CAPACITY_CONNECTIONS = 256
/** More than two workers have places and waiting room for, so that requests are refused. */
const FLOOD_CONNECTIONS = 3_000
const TIMES_CAPACITY = 2
const WARM_UP_SECONDS = 15
/** Beyond the time that a payment waits for the bank. */
const FINISHED_WITHIN_MS = 40_000
const LOOK_AGAIN_MS = 500
const ORDER_ID = '"PO_ID":"?(\\d+)'

/** How a gateway does at twice its capacity. */
interface Overload {
  /** Each connection sends at every answer. */
  readonly capacity: GatewayLoad
  /** Write-ahead log of an authorization at the capacity, with everything else that is written. */
  readonly walBytes: number
  /** Authorizations that were to be sent a second. */
  readonly offeredPerSecond: number
  readonly flood: GatewayLoad
  /** Answers APPROVED, from the first moment of the flood. */
  readonly approved: number
  /** Of these, orders that are not authorized in the database. */
  readonly lost: number
  /** Transactions without an outcome after the flood. */
  readonly open: number
}

/**
 * Starts a gateway, measures it and prints the result.
 * @returns 1 where an accepted payment was lost, else 0.
 */
export async function runOverload(
  dataDir: string,
  workers: number,
  seconds: number,
  onProgress: (line: string) => void,
): Promise<number> {
  onProgress(`Starting the gateway with ${workers} workers ...`)
  const server = { checkout: THIS_CHECKOUT, dataDir, workers, profileDir: null }
  const gateway = await startGateway(server)
  try {
    const measured = await measureOverload(gateway, socketFolder(dataDir), seconds, onProgress)
    process.stdout.write(`\n${overloadText(measured)}\n`)
    return measured.lost === 0 ? 0 : 1
  } finally {
    await gateway.stop()
  }
}

/**
 * Measures the capacity, sends twice of it at a fixed rate, and looks for every approved order in
 * the database.
 */
async function measureOverload(
  gateway: MeasuredGateway,
  socketDir: string,
  seconds: number,
  onProgress: (line: string) => void,
): Promise<Overload> {
  const load = { what: APPROVED, bodies: authorizations() }
  const closed = { ...load, connections: CAPACITY_CONNECTIONS }
  onProgress('Warming up ...')
  await loadGateway(gateway, { ...closed, seconds: WARM_UP_SECONDS })
  onProgress(`Measuring the capacity at ${CAPACITY_CONNECTIONS} connections ...`)
  await checkpoint(socketDir)
  const before = await readWritten(socketDir)
  const capacity = await loadGateway(gateway, { ...closed, seconds })
  const after = await readWritten(socketDir)
  const offeredPerSecond = Math.round(TIMES_CAPACITY * capacity.perSecond)
  onProgress(`Sending ${offeredPerSecond} a second ...`)
  await checkpoint(socketDir)
  const flood = await loadGateway(gateway, {
    ...load,
    seconds,
    connections: FLOOD_CONNECTIONS,
    ratePerSecond: offeredPerSecond,
    mayBeRefused: true,
    collect: ORDER_ID,
  })
  onProgress('Looking for the approved orders ...')
  const { collected } = flood
  const approved = new Set(collected).size
  const kept = await findKept(socketDir, collected)
  return {
    capacity,
    walBytes: (after.walBytes - before.walBytes) / (after.payments - before.payments),
    offeredPerSecond,
    flood,
    approved: collected.length,
    lost: collected.length - approved + approved - kept.authorized,
    open: kept.open,
  }
}

async function readWritten(
  socketDir: string,
): Promise<{ readonly walBytes: number; readonly payments: number }> {
  const row = await query(
    socketDir,
    `select pg_current_wal_insert_lsn() - '0/0' as wal, count(*) as payments from transactions`,
  )
  return { walBytes: Number(row['wal']), payments: Number(row['payments']) }
}

async function findKept(
  socketDir: string,
  orderIds: readonly string[],
): Promise<{ readonly authorized: number; readonly open: number }> {
  const client = new pg.Client(databaseOptions(socketDir))
  await client.connect()
  try {
    const count = async (from: string, values: readonly unknown[] = []): Promise<number> => {
      const { rows } = await client.query<{ n: number }>(`select count(*)::int n from ${from}`, [
        ...values,
      ])
      return rows[0]?.n ?? 0
    }
    const countOpen = (): Promise<number> => count(`transactions where state = 'running'`)
    // The load ends with requests under way, which the gateway finishes.
    const until = performance.now() + FINISHED_WITHIN_MS
    while ((await countOpen()) > 0 && performance.now() < until) await pause(LOOK_AGAIN_MS)
    const approved = `orders where id = any($1::bigint[]) and state = 'authorized'`
    return { authorized: await count(approved, [orderIds]), open: await countOpen() }
  } finally {
    await client.end()
  }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** The result as lines of Markdown. */
function overloadText(measured: Overload): string {
  const { approved, capacity, flood, lost, offeredPerSecond, open, walBytes } = measured
  const seconds = flood.requests / flood.perSecond
  const refusedPerSecond = flood.refused / seconds
  const answered = flood.perSecond + refusedPerSecond
  return [
    `| Twice the capacity | |`,
    `|---|---:|`,
    `| capacity at ${CAPACITY_CONNECTIONS} connections, a second | ${whole(capacity.perSecond)} |`,
    `| write-ahead log of an authorization | ${whole(walBytes)} bytes |`,
    `| offered a second | ${whole(offeredPerSecond)} |`,
    `| answered a second | ${whole(answered)} |`,
    `| accepted and approved a second | ${whole(flood.perSecond)} |`,
    `| accepted ÷ capacity | ${percent(flood.perSecond / capacity.perSecond)} |`,
    `| 503 with Retry-After ÷ answered | ${percent(refusedPerSecond / answered)} |`,
    `| p99 of a 503 | ${whole(flood.refusedP99Ms)} ms |`,
    `| p50 and p99 of an approval | ${whole(flood.p50Ms)} and ${whole(flood.p99Ms)} ms |`,
    `| approved answers, from the first request on | ${whole(approved)} |`,
    `| of these not authorized in the database | ${whole(lost)} |`,
    `| transactions without an outcome afterwards | ${whole(open)} |`,
  ].join('\n')
}
