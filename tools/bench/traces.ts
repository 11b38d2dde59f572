// `npm run bench:traces`: what traces of all requests cost. The spans of a sale are recorded,
// encoded and sent in this process, in turn with the same calls without a recorder. That time is
// compared with the processor time of a sale in a gateway, which runs with and without traces.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReceiver } from './measured-receiver.ts'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import { createRecordedSales } from './recorded-sale.ts'
import { checkpoint, socketFolder } from './tpcb.ts'
import { APPROVED, loadGateway, sales } from './workload.ts'

const WORKERS = 2
const WARM_UP_SECONDS = 8
const SALES = 12_800
const TURNS = 9
const CONNECTIONS = [16, 64, 256]
const GATEWAY_TURNS = ['off', 'on', 'on', 'off'] as const

const seconds = Number(process.argv[2] ?? 5)
if (!Number.isInteger(seconds) || seconds < 1) {
  process.stderr.write('Usage: npm run bench:traces [-- SECONDS]\n')
  process.exit(1)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Microseconds for each sale: the median of the differences of neighbouring turns. */
async function measureRecorder(url: string): Promise<number> {
  const without = createRecordedSales(null)
  const recorded = createRecordedSales(url)
  await without.measure(SALES)
  await recorded.measure(SALES)
  const differences: number[] = []
  for (let turn = 0; turn < TURNS; turn += 1) {
    const plain = await without.measure(SALES)
    differences.push((await recorded.measure(SALES)) - plain)
  }
  const shown = differences.map((each) => each.toFixed(1)).join(', ')
  print(`spans of a sale: ${median(differences).toFixed(1)} µs (turns: ${shown})`)
  return median(differences)
}

interface Side {
  readonly gateway: MeasuredGateway
  readonly socketDir: string
}

/** Microseconds of gateway, database and bank for a sale. */
async function costOfSale({ gateway, socketDir }: Side, connections: number): Promise<number> {
  await checkpoint(socketDir)
  const load = { ...APPROVED_SALES, connections, seconds }
  const { cost } = await loadGateway(gateway, load)
  return cost === null ? Number.NaN : cost.gateway + cost.database + cost.bank
}

const APPROVED_SALES = { what: APPROVED, bodies: sales() }

async function measureGateways(sides: Record<'on' | 'off', Side>, micros: number): Promise<void> {
  for (const connections of CONNECTIONS) {
    const costs: Record<'on' | 'off', number[]> = { on: [], off: [] }
    for (const turn of GATEWAY_TURNS) costs[turn].push(await costOfSale(sides[turn], connections))
    const off = Math.min(...costs.off)
    const on = Math.min(...costs.on)
    print(
      `${connections} connections: a sale without traces ${off.toFixed(0)} µs, with ` +
        `${on.toFixed(0)} µs (${(on / off).toFixed(3)}); its spans are ` +
        `${((micros * 100) / off).toFixed(1)} % of it`,
    )
  }
}

const collector = await startReceiver()
const folders: string[] = []
const gateways: MeasuredGateway[] = []
try {
  const micros = await measureRecorder(collector.url('v1/traces'))
  const start = async (settings: Readonly<Record<string, string>>): Promise<Side> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
    folders.push(dataDir)
    const server = { checkout: THIS_CHECKOUT, dataDir, workers: WORKERS, profileDir: null }
    const gateway = await startGateway({ ...server, settings })
    gateways.push(gateway)
    await loadGateway(gateway, { ...APPROVED_SALES, connections: 64, seconds: WARM_UP_SECONDS })
    return { gateway, socketDir: socketFolder(dataDir) }
  }
  const off = await start({})
  const on = await start({ TRACES_URL: collector.url('v1/traces') })
  await measureGateways({ on, off }, micros)
} finally {
  for (const gateway of gateways) await gateway.stop()
  await collector.stop()
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
