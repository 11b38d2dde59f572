// `npm run bench:webhooks`: deliveries a second to a fast receiver, and the cost of deliveries to
// payments, with and without an endpoint in turn.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  addEndpoint,
  removeEndpoint,
  setEndpoint,
  startReceiver,
  type MeasuredReceiver,
} from './measured-receiver.ts'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import { checkpoint, query, socketFolder } from './tpcb.ts'
import { APPROVED, authorizations, loadGateway, type GatewayLoad } from './workload.ts'

const WORKERS = 2
const WARM_UP_SECONDS = 10
const BACKLOG_SECONDS = 4
const ENDPOINTS = [1, 4]
const LOOK_EVERY_MS = 20
/** A machine that is slower than that has another trouble. */
const DELIVERED_WITHIN_MS = 180_000
const CONNECTIONS = 64
const SETTLE_MS = 1_500
/** Payments a second of a busy shop, and as many as the machine can. */
const RATES: readonly (number | null)[] = [250, null]
const TURNS = ['off', 'on', 'on', 'off', 'off', 'on'] as const

const seconds = Number(process.argv[2] ?? 6)
const profileDir = process.argv[3] ?? null
if (!Number.isInteger(seconds) || seconds < 1) {
  process.stderr.write('Usage: npm run bench:webhooks [-- SECONDS [PROFILE_FOLDER]]\n')
  process.exit(1)
}

interface Measured {
  readonly gateway: MeasuredGateway
  readonly receiver: MeasuredReceiver
  readonly socketDir: string
}

/** Authorizations, each of which makes one event. */
function pay(
  { gateway }: Measured,
  ratePerSecond: number | null,
  forSeconds: number,
): Promise<GatewayLoad> {
  return loadGateway(gateway, {
    what: APPROVED,
    bodies: authorizations(),
    connections: CONNECTIONS,
    seconds: forSeconds,
    ...(ratePerSecond === null ? {} : { ratePerSecond }),
  })
}

/** Events wait for paused endpoints, which are resumed together. */
async function measureDeliveries(measured: Measured, endpoints: number): Promise<void> {
  const { gateway, receiver, socketDir } = measured
  const ids: string[] = []
  for (let at = 0; at < endpoints; at += 1) {
    const id = await addEndpoint(gateway, receiver.url(`backlog-${at}`))
    await setEndpoint(gateway, id, 'pause')
    ids.push(id)
  }
  await pay(measured, null, BACKLOG_SECONDS)
  await pause(SETTLE_MS)
  const { events = '0' } = await query(
    socketDir,
    `select count(*) as events from events v
      where v.site_id = 1001
        and v.position > (select max(position) from webhook_endpoints where id = ${ids.at(-1)})`,
  )
  const wanted = Number(events) * endpoints
  await checkpoint(socketDir)
  const before = await receiver.received()
  const usedBefore = gateway.processorTime()
  const started = performance.now()
  for (const id of ids) await setEndpoint(gateway, id, 'resume')
  let received = before
  while (received.count - before.count < wanted) {
    if (performance.now() - started > DELIVERED_WITHIN_MS) throw new Error('It takes too long.')
    await pause(LOOK_EVERY_MS)
    received = await receiver.received()
  }
  const tookMs = performance.now() - started
  const used = gateway.processorTime()
  const each = (ms: number): string => `${Math.round((ms * 1_000) / wanted)} µs`
  const cost =
    used === null || usedBefore === null
      ? ''
      : `; processor time of each: gateway ${each(used.gateway - usedBefore.gateway)}, ` +
        `database ${each(used.database - usedBefore.database)}, ` +
        `receiver ${each(received.processorMs - before.processorMs)}`
  const perSecond = Math.round(wanted / (tookMs / 1_000))
  print(`${wanted} deliveries to ${endpoints} endpoints: ${perSecond}/s${cost}`)
  for (const id of ids) await removeEndpoint(gateway, id)
}

/** The same payments with and without an endpoint for all events, in turn. */
async function measureCost(measured: Measured, ratePerSecond: number | null): Promise<void> {
  const { gateway, receiver, socketDir } = measured
  const loads: Record<'on' | 'off', GatewayLoad[]> = { on: [], off: [] }
  let delivered = 0
  for (const turn of TURNS) {
    const id = turn === 'on' ? await addEndpoint(gateway, receiver.url('cost')) : null
    await checkpoint(socketDir)
    await pause(SETTLE_MS)
    const { count } = await receiver.received()
    loads[turn].push(await pay(measured, ratePerSecond, seconds))
    delivered += (await receiver.received()).count - count
    if (id !== null) await removeEndpoint(gateway, id)
  }
  const turns = loads.on.length
  const whole = { on: summaryOf(loads.on), off: summaryOf(loads.off) }
  const load = ratePerSecond === null ? `${CONNECTIONS} connections` : `${ratePerSecond}/s offered`
  print(`payments at ${load}, ${turns} turns of ${seconds} s each:`)
  for (const turn of ['off', 'on'] as const) {
    const { micros, p50Ms, p99Ms, perSecond } = whole[turn]
    print(
      `  deliveries ${turn}: ${perSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, ` +
        `p99 ${p99Ms.toFixed(1)} ms, processor time of a payment ${micros.toFixed(0)} µs`,
    )
  }
  print(
    `  on ÷ off: payments a second ${(whole.on.perSecond / whole.off.perSecond).toFixed(3)}, ` +
      `p50 ${(whole.on.p50Ms / whole.off.p50Ms).toFixed(2)}, ` +
      `p99 ${(whole.on.p99Ms / whole.off.p99Ms).toFixed(2)}, ` +
      `processor time of a payment ${(whole.on.micros / whole.off.micros).toFixed(3)}; ` +
      `${Math.round(delivered / turns / seconds)} deliveries a second meanwhile`,
  )
}

function summaryOf(loads: readonly GatewayLoad[]) {
  const mean = (of: (load: GatewayLoad) => number): number =>
    loads.reduce((sum, load) => sum + of(load), 0) / loads.length
  return {
    perSecond: mean(({ perSecond }) => perSecond),
    p50Ms: mean(({ p50Ms }) => p50Ms),
    p99Ms: mean(({ p99Ms }) => p99Ms),
    // With that of the deliveries: other programs of the machine change it little.
    micros: mean(({ cost }) => (cost === null ? Number.NaN : cost.gateway + cost.database)),
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
const receiver = await startReceiver()
try {
  process.stderr.write('Starting the gateway, and warming up ...\n')
  const server = { checkout: THIS_CHECKOUT, dataDir, workers: WORKERS, profileDir }
  const gateway = await startGateway(server)
  try {
    const measured = { gateway, receiver, socketDir: socketFolder(dataDir) }
    await pay(measured, null, WARM_UP_SECONDS)
    for (const endpoints of ENDPOINTS) await measureDeliveries(measured, endpoints)
    for (const rate of RATES) await measureCost(measured, rate)
  } finally {
    await gateway.stop()
  }
} finally {
  await receiver.stop()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
