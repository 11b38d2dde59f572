import type { GatewayConfig } from '@tollgate/gateway/config'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { Counter, Gauge, Registry } from 'prom-client'
import type { Log } from './log.ts'
import type { StartupError } from './startup-error.ts'
import { superviseProcess, type SupervisedProcess } from './supervised-process.ts'
import { readVersion } from './version.ts'

type Environment = Readonly<Record<string, string | undefined>>

const READY_DEADLINE_MS = 60_000
/** A start in production continues without a bank that is not ready by then. */
const START_WAIT_MS = 10_000

export interface BundledBankOptions {
  /** The program's main file. */
  readonly entry: string
  readonly env: Environment
  readonly config: Pick<
    GatewayConfig,
    'bank' | 'bankInstitutionId' | 'bankSecret' | 'bundledBank' | 'dataDir' | 'mode'
  >
  readonly log: Log
  readonly metrics: BundledBankMetrics
  /** Called only in the sandbox, for a bank that was never ready. */
  readonly onGiveUp: (reason: StartupError) => void
}

export interface BundledBank extends Pick<SupervisedProcess, 'stop' | 'kill' | 'pid'> {
  /**
   * When the start may continue. In the sandbox every payment needs the bank: once it is ready. In
   * production only test accounts do: at its first end or after ten seconds, too.
   */
  readonly mayContinue: Promise<void>
}

/** The supervisor's own metrics. */
export interface BundledBankMetrics {
  readonly registry: Registry
  setUp(isUp: boolean): void
  countRestart(): void
}

export function createBundledBankMetrics(): BundledBankMetrics {
  const registry = new Registry()
  const registers = [registry]
  const up = new Gauge({
    name: 'tollgate_bundled_bank_up',
    help: 'Whether the bundled bank of this node runs; 0 for a node without one, too.',
    registers,
  })
  const restarts = new Counter({
    name: 'tollgate_bundled_bank_restarts_total',
    help: 'Restarts of the bundled bank after an unexpected end.',
    registers,
  })
  const build = new Gauge({
    name: 'tollgate_build_info',
    help: 'Always 1; the version of the program is a label.',
    labelNames: ['version'],
    registers,
  })
  build.set({ version: readVersion() }, 1)
  return {
    registry,
    setUp: (isUp) => up.set(isUp ? 1 : 0),
    countRestart: () => restarts.inc(),
  }
}

/** SIGUSR1 does not open Node's debugger, which reads memory and runs code for any local user. */
export const NO_DEBUGGER = '--disable-sigusr1'

/** Runs the bundled bank where BANK is on. Once it was ready, its deaths never end the node. */
export function startBundledBank(options: BundledBankOptions): BundledBank {
  const { config, log } = options
  log.info(aboutBank(config))
  if (config.bundledBank === 'on') return runBank(options)
  const done = Promise.resolve()
  return { mayContinue: done, stop: () => done, kill: () => undefined, pid: () => null }
}

function aboutBank({ bank, bundledBank }: BundledBankOptions['config']): string {
  const at = `${bank.host} port ${bank.port}`
  if (bundledBank === 'on') return `starting the bank on ${at}`
  if (bundledBank === 'shared') return `the bundled bank of ${at} is shared: this node starts none`
  return 'no bundled bank runs (BANK=off): payments of test accounts without a link fail'
}

function runBank({ entry, env, config, log, metrics, onGiveUp }: BundledBankOptions): BundledBank {
  const settled = Promise.withResolvers<void>()
  let isReported = false
  const bank = superviseProcess({
    name: 'the bank',
    spawn: () =>
      fork(entry, [], {
        env: bankEnvironment(env, config),
        execArgv: [...process.execArgv, NO_DEBUGGER],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    log,
    readyDeadlineMs: READY_DEADLINE_MS,
    givesUp: config.mode === 'sandbox' ? 'before_ready' : 'never',
    onGiveUp,
    onChange(state) {
      metrics.setUp(state === 'ready')
      settled.resolve()
      if (state === 'ended') {
        metrics.countRestart()
        if (!isReported) log.error('payments of test accounts fail until the bundled bank runs')
      } else if (isReported) log.info('the bundled bank runs again')
      isReported = state === 'ended'
    },
  })
  return {
    mayContinue: config.mode === 'sandbox' ? bank.ready : within(settled.promise, START_WAIT_MS),
    stop: bank.stop,
    kill: bank.kill,
    pid: bank.pid,
  }
}

/** The bank expects this gateway's institution, and a secret that it makes in its own folder. */
function bankEnvironment(
  env: Environment,
  { bankInstitutionId, bankSecret, dataDir }: BundledBankOptions['config'],
): Record<string, string | undefined> {
  return {
    ...withoutSecrets(env),
    BANK_INSTITUTION_ID: bankInstitutionId,
    // It may have come from a file, which the bank does not read.
    ...(bankSecret === null ? {} : { BANK_SECRET: bankSecret.reveal() }),
    BANK_SECRET_FILE: join(dataDir, 'bank', 'link-secret'),
  }
}

/** The environment without the settings of the vault and the database. */
function withoutSecrets(env: Environment): Record<string, string | undefined> {
  const isSecret = (name: string): boolean =>
    /^(?:VAULT_|AWS_|PG|DATABASE_|CREDENTIALS_DIRECTORY$)/.test(name)
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSecret(name)))
}

/** Resolves with the promise, or after the limit. */
async function within(promise: Promise<void>, limitMs: number): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, limitMs)
  await Promise.race([promise, late.promise])
  clearTimeout(timer)
}
