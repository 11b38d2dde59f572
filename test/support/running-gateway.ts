import { startBank, type Bank, type BankOptions } from '@tollgate/bank'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@tollgate/tollgate'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { systemClock, type Clock } from '../../packages/gateway/src/base/clock.ts'
import type { Secret } from '../../packages/gateway/src/base/secret.ts'
import type { PortalRoute } from '../../packages/gateway/src/portal/shell/portal-route.ts'
import type { LinkStateView } from '../../packages/gateway/src/usecases/banks/processor-links.ts'
import { startGateway } from '../../packages/gateway/src/wiring/gateway.ts'
import { prepareDatabase } from '../../packages/gateway/src/wiring/prepare-database.ts'
import { traceOptions } from '../../packages/gateway/src/wiring/traces.ts'
import { processesInside } from '../../packages/tollgate/src/running-process.ts'
import {
  layCluster,
  layPreparedCluster,
  UNSYNCED,
} from '../../packages/tollgate/test/cluster-template.ts'
import { killAll } from '../../packages/tollgate/test/program.ts'
import { configure, vaultKeyFile } from './gateway-configuration.ts'
import { guardStates } from './state-guard.ts'

/** A whole gateway of its own for one test file: PostgreSQL, the bank, and the HTTP port. */
export interface RunningGateway {
  /** A client of the published demo merchants; site 1001 when none is named. */
  client(site?: 1001 | 1002 | 1003): SingleRequestClient
  readonly baseUrl: string
  readonly pool: pg.Pool
  readonly databaseUrl: string
  readonly bank: Bank
  /** The metrics of the gateway as Prometheus reads them. */
  metrics(): Promise<string>
  /**
   * Settings for another node on the same database, bank and keys; its ports are still to choose.
   */
  readonly nodeSettings: Readonly<Record<string, string>>
  /** The key-encrypting key, for tests that run commands of the operator. */
  readonly vaultKey: Secret
  /** Everything that the portal's API answers. */
  readonly portalRoutes: readonly PortalRoute[]
  /** The bundled bank first, then every processor link in use. */
  linkStates(): LinkStateView[]
  /** Everything that was logged so far, down to the finest level. */
  logged(): string
  /** The folder that the database's data is in; `cluster` in there is the server's own. */
  readonly databaseFolder: string
  /** Ends the server, by SIGKILL to each of its processes when it shall crash. */
  stopDatabase(how?: 'fast' | 'crash'): Promise<void>
  startDatabase(): Promise<void>
  isDatabaseRunning(): boolean
  stopBank(): Promise<void>
  /** Ends this process' gateway; the database and the bank stay. */
  stopGateway(): Promise<void>
  stop(): Promise<void>
}

/** The folder of Debian's PostgreSQL, which `TOLLGATE_TEST_DATABASE=debian` selects. */
const DEBIAN_BINARIES = '/usr/lib/postgresql/15/bin'

/** How many nodes serve behind a balancer, instead of this process; 0 for none. */
const NODES = Number(process.env['TOLLGATE_TEST_NODES'] ?? 0)

const PASSWORDS = { demo: 'Sandbox-4.14-demo', other: 'Sandbox-4.14-other' } as const

/** Parameters that log a client of the site in, for forms that a test writes itself. */
export function credentials(site: 1001 | 1002 | 1003 = 1001): Record<string, string> {
  const name = site === 1002 ? 'other' : 'demo'
  return {
    REQ_USERNAME: `${name}@tollgate.test`,
    REQ_PASSWORD: PASSWORDS[name],
    SITE_ID: String(site),
    REQUEST_API_VERSION: '4.14',
  }
}

type Undo = () => unknown

/** Puts something between gateway and bank: gets the bank's port, gives the one to connect to. */
export type BankDetour = (bankPort: number) => Promise<number>

/** How the database differs from the usual one. */
export interface DatabaseChanges {
  /** The folder of its data, instead of the test's own. */
  readonly folder?: string
  /** Server settings by name; they win over `UNSYNCED`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Puts something before the server: gets its address, gives the one for the gateway. */
  readonly detour?: (url: string) => Promise<string>
}

/** The simulated Directory Server and ACS beside the bank. Authentication fails without them. */
export interface ThreeDsChanges {
  /** How much faster than the protocol time goes. */
  readonly timeScale?: number
}

