// `npm run bench:vault-process`: the processor time of a payment with and without the vault
// process. Two gateways run side by side, and are measured in turn. New cards are encrypted, and
// saved ones are opened.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway, THIS_CHECKOUT, type MeasuredGateway } from './measured-servers.ts'
import { IDS, idsOf } from './other-requests.ts'
import { checkpoint, socketFolder } from './tpcb.ts'
import { APPROVED, authorizations, loadGateway, sales, savedCardSales } from './workload.ts'

const WORKERS = 2
const WARM_UP_SECONDS = 8
const CONNECTIONS = [16, 64, 256]
const TURNS = ['off', 'on', 'on', 'off', 'off', 'on'] as const
const CARDS = 1_000

const seconds = Number(process.argv[2] ?? 4)
if (!Number.isInteger(seconds) || seconds < 1) {
  process.stderr.write('Usage: npm run bench:vault-process [-- SECONDS]\n')
  process.exit(1)
}

function row(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

interface Side {
  readonly gateway: MeasuredGateway
  readonly socketDir: string
  readonly bodies: Readonly<Record<'new' | 'saved', readonly string[]>>
}

interface Cost {
  /** Microseconds of gateway with vault process, database and bank. */
  readonly whole: number
  /** Of the gateway with the vault process alone. */
  readonly gateway: number
  readonly p50Ms: number
}

async function costOf(side: Side, card: 'new' | 'saved', connections: number): Promise<Cost> {
  await checkpoint(side.socketDir)
  const load = { what: APPROVED, bodies: [...side.bodies[card]], connections, seconds }
  const { cost, p50Ms } = await loadGateway(side.gateway, load)
  if (cost === null) throw new Error('The system does not report processor time.')
  return { whole: cost.gateway + cost.database + cost.bank, gateway: cost.gateway, p50Ms }
}

async function compare(
  sides: Record<'on' | 'off', Side>,
  card: 'new' | 'saved',
  connections: number,
): Promise<void> {
  const costs: Record<'on' | 'off', Cost[]> = { on: [], off: [] }
  for (const turn of TURNS) costs[turn].push(await costOf(sides[turn], card, connections))
  // Other work of the machine only adds to a turn.
  const of = (side: 'on' | 'off', figure: keyof Cost): number =>
    Math.min(...costs[side].map((cost) => cost[figure]))
  const more = (of('on', 'whole') / of('off', 'whole') - 1) * 100
  const both = (figure: keyof Cost, digits: number): string[] => [
    of('off', figure).toFixed(digits),
    of('on', figure).toFixed(digits),
  ]
  row([
    card,
    String(connections),
    ...both('whole', 0),
    `${more.toFixed(1)} %`,
    ...both('gateway', 0),
    ...both('p50Ms', 1),
  ])
}

const folders: string[] = []
const gateways: MeasuredGateway[] = []
try {
  const start = async (vaultProcess: 'on' | 'off'): Promise<Side> => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
    folders.push(dataDir)
    const server = { checkout: THIS_CHECKOUT, dataDir, workers: WORKERS, profileDir: null }
    const settings = { VAULT_PROCESS: vaultProcess, VAULT_OPENINGS_PER_MINUTE: '10000000' }
    const gateway = await startGateway({ ...server, settings })
    gateways.push(gateway)
    const warmUp = { what: APPROVED, connections: 64, seconds: WARM_UP_SECONDS }
    const sold = await loadGateway(gateway, { ...warmUp, bodies: sales(), collect: IDS })
    const saved = savedCardSales(idsOf(sold.collected).slice(0, CARDS))
    await loadGateway(gateway, { ...warmUp, bodies: saved })
    const bodies = { new: authorizations(), saved }
    return { gateway, socketDir: socketFolder(dataDir), bodies }
  }
  const off = await start('off')
  const on = await start('on')
  row([
    'Card',
    'Connections',
    'Off, µs',
    'On, µs',
    'More',
    'Gateway off',
    'on',
    'p50 off, ms',
    'on',
  ])
  for (const card of ['new', 'saved'] as const)
    for (const connections of CONNECTIONS) await compare({ on, off }, card, connections)
} finally {
  for (const gateway of gateways) await gateway.stop()
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
