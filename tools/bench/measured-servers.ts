import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { EchoReady } from './form-echo.ts'
import type { LoadJob, LoadMessage, LoadResult } from './load.ts'
import { processorTime, type ProcessorTime } from './processor-time.ts'

export interface MeasuredServer {
  readonly host: string
  readonly port: number
  readonly pid: number
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>
}

export interface MeasuredGateway extends MeasuredServer {
  /** Processor time of its processes so far; null where the system does not report it. */
  processorTime(): ProcessorTime | null
}

/** The checkout that this file belongs to. */
export const THIS_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const CLI = 'packages/tollgate/dist/cli.js'
const WORKER_PROGRAM = /gateway[/\\]dist[/\\]main\.js/
const STOP_DEADLINE_MS = 20_000

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

async function stopChild(child: ChildProcess, ask: () => void): Promise<void> {
  ask()
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
  await ended(child)
  clearTimeout(late)
}

/** The environment without the caller's settings, which would make it another gateway. */
function cleanEnvironment(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LANG']
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/**
 * Starts the built supervisor with its database and bank in a folder of its own.
 * @param checkout the folder of the built sources.
 * @param profileDir where each process leaves a CPU profile when it ends; null for none.
 */
export async function startGateway(options: {
  readonly checkout: string
  readonly dataDir: string
  readonly workers: number
  readonly profileDir: string | null
  /** Settings beside the usual ones. */
  readonly settings?: Readonly<Record<string, string>>
}): Promise<MeasuredGateway> {
  const { checkout, dataDir, workers, profileDir, settings = {} } = options
  const profiling: Record<string, string> =
    profileDir === null
      ? {}
      : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(profileDir)}` }
  const child = spawn(process.execPath, [join(checkout, CLI), 'start'], {
    cwd: dataDir,
    env: {
      ...cleanEnvironment(),
      ...profiling,
      MODE: 'sandbox',
      HOST: '127.0.0.1',
      PORT: '0',
      TLS_PORT: '0',
      BANK_PORT: '0',
      DATA_DIR: dataDir,
      WORKERS: String(workers),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = (): Promise<void> => stopChild(child, () => child.kill('SIGTERM'))
  let printed = ''
  let logged = ''
  child.stderr.on('data', (chunk: Buffer) => (logged = (logged + chunk.toString()).slice(-10_000)))
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    const origin = /^tollgate ready (http:\S+)$/m.exec(printed)?.[1]
    if (origin !== undefined) resolve(new URL(origin))
  })
  child.once('error', reject)
  child.once('exit', (code, signal) =>
    reject(
      new Error(`The gateway ended (${signal ?? `exit code ${code}`}); it logged:\n${logged}`),
    ),
  )
  const url = await promise
  const pid = child.pid ?? 0
  return {
    host: url.hostname,
    port: Number(url.port),
    pid,
    stop,
    processorTime: () => processorTime(pid, dataDir),
  }
}

export async function startFormEcho(workers: number): Promise<MeasuredServer> {
  const child = fork(fileURLToPath(new URL('form-echo.ts', import.meta.url)), [], {
    env: { ...cleanEnvironment(), WORKERS: String(workers) },
  })
  const { promise, resolve, reject } = Promise.withResolvers<EchoReady>()
  child.once('message', (message) => resolve(message as EchoReady))
  child.once('error', reject)
  child.once('exit', (code) => reject(new Error(`The form echo ended with exit code ${code}.`)))
  const { port } = await promise
  const stop = (): Promise<void> => stopChild(child, () => child.disconnect())
  return { host: '127.0.0.1', port, pid: child.pid ?? 0, stop }
}

/** Memory of each gateway worker below the supervisor: resident set size in bytes. */
export function workerMemory(supervisorPid: number): number[] {
  const { stdout, error } = spawnSync('ps', ['-A', '-ww', '-o', 'ppid=,rss=,args='], {
    encoding: 'utf8',
  })
  if (error !== undefined)
    throw new Error(`ps, which reports the memory, cannot run: ${error.message}.`)
  return stdout.split('\n').flatMap((line) => {
    const [, parent, kibibytes, program = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? []
    const isWorker = Number(parent) === supervisorPid && WORKER_PROGRAM.test(program)
    return isWorker ? [Number(kibibytes) * 1024] : []
  })
}

/**
 * Runs one job in a load generator of its own.
 * @param onBegun is called when the measured time begins, after the warm-up.
 */
export async function runLoad(job: LoadJob, onBegun: () => void): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)))
  const { promise, resolve, reject } = Promise.withResolvers<LoadMessage & { kind: 'measured' }>()
  child.on('message', (received) => {
    const message = received as LoadMessage
    if (message.kind === 'begun') onBegun()
    else if (message.kind === 'failed') reject(new Error(message.reason))
    else resolve(message)
  })
  child.once('error', reject)
  child.once('exit', (code) => reject(new Error(`The load ended early, exit code ${code}.`)))
  child.send(job)
  const { result } = await promise
  await ended(child)
  return result
}
