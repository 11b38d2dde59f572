import { loadConfig, type GatewayConfig } from '@tollgate/gateway/config'
import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { announcement } from './announcement.ts'
import {
  superviseBackup,
  withoutBackup,
  type SupervisedBackup,
} from './backup/supervised-backup.ts'
import {
  createBundledBankMetrics,
  NO_DEBUGGER,
  startBundledBank,
  type BundledBank,
} from './bundled-bank.ts'
import { createVaultKey, prepareDataFolder } from './data-folder.ts'
import { checkDatabase, externalDatabase } from './external-database.ts'
import { prepareWorkers, superviseWorker } from './gateway-worker.ts'
import { asStartupError, keepPostgres, type KeptPostgres } from './kept-postgres.ts'
import type { Log } from './log.ts'
import { thisMachine } from './machine.ts'
import { startMetrics } from './metrics-server.ts'
import { processesOf, watchNode } from './process-metrics.ts'
import { resolvePorts } from './resolve-ports.ts'
import { reportReady } from './service-manager.ts'
import { StartupError } from './startup-error.ts'
import type { SupervisedProcess } from './supervised-process.ts'
import { shareTicketKeys } from './ticket-keys.ts'
import { superviseVault, type SupervisedVault } from './vault-process.ts'

/** Room for a worker's last requests, which may wait for their bank for as long as 30 s. */
const WORKER_STOP_MS = 38_000
const BANK_STOP_MS = 2_000
const VAULT_STOP_MS = 5_000

/** The programs of the other packages, as paths of their main files. */
export interface EntryPoints {
  readonly prepare: string
  readonly bank: string
  readonly gateway: string
  readonly vault: string
}

export interface StartOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly entries: EntryPoints
  readonly log: Log
  /** Prints the reason why Tollgate cannot start or continue. */
  readonly complain: (sentence: string) => void
  /** Prints the ready line, the credentials and the curl line. */
  readonly print: (text: string) => void
}

export interface RunningTollgate {
  /** Resolves when everything has stopped: 0 after a request, 1 after an error (in the log). */
  readonly finished: Promise<number>
  /** Stops everything in order, within 60 s. Only requests at the bank and backups take time. */
  stop(): void
  /** Ends everything at once. The database is safe, but has work to do at its next start. */
  kill(): void
}

type Environment = Record<string, string | undefined>

/** Reads the configuration or says everything that is wrong with it. */
function requireConfig(env: Environment): { config: GatewayConfig; warnings: readonly string[] } {
  const loaded = loadConfig(env)
  if (!loaded.ok) throw new StartupError(loaded.problems.join('\n'))
  return loaded
}

