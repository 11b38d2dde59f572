import { fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { VAULT_SECRET, VAULT_SOCKET } from '../../packages/gateway/src/config/vault-socket.ts'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { startKillableDatabase, type KillableDatabase } from './killable-database.ts'
import { startKillable, type Killable } from './killable.ts'
import { openTorturedLink, type TorturedLink } from './link.ts'

/** Everything that is tortured: the built programs, each a process of its own. */
export interface Stage {
  readonly workers: readonly Killable[]
  /** Addresses of the workers, in their sequence. */
  readonly baseUrls: readonly string[]
  readonly bank: Killable
  /** The process with the data keys; null where the workers have them. */
  readonly vault: Killable | null
  /** DATA_DIR of all programs. */
  readonly dataDir: string
  /** The folder of the bank's books. */
  readonly bankFolder: string
  readonly database: KillableDatabase
  readonly link: TorturedLink
  /** For looking on; a connection that a kill breaks is replaced. */
  readonly pool: pg.Pool
  /** The log of all processes. */
  readonly logFile: string
  /** Starts an operator's command of `tollgate`, a process of its own. */
  runCommand(words: readonly string[]): RunningCommand
  /** Ends pauses and faults of the link, and waits until every part is ready. */
  heal(): Promise<void>
  /** Stops gateways and bank, so that their books stand still; the database stays. */
  drain(): Promise<void>
  stop(): Promise<void>
}

export interface RunningCommand {
  /** Its exit code; null after a kill. */
  readonly ended: Promise<number | null>
  /** SIGKILL. */
  kill(): void
}

export interface StageOptions {
  /** An empty folder for data and log. */
  readonly folder: string
  readonly workers: number
  readonly bankTimeoutMs: number
  /** PostgreSQL syncs its writes to the disk; otherwise only the page cache has them. */
  readonly synced?: boolean
  /** A vault process of its own has the data keys, as in production. */
  readonly vaultProcess?: boolean
  /** A rule of the gateway or of the bank that is switched off; see docs/internals/torture.md. */
  readonly gatewayBreaks?: string
  readonly bankBreaks?: string
}

const PACKAGES = new URL('../../packages/', import.meta.url)
/** The bundle of a program that a run of the tests made; otherwise the built program. */
const program = (path: string): string => {
  const source = fileURLToPath(
    new URL(path.replace('/dist/', '/src/').replace(/js$/, 'ts'), PACKAGES),
  )
  const bundle = builtProgram(source)
  return bundle === source ? fileURLToPath(new URL(path, PACKAGES)) : bundle
}
const brokenProgram = (name: string): string =>
  builtProgram(new URL(`./broken-${name}-main.ts`, import.meta.url))
const HOST = '127.0.0.1'
const RESTART_MS = 50
const READY_DEADLINE_MS = 60_000
const SHOWN_OF_LOG = 2_000

export async function setStage(options: StageOptions): Promise<Stage> {
  const { folder } = options
  const dataDir = join(folder, 'data')
  mkdirSync(dataDir, { recursive: true })
  const logFile = join(folder, 'processes.log')
  const onOutput = (text: string): void => appendFileSync(logFile, text)
  const undo: (() => unknown)[] = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step()
  }
  try {
    const database = await startKillableDatabase(join(dataDir, 'postgres'), {
      synced: options.synced === true,
    })
    undo.push(() => database.stop())
    const [bankPort = 0, ...ports] = await freePorts(1 + options.workers)
    const link = await openTorturedLink(bankPort)
    undo.push(() => link.close())
    const shared = {
      ...cleanEnvironment(),
      // They start so often that compiling would be a good part of all work.
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      MODE: 'sandbox',
      DATA_DIR: dataDir,
      BANK_HOST: HOST,
    }
    const gatewayEnv = {
      ...shared,
      DATABASE_URL: database.url,
      BANK_PORT: String(link.port),
      BANK_TIMEOUT_MS: String(options.bankTimeoutMs),
      HOST,
      PORT: '0',
      TLS_PORT: '0',
      LOG_LEVEL: 'error',
      LOGIN_FAILURE_LIMIT: '1000000',
    }
    await runToEnd(program('gateway/dist/prepare.js'), gatewayEnv, dataDir, onOutput)
    const start = (
      name: string,
      file: string,
      env: Readonly<Record<string, string>>,
      breaks?: string,
    ): Killable => {
      const broken = breaks === undefined ? {} : { TORTURE_BREAKS: breaks }
      const started = startKillable({
        name,
        program: breaks === undefined ? program(file) : brokenProgram(file.split('/')[0] ?? ''),
        env: { ...env, ...broken },
        cwd: dataDir,
        restartMs: RESTART_MS,
        onOutput,
      })
      undo.push(() => started.stop())
      return started
    }
    const bankEnv = { ...shared, BANK_PORT: String(bankPort) }
    const bank = start('the bank', 'bank/dist/main.js', bankEnv, options.bankBreaks)
    const hasVault = options.vaultProcess === true
    const servingEnv = { ...gatewayEnv, ...(hasVault ? vaultSocket(folder) : {}) }
    const vault = hasVault ? start('the vault', 'gateway/dist/vault-main.js', servingEnv) : null
    // All of them do the jobs: that each piece of work is done once is a promise to be tested too.
    const workers = ports.map((port, at) =>
      start(
        `worker ${at + 1}`,
        'gateway/dist/main.js',
        { ...servingEnv, PORT: String(port) },
        options.gatewayBreaks,
      ),
    )
    const pool = new pg.Pool({ connectionString: database.url, max: 2 })
    pool.on('error', () => undefined)
    undo.push(() => pool.end())
    const heal = async (): Promise<void> => {
      link.mend()
      link.slow(0)
      link.decide(() => ({ kind: 'pass' }))
      const parts = [database, bank, ...(vault === null ? [] : [vault]), ...workers]
      for (const part of parts) part.resume()
      const allReady = parts.map((part) => part.whenReady())
      await withinDeadline(Promise.all(allReady), logFile)
    }
    await heal()
    return {
      workers,
      baseUrls: ports.map((port) => `http://${HOST}:${port}`),
      bank,
      vault,
      dataDir,
      bankFolder: join(dataDir, 'bank'),
      database,
      link,
      pool,
      logFile,
      runCommand(words) {
        const command = startCommand(words, gatewayEnv, dataDir, onOutput)
        undo.push(() => command.kill())
        return command
      },
      heal,
      async drain() {
        await Promise.all(workers.map((worker) => worker.stop()))
        await vault?.stop()
        await bank.stop()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function vaultSocket(folder: string): Record<string, string> {
  const secret = randomBytes(16).toString('hex')
  return { [VAULT_SOCKET]: join(folder, 'vault.sock'), [VAULT_SECRET]: secret }
}

function startCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  onOutput: (text: string) => void,
): RunningCommand {
  const file = program('tollgate/dist/cli.js')
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn(process.execPath, [file, ...words], { env, cwd, stdio: [...stdio] })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => onOutput(chunk.toString()))
  }
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return { ended, kill: () => void child.kill('SIGKILL') }
}

async function withinDeadline(ready: Promise<unknown>, logFile: string): Promise<void> {
  const late = Promise.withResolvers<never>()
  const sentence = `Not everything was ready again within ${READY_DEADLINE_MS / 1_000} s. The programs said last:\n`
  const timer = setTimeout(() => {
    late.reject(new Error(sentence + readFileSync(logFile, 'utf8').slice(-SHOWN_OF_LOG)))
  }, READY_DEADLINE_MS)
  await Promise.race([ready, late.promise]).finally(() => clearTimeout(timer))
}

/** The environment without the caller's settings, which would make it another gateway. */
function cleanEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function runToEnd(
  file: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  onOutput: (text: string) => void,
): Promise<void> {
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
  const child = fork(file, [], { env: { ...env }, cwd, execArgv: [], stdio: [...stdio] })
  child.stderr?.on('data', (chunk: Buffer) => onOutput(chunk.toString()))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.once('error', reject)
  child.once('exit', (code) => {
    if (code === 0) resolve()
    else reject(new Error(`The database could not be prepared (exit code ${code}).`))
  })
  return promise
}
