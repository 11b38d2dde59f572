import { fork, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { EchoReady } from './form-echo.ts'
import type { LoadJob, LoadMessage, LoadResult } from './load.ts'

export interface MeasuredServer {
  readonly host: string
  readonly port: number
  readonly pid: number
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>
}

const CLI = fileURLToPath(new URL('../../packages/tollgate/dist/cli.js', import.meta.url))
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
 * @param profileDir where each process leaves a CPU profile when it ends; null for none.
 */
export async function startGateway(options: {
  readonly dataDir: string
  readonly workers: number
  readonly profileDir: string | null
}): Promise<MeasuredServer> {
  const { dataDir, workers, profileDir } = options
  const profiling: Record<string, string> =
    profileDir === null
      ? {}
      : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${JSON.stringify(profileDir)}` }
  const child = spawn(process.execPath, [CLI, 'start'], {
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
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = (): Promise<void> => stopChild(child, () => child.kill('SIGTERM'))
  let printed = ''
  let told = ''
  child.stderr.on('data', (chunk: Buffer) => (told = (told + chunk.toString()).slice(-10_000)))
  const { promise, resolve, reject } = Promise.withResolvers<URL>()
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString()
    const origin = /^tollgate ready (http:\S+)$/m.exec(printed)?.[1]
    if (origin !== undefined) resolve(new URL(origin))
  })
  child.once('error', reject)
  child.once('exit', (code, signal) =>
    reject(new Error(`The gateway ended (${signal ?? `exit code ${code}`}); it said:\n${told}`)),
  )
  const url = await promise
  return { host: url.hostname, port: Number(url.port), pid: child.pid ?? 0, stop }
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
    throw new Error(`ps, which tells the memory, cannot run: ${error.message}.`)
  return stdout.split('\n').flatMap((line) => {
    const [, parent, kibibytes, program = ''] = /^ *(\d+) +(\d+) (.*)$/.exec(line) ?? []
    const isWorker = Number(parent) === supervisorPid && WORKER_PROGRAM.test(program)
    return isWorker ? [Number(kibibytes) * 1024] : []
  })
}

/** Runs one job in a load generator of its own. */
export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)))
  const { promise, resolve, reject } = Promise.withResolvers<LoadMessage>()
  child.once('message', (message) => resolve(message as LoadMessage))
  child.once('error', reject)
  child.once('exit', (code) => reject(new Error(`The load ended early, exit code ${code}.`)))
  child.send(job)
  const message = await promise
  await ended(child)
  if (message.kind === 'failed') throw new Error(message.reason)
  return message.result
}
