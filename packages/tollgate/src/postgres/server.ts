import { spawn } from 'node:child_process'
import { chownSync, closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { postgresEnvironment, type PostgresBinaries } from './binaries.ts'
import { endOf } from './child-end.ts'
import { commandAs, type RunAs } from './run-as.ts'
import { serverSettings, type PostgresSettings } from './settings.ts'

const LOG_BYTES_MAX = 10_000_000
const FAST_SHUTDOWN_MS = 4_000
const IMMEDIATE_SHUTDOWN_MS = 1_500

/** Opens the server's log for appending; a long one is put aside first, and one such is kept. */
function openServerLog(
  dataDir: string,
  runAs: RunAs,
): { file: number; path: string; from: number } {
  const path = join(dataDir, 'server.log')
  if (existsSync(path) && statSync(path).size > LOG_BYTES_MAX) renameSync(path, `${path}.1`)
  const file = openSync(path, 'a', 0o600)
  if (runAs.kind === 'user') chownSync(path, runAs.uid, runAs.gid)
  return { file, path, from: fstatSync(file).size }
}

/** The content of a file from an offset on, at most 20,000 bytes. */
export function readFrom(path: string, offset: number): string {
  const file = openSync(path, 'r')
  try {
    const length = Math.min(fstatSync(file).size - offset, 20_000)
    const buffer = Buffer.alloc(Math.max(0, length))
    readSync(file, buffer, 0, buffer.length, offset)
    return buffer.toString()
  } finally {
    closeSync(file)
  }
}

/** A running server process. */
export interface Server {
  readonly pid: number
  readonly exited: Promise<string>
  readonly isGone: () => boolean
  readonly logPath: string
  readonly logFrom: number
  stop(how?: 'fast' | 'immediate'): Promise<void>
}

/** A server's files, and how to run it. */
export interface ServerOptions {
  readonly dataDir: string
  readonly clusterDir: string
  readonly socketDir: string
  readonly binaries: PostgresBinaries
  readonly runAs: RunAs
  readonly settings: PostgresSettings
  readonly diesWithUs: boolean
}

/** Starts the server on a cluster; it takes connections a moment later, or ends. */
export function runServer(options: ServerOptions): Server {
  const { dataDir, clusterDir, socketDir, binaries, runAs } = options
  const settings = Object.entries(serverSettings(socketDir, options.settings))
  const args = [
    '-D',
    clusterDir,
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const program = join(binaries.binDir, 'postgres')
  const command = commandAs(runAs, program, args, options.diesWithUs)
  const serverLog = openServerLog(dataDir, runAs)
  // Its own session: a Ctrl-C on the terminal is for the supervisor, which stops the server last.
  // Its own log file: a pipe would break under it when the supervisor is killed.
  const child = spawn(command.program, command.args, {
    ...command.identity,
    cwd: '/',
    detached: true,
    env: postgresEnvironment(binaries.libraryPath),
    stdio: ['ignore', serverLog.file, serverLog.file],
  })
  closeSync(serverLog.file)
  let isGone = false
  const exited = endOf(child).then((how) => {
    isGone = true
    return how
  })
  const endsWithin = (deadlineMs: number): Promise<boolean> => {
    const { promise, resolve: end } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => end(false), deadlineMs)
    void exited.then(() => {
      clearTimeout(timer)
      end(true)
    })
    return promise
  }
  const stop = async (how: 'fast' | 'immediate' = 'fast'): Promise<void> => {
    if (how === 'fast') {
      if (!isGone) child.kill('SIGINT')
      if (await endsWithin(FAST_SHUTDOWN_MS)) return
    }
    if (!isGone) child.kill('SIGQUIT')
    if (await endsWithin(IMMEDIATE_SHUTDOWN_MS)) return
    child.kill('SIGKILL')
    await exited
  }
  return {
    pid: child.pid ?? 0,
    exited,
    isGone: () => isGone,
    logPath: serverLog.path,
    logFrom: serverLog.from,
    stop,
  }
}