/** Starts a program that does its work and ends; its own lines report errors. */
function runToEnd(entry: string, env: Environment, children: Set<ChildProcess>): Promise<void> {
  const child = fork(entry, [], {
    env,
    execArgv: [...process.execArgv, NO_DEBUGGER],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.add(child)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('error', (error) =>
    reject(new StartupError(`${entry} cannot be run: ${error.message}.`)),
  )
  child.once('exit', (code, signal) => {
    children.delete(child)
    if (code === 0) resolve()
    else
      reject(
        new StartupError(`The database could not be prepared (${signal ?? `exit code ${code}`}).`),
      )
  })
  return promise
}

/**
 * Starts the database, the bank and the gateway's workers, in this order. It keeps them running
 * until a stop is requested or one of them ends repeatedly.
 */
export function startTollgate(options: StartOptions): RunningTollgate {
  const { log, entries } = options
  const stopRequested = Promise.withResolvers<never>()
  stopRequested.promise.catch(() => {})
  const finished = Promise.withResolvers<number>()
  const aborted = new AbortController()
  const oneShots = new Set<ChildProcess>()
  const workers: SupervisedProcess[] = []
  const tickets = shareTicketKeys()
  const bankMetrics = createBundledBankMetrics()
  let bank: BundledBank | null = null
  let vault: SupervisedVault | null = null
  let metrics: { stop(): Promise<void> } | null = null
  let postgres: KeptPostgres | null = null
  let backup: SupervisedBackup | null = null
  let release = (): void => {}
  let stopMs = WORKER_STOP_MS
  let stopping = false
  let killed = false

  const stopAll = async (exitCode: number, sentence?: string): Promise<void> => {
    if (stopping) return
    stopping = true
    aborted.abort()
    stopRequested.reject(new StartupError('stopped'))
    if (sentence === undefined) log.info('stopping')
    else options.complain(sentence)
    await starting.catch(() => {}) // So that what it was just starting is stopped as well.
    tickets.stop()
    await metrics?.stop()
    await Promise.all(workers.map((worker) => worker.stop(stopMs)))
    await vault?.stop(VAULT_STOP_MS)
    await bank?.stop(BANK_STOP_MS)
    await postgres?.stop(killed ? 'immediate' : 'fast')
    if (!killed) await backup?.stop()
    release()
    if (exitCode === 0) log.info('stopped')
    finished.resolve(exitCode)
  }
  const onGiveUp = (reason: StartupError): void => void stopAll(1, reason.message)

  /** Waits for a step, unless a stop is asked for meanwhile. */
  const step = <T>(work: Promise<T>): Promise<T> => Promise.race([work, stopRequested.promise])

  const startDatabase = async (config: GatewayConfig): Promise<string> => {
    const { workers } = config
    const dataDir = join(config.dataDir, 'postgres')
    const { registry } = bankMetrics
    backup = superviseBackup({ backup: config.backup, postgresDir: dataDir, log, registry })
    const server = { dataDir, workers, settings: backup.settings }
    postgres = keepPostgres({ server, log, signal: aborted.signal, onGiveUp })
    const url = await postgres.start()
    await backup.begin(url)
    return url
  }

  const start = async (): Promise<void> => {
    const { config: given, warnings } = requireConfig(options.env)
    release = prepareDataFolder(given.dataDir)
    const env = withoutBackup(await step(resolvePorts(given, options.env)))
    Object.assign(env, { DATA_DIR: given.dataDir, BANK_HOST: given.bank.host })
    env['THREE_DS_SIMULATOR'] = given.threeDs.simulator ? 'on' : 'off'
    if (given.vaultKey === null && given.vaultKeyFile !== null)
      createVaultKey(given.vaultKeyFile, log)
    for (const warning of warnings) log.warn(warning)

    if (given.databaseUrl === null) {
      log.info('starting the embedded PostgreSQL')
      env['DATABASE_URL'] = await startDatabase(given)
      env['TOLLGATE_EMBEDDED_DATABASE'] = '1'
    } else {
      log.info('connecting to the database at DATABASE_URL')
      await step(
        checkDatabase(externalDatabase(given.databaseUrl.reveal(), given.dataDir), {
          limitMs: given.databaseWaitMs,
          log,
          signal: aborted.signal,
        }),
      )
    }
    if (stopping) return

    // Read again as the children will: with the ports, the key and the database that were found.
    const { config } = requireConfig(env)
    stopMs += config.drainS * 1_000
    log.info('preparing the database')
    await step(runToEnd(entries.prepare, env, oneShots))
    const shared = { env, config, log, onGiveUp }
    bank = startBundledBank({ ...shared, entry: entries.bank, metrics: bankMetrics })
    await step(bank.mayContinue)

    log.info(
      `starting the gateway (${config.workers} ${config.workers === 1 ? 'worker' : 'workers'})`,
    )
    prepareWorkers(entries.gateway, thisMachine(config.workers))
    const { registry } = bankMetrics
    vault = superviseVault({ ...shared, entry: entries.vault, registry })
    await step(vault.ready)
    for (let number = 1; number <= config.workers; number += 1) {
      workers.push(superviseWorker(number, vault.workerEnv, log, config, onGiveUp, tickets.handTo))
    }
    await step(Promise.all(workers.map((worker) => worker.ready)))
    if (config.metrics !== null || config.metricsUrl !== null) {
      const { dataDir } = config
      watchNode({
        registry,
        dataDir,
        processes: () => processesOf(dataDir, { bank, vault }, workers),
      })
      metrics = await startMetrics(config, registry, log)
    }
    options.print(announcement(config))
    reportReady(options.env, log)
  }

  const kill = (): void => {
    killed = true
    for (const child of oneShots) child.kill('SIGKILL')
    for (const each of [...workers, bank, vault]) each?.kill()
    postgres?.kill()
  }

  // `starting` is read by stopAll, so the first step must not run before it is assigned.
  const starting: Promise<unknown> = Promise.resolve().then(start)
  starting.catch((error: unknown) => void stopAll(1, asStartupError(error).message))
  return {
    finished: finished.promise,
    stop: () => {
      for (const child of oneShots) child.kill('SIGTERM')
      void stopAll(0)
    },
    kill,
  }
}
