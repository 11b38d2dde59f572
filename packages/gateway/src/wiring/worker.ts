import { hostname } from 'node:os'
import { pino } from 'pino'
import { answerForMetrics } from '../adapters/metrics/gateway-metrics.ts'
import { addressOf } from '../adapters/postgres/connection/cluster-memory.ts'
import { loadConfig, readEnvironment } from '../config/config.ts'
import { vaultSocketOf } from '../config/vault-socket.ts'
import { describeFault } from '../http/payment/fault-record.ts'
import { startGateway } from './gateway.ts'
import { nodeMemory } from './node-memory.ts'
import type { ChangePorts } from './ports.ts'
import { traceOptions } from './traces.ts'

export type { ChangePorts, Ports } from './ports.ts'

/** The fields of every log line; the supervisor and the bank have them, too. */
const LOG_BASE = { name: 'gateway', node: hostname(), pid: process.pid } as const

/** The environment of a process: names and texts. */
type Environment = Readonly<Record<string, string | undefined>>

/**
 * Runs this process as one gateway worker, until the supervisor stops it; the supervisor starts
 * the configured number of them. `changePorts` wraps the ports: only for a test that checks
 * whether a broken rule is noticed.
 */
export function runWorker(environment: Environment, changePorts?: ChangePorts): void {
  run(environment, changePorts).catch((error: unknown) => {
    const sentence = error instanceof Error ? error.message : String(error)
    pino({ base: LOG_BASE }, pino.destination(2)).fatal(sentence)
    process.exit(1)
  })
}

async function run(environment: Environment, changePorts?: ChangePorts): Promise<void> {
  const env = readEnvironment(process.cwd(), environment)
  const loaded = loadConfig(env)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const { config } = loaded
  if (config.databaseUrl === null) throw new Error('DATABASE_URL is not set for this worker.')
  const logger = pino({ level: config.logLevel, base: LOG_BASE, ...traceOptions(config) })
  // Unhandled rejections come here too. Left alone, Node would print all that the error holds.
  process.on('uncaughtException', (error: unknown) => {
    logger.fatal(describeFault(error), 'uncaught error: this worker ends')
    process.exit(1)
  })

  const gateway = await startGateway({
    config,
    databaseUrl: addressOf(config.databaseUrl.reveal(), nodeMemory(env, config)),
    vaultSocket: vaultSocketOf(env),
    runJobs: env['TOLLGATE_RUN_JOBS'] !== '0',
    logger,
    ...(changePorts === undefined ? {} : { changePorts }),
  })
  answerForMetrics(gateway.metrics)
  let stopping = false
  const stop = (leaves: boolean): void => {
    if (stopping) return
    stopping = true
    const left = leaves ? gateway.leave() : Promise.resolve()
    left.then(gateway.stop).then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ error: String(error) }, 'the worker did not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => stop(true))
  // A Ctrl-C reaches the whole group; the supervisor decides when this worker stops.
  process.on('SIGINT', () => undefined)
  // Another supervisor may need the port.
  process.on('disconnect', () => stop(false))
  process.on('message', (message) => {
    const keys = readTicketKeys(message)
    if (keys !== null) gateway.useTicketKeys(keys)
  })
  process.send?.({ kind: 'ready' })
}

/** The supervisor's message with new keys for session tickets; null for any other. */
function readTicketKeys(message: unknown): Buffer | null {
  const isOurs =
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === 'ticket keys'
  if (!isOurs || !('keys' in message) || typeof message.keys !== 'string') return null
  const keys = Buffer.from(message.keys, 'base64')
  return keys.length === 48 ? keys : null
}
