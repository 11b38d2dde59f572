import { hostname } from 'node:os'
import { pino, type Logger } from 'pino'
import { createAuditLog } from '../adapters/postgres/audit/audit-log.ts'
import { awaitDatabase } from '../adapters/postgres/connection/await-database.ts'
import { addressOf } from '../adapters/postgres/connection/cluster-memory.ts'
import { openDatabase, type Database } from '../adapters/postgres/connection/database.ts'
import type { LiveKeyRing } from '../adapters/vault/key-ring.ts'
import { createOpeningLimit } from '../adapters/vault/process/policy.ts'
import { createVaultTally, type VaultTally } from '../adapters/vault/process/vault-figures.ts'
import { startVaultServer } from '../adapters/vault/process/vault-server.ts'
import { subjectDigestKey } from '../adapters/vault/subject-digest.ts'
import { loadConfig, readEnvironment, type GatewayConfig } from '../config/config.ts'
import { vaultSocketOf } from '../config/vault-socket.ts'
import { describeFault } from '../http/payment/fault-record.ts'
import { startWorker } from '../jobs/worker.ts'
import { pause } from './foundation.ts'
import { nodeMemory } from './node-memory.ts'
import { follow } from './part.ts'
import { isUnavailable } from './unavailable.ts'
import { followKeys, openLiveKeys, workWith } from './vault.ts'

type Environment = Readonly<Record<string, string | undefined>>

const CHECK_SERVERS_MS = 5_000
/** The supervisor kills a vault process that does not report for some seconds. */
const REPORT_FIGURES_MS = 1_000
const LOG_BASE = { name: 'vault', node: hostname(), pid: process.pid } as const

/** Followers of this process look always: it hears nothing of the traffic. */
const NEVER_IDLE = { isIdle: () => false, onEnd: () => () => undefined, touch: () => undefined }

/**
 * Runs this process as the vault of a node, until the supervisor stops it. It alone has the data
 * keys, and answers the gateway's workers at the socket that the supervisor named.
 */
export function runVaultProcess(environment: Environment): void {
  run(environment).catch((error: unknown) => {
    const sentence = error instanceof Error ? error.message : String(error)
    pino({ base: LOG_BASE }, pino.destination(2)).fatal(sentence)
    process.exit(1)
  })
}

async function run(environment: Environment): Promise<void> {
  const socket = vaultSocketOf(environment)
  const env = readEnvironment(process.cwd(), { ...environment, TOLLGATE_VAULT_SOCKET: '' })
  const loaded = loadConfig(env)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const { config } = loaded
  if (config.databaseUrl === null || socket === null)
    throw new Error('DATABASE_URL and TOLLGATE_VAULT_SOCKET must be set for the vault process.')
  const logger = pino({ level: config.logLevel, base: LOG_BASE })
  process.on('uncaughtException', (error: unknown) => {
    logger.fatal(describeFault(error), 'uncaught error: the vault process ends')
    process.exit(1)
  })
  const address = addressOf(config.databaseUrl.reveal(), nodeMemory(env, config))
  const database = openDatabase(
    address,
    (error) => logger.warn({ error: error.message }, 'a database connection was lost'),
    (reason) => logger.error({ reason }, 'no server of DATABASE_URL may be written to'),
  )
  const monotonicMs = (): number => performance.now()
  await awaitDatabase({
    ask: () => database.pool.query('select 1'),
    limitMs: config.databaseWaitMs,
    monotonicMs,
    pause,
    onWaiting: (reason, waitedS) =>
      logger.warn({ reason, waitedS }, 'waiting for the database at DATABASE_URL'),
  })
  const processName = `${hostname()}:vault:${process.pid}`
  const keys = await openLiveKeys({ config, database, logger, monotonicMs, processName })
  const tally = createVaultTally()
  const stop = await serve({ config, database, keys, logger, monotonicMs, socket, tally })
  stopWithSupervisor(stop, logger)
  const report = setInterval(
    () =>
      process.send?.({ kind: 'figures', figures: tally.figures() }, undefined, undefined, ignore),
    REPORT_FIGURES_MS,
  )
  report.unref()
  process.send?.({ kind: 'ready' })
}

interface Served {
  readonly config: GatewayConfig
  readonly database: Database
  readonly keys: LiveKeyRing
  readonly logger: Logger
  readonly monotonicMs: () => number
  readonly socket: NonNullable<ReturnType<typeof vaultSocketOf>>
  readonly tally: VaultTally
}

/** Answers at the socket and follows the data keys; returns how to stop. */
async function serve(served: Served): Promise<() => Promise<void>> {
  const { config, database, keys, logger, monotonicMs, socket, tally } = served
  const audit = createAuditLog(database)
  const perMinute = config.vaultOpeningsPerMinute
  const server = await startVaultServer({
    ...socket,
    workFor: (actor) => workWith({ audit, database, logger }, keys, actor),
    digestKey: subjectDigestKey(keys),
    openings: createOpeningLimit(perMinute, monotonicMs),
    isUnavailable,
    onLimit: () =>
      logger.error(
        { perMinute },
        'the limit of opened card numbers is reached: payments with saved cards wait for a minute',
      ),
    onWorked: tally.countWorked,
    onTurnedAway(why) {
      tally.countTurnedAway()
      logger.error({ why }, 'the vault process turned a connection away')
    },
  })
  const followers = [
    followKeys(keys),
    follow('database servers', CHECK_SERVERS_MS, database.checkServers),
  ]
  const worker = startWorker(followers, NEVER_IDLE, (what, error) =>
    logger.error({ what, error: String(error) }, 'a job of the vault process failed'),
  )
  return async () => {
    await server.stop()
    await worker.stop()
    await audit.idle()
    await keys.leave().catch(() => undefined)
    await database.close()
  }
}

function stopWithSupervisor(stop: () => Promise<void>, logger: Logger): void {
  let stopping = false
  const end = (): void => {
    if (stopping) return
    stopping = true
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ error: String(error) }, 'the vault process did not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', end)
  // A Ctrl-C reaches the whole group; the supervisor decides when this process stops.
  process.on('SIGINT', () => undefined)
  process.on('disconnect', end)
}

function ignore(): void {
  // A supervisor that is gone reads no figures.
}
