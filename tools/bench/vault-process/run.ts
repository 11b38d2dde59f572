// `npm run bench:vault-process`: what it costs if a process apart has the data keys, next to the
// processor time of an authorization. A prototype: the gateway has no such process.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway, THIS_CHECKOUT } from '../measured-servers.ts'
import { APPROVED, authorizations, loadGateway } from '../workload.ts'
import { startVaultTurns, WAYS, type VaultTurns, type Way } from './turns.ts'

const WORKERS = 2
const WARM_UP_SECONDS = 6
const LOAD_SECONDS = 3
const AUTHORIZATIONS = 1_536
const TURNS = 5
const CONNECTIONS = [16, 64, 256]

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Of gateway, database and bank for an authorization, in microseconds, by open requests. */
async function measureAuthorizations(folder: string): Promise<ReadonlyMap<number, number>> {
  const gateway = await startGateway({
    checkout: THIS_CHECKOUT,
    dataDir: folder,
    workers: WORKERS,
    profileDir: null,
  })
  try {
    const load = { what: APPROVED, bodies: authorizations() }
    await loadGateway(gateway, { ...load, connections: 64, seconds: WARM_UP_SECONDS })
    const costs = new Map<number, number>()
    for (const connections of CONNECTIONS) {
      const { cost } = await loadGateway(gateway, { ...load, connections, seconds: LOAD_SECONDS })
      costs.set(connections, cost === null ? Number.NaN : cost.gateway + cost.database + cost.bank)
    }
    return costs
  } finally {
    await gateway.stop()
  }
}

/** The ways in turn, so that the machine is the same for all. */
async function measureWays(turns: VaultTurns, group: number): Promise<ReadonlyMap<Way, number>> {
  const results = new Map<Way, number[]>(WAYS.map((way) => [way, []]))
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const way of WAYS) results.get(way)?.push(await turns.run(way, group, AUTHORIZATIONS))
  }
  return new Map([...results].map(([way, micros]) => [way, median(micros)]))
}

/** Alone: no other request is in the frame. Together: all that a worker has open are. */
async function compare(turns: VaultTurns, open: number, micros: number): Promise<void> {
  for (const [arrival, group] of [
    ['alone', 1],
    ['together', open / WORKERS],
  ] as const) {
    const ways = await measureWays(turns, group)
    const inProcess = ways.get('in process') ?? Number.NaN
    for (const [way, each] of ways) {
      const part = ((each - inProcess) * 100) / micros
      print(`| ${open} | ${arrival} | ${way} | ${each.toFixed(1)} | ${part.toFixed(1)} % |`)
    }
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
try {
  const costs = await measureAuthorizations(dataDir)
  for (const [open, micros] of costs) print(`${open} open requests: ${micros.toFixed(0)} µs each`)
  const turns = await startVaultTurns(join(dataDir, 'vault.socket'))
  // The compiler is done then.
  for (const way of WAYS) await turns.run(way, 32, 2 * AUTHORIZATIONS)
  print('| Open | Arrival | Way | µs | More, of an authorization |')
  for (const [open, micros] of costs) await compare(turns, open, micros)
  turns.stop()
} finally {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