/** Starts everything in this process; when one part does not start, the others are stopped. */
export async function startRunningGateway(
  settings: Readonly<Record<string, string>> = {},
  detour: BankDetour = (bankPort) => Promise.resolve(bankPort),
  changes: DatabaseChanges = {},
  threeDs: ThreeDsChanges | null = null,
  clock: Clock = systemClock,
  bank: Pick<BankOptions, 'makesDueFiles'> = {},
): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-scenario-'))
  const undo: Undo[] = [() => rmSync(folder, { recursive: true, force: true })]
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step()
  }
  try {
    return await startParts(folder, settings, detour, changes, threeDs, clock, bank, undo, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function startParts(
  folder: string,
  settings: Readonly<Record<string, string>>,
  detour: BankDetour,
  changes: DatabaseChanges,
  threeDs: ThreeDsChanges | null,
  clock: Clock,
  bankOptions: Pick<BankOptions, 'makesDueFiles'>,
  undo: Undo[],
  stop: () => Promise<void>,
): Promise<RunningGateway> {
  const isDebian = process.env['TOLLGATE_TEST_DATABASE'] === 'debian'
  const databaseFolder = changes.folder ?? join(folder, 'postgres')
  if (!isDebian) {
    const keyFile = vaultKeyFile(folder, settings)
    if (keyFile === null) layCluster(databaseFolder)
    else layPreparedCluster(databaseFolder, keyFile)
  }
  const startDatabase = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({
      dataDir: databaseFolder,
      ...(isDebian ? { binDir: DEBIAN_BINARIES } : {}),
      settings: { ...UNSYNCED, ...changes.settings },
    })
  let isDatabaseRunning = true
  const runDatabase = async (): Promise<EmbeddedPostgres> => {
    const started = await startDatabase()
    isDatabaseRunning = true
    void started.exited.then(() => (isDatabaseRunning = false))
    return started
  }
  let database = await runDatabase()
  undo.push(() => database.stop())
  const timeout = settings['BANK_TIMEOUT_MS']
  const bank = await startBank({
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    // The bank has to be later than the gateway waits, for faults that make it late.
    ...(timeout === undefined ? {} : { gatewayTimeoutMs: Number(timeout) }),
    // A gateway with this DATA_DIR reads the addresses of the simulator there.
    folder: join(folder, 'data', 'bank'),
    ...bankOptions,
    ...(threeDs === null ? {} : { threeDs: simulator(threeDs) }),
    now: Date.now,
    warn: () => undefined,
    onFatal: (error) => {
      throw error
    },
  })
  let isBankUp = true
  const stopBank = async (): Promise<void> => {
    if (!isBankUp) return
    isBankUp = false
    await bank.stop()
  }
  undo.push(stopBank)

  const shared = { BANK_PORT: String(await detour(bank.port)), ...settings }
  const config = await configure(folder, shared)
  const gatewayUrl = (await changes.detour?.(database.url)) ?? database.url
  await prepareDatabase({ databaseUrl: database.url, vaultKey: config.vaultKey, sandbox: true })
  const pool = new pg.Pool({ connectionString: database.url, max: 4 })
  pool.on('error', () => undefined) // A database that a test takes away.
  undo.push(() => pool.end())
  await guardStates(pool)
  const log: string[] = []
  const gateway = await startGateway({
    config: config.config,
    databaseUrl: gatewayUrl,
    runJobs: NODES === 0,
    clock,
    // Without time, process and host: tests assert that certain digits are not in the log.
    logger: pino(
      { level: 'trace', base: null, timestamp: false, ...traceOptions(config.config) },
      { write: (line: string) => void log.push(line) },
    ),
  })
  let stopped: Promise<void> | null = null
  const stopGateway = (): Promise<void> => (stopped ??= gateway.stop())
  undo.push(stopGateway)
  const [ownUrl] = gateway.addresses
  if (ownUrl === undefined) throw new Error('The gateway listens at no address.')
  const nodeSettings = { ...shared, DATA_DIR: join(folder, 'data'), DATABASE_URL: gatewayUrl }
  const nodes = NODES === 0 ? null : await startNodes(nodeSettings)
  undo.push(() => nodes?.stop())
  const { baseUrl } = nodes ?? { baseUrl: ownUrl }

  return {
    client: (site = 1001) => {
      const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials(site)
      return createSingleRequestClient({ baseUrl, username, password, siteId: site })
    },
    baseUrl,
    pool,
    databaseUrl: database.url,
    bank,
    metrics: () => gateway.metrics.registry.metrics(),
    nodeSettings,
    vaultKey: config.vaultKey,
    portalRoutes: gateway.portalRoutes,
    linkStates: gateway.linkStates,
    logged: () => log.join(''),
    databaseFolder,
    async stopDatabase(how = 'fast') {
      if (how === 'fast') return database.stop()
      const cluster = realpathSync(join(databaseFolder, 'cluster'))
      killAll(processesInside(cluster))
      await database.exited
    },
    async startDatabase() {
      database = await runDatabase()
    },
    isDatabaseRunning: () => isDatabaseRunning,
    stopBank,
    stopGateway,
    stop,
  }
}

/** Loaded only where nodes were asked for: most tests start no program. */
async function startNodes(settings: RunningGateway['nodeSettings']) {
  const { startSeveralNodes } = await import('./several-nodes.ts')
  return startSeveralNodes(settings, NODES)
}

function simulator({ timeScale = 1 }: ThreeDsChanges) {
  const anyPort = { port: 0, mayMove: true }
  const host = 'localhost'
  return { ds: anyPort, acs: anyPort, acsBack: anyPort, dsHost: host, acsHost: host, timeScale }
}
