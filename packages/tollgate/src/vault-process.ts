import type { GatewayConfig } from '@tollgate/gateway/config'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Registry } from 'prom-client'
import { NO_DEBUGGER } from './bundled-bank.ts'
import type { Log } from './log.ts'
import { prepareSocketFolder } from './postgres/socket-folder.ts'
import { killWhenSilent } from './silent-process.ts'
import type { StartupError } from './startup-error.ts'
import { superviseProcess, type SupervisedProcess } from './supervised-process.ts'
import { createVaultMetrics } from './vault-metrics.ts'

type Environment = Readonly<Record<string, string | undefined>>

const READY_DEADLINE_MS = 60_000
const SECRET_BYTES = 32
/** With the start after it, less than a payment waits for the vault process. */
const SILENT_LOOKS = 6

export interface VaultProcessOptions {
  /** The program's main file. */
  readonly entry: string
  readonly env: Environment
  readonly config: Pick<GatewayConfig, 'dataDir' | 'databaseWaitMs' | 'vaultProcess'>
  readonly log: Log
  /** For the metrics of the vault process. */
  readonly registry: Registry
  /** Called for one that was never ready. */
  readonly onGiveUp: (reason: StartupError) => void
}

/** The process that alone has the data keys; nothing where VAULT_PROCESS is off. */
export interface SupervisedVault extends Pick<
  SupervisedProcess,
  'ready' | 'stop' | 'kill' | 'pid'
> {
  /** The environment of workers: with a vault process, nothing in it leads to the keys. */
  readonly workerEnv: Environment
}

/**
 * Starts the vault process, and again whenever it dies, with longer and longer pauses. One that
 * hangs is killed.
 */
export function superviseVault(options: VaultProcessOptions): SupervisedVault {
  const { config, entry, env, log, onGiveUp } = options
  const metrics = createVaultMetrics(options.registry)
  if (config.vaultProcess === 'off') {
    const done = Promise.resolve()
    const stop = () => done
    return {
      ready: done,
      stop,
      kill: () => undefined,
      pid: () => null,
      workerEnv: env,
    }
  }
  const named = {
    TOLLGATE_VAULT_SOCKET: join(prepareSocketFolder(join(config.dataDir, 'vault')), 'vault.sock'),
    TOLLGATE_VAULT_SECRET: randomBytes(SECRET_BYTES).toString('base64url'),
  }
  log.info('starting the vault process')
  const vault = superviseProcess({
    name: 'the vault process',
    spawn() {
      const child = fork(entry, [], {
        env: { ...env, ...named },
        execArgv: [...process.execArgv, NO_DEBUGGER],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      metrics.follow((listener) => child.on('message', listener))
      killWhenSilent(child, {
        looks: SILENT_LOOKS,
        onSilent: () =>
          log.error(`the vault process is killed: it hung for ${SILENT_LOOKS} seconds`),
      })
      return child
    },
    log,
    readyDeadlineMs: config.databaseWaitMs + READY_DEADLINE_MS,
    givesUp: 'before_ready',
    onGiveUp,
    onChange: (state) => metrics.setUp(state === 'ready'),
  })
  return { ...vault, workerEnv: { ...withoutKeys(env), ...named } }
}

/** Empty instead of absent: a worker gets the supervisor's own environment beneath this one. */
function withoutKeys(env: Environment): Environment {
  const names = Object.keys({ ...process.env, ...env }).filter((name) =>
    /^(?:VAULT_|AWS_)/.test(name),
  )
  return {
    ...env,
    ...Object.fromEntries(names.map((name) => [name, ''])),
    // The file of settings is in `env` already, and may hold the key.
    TOLLGATE_ENV_FILE: '/dev/null',
  }
}
