import {
  chmodSync,
  chownSync,
  existsSync,
  readFileSync,
  mkdirSync,
  realpathSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { claimFolder } from './folder-claim.ts'
import type { Log } from './log.ts'
import { thisMachine } from './machine.ts'
import { findBinaries } from './postgres/binaries.ts'
import { tail } from './postgres/child-end.ts'
import { checkVersion, createCluster, removeDrafts } from './postgres/cluster.ts'
import { machineSettings } from './postgres/machine-settings.ts'
import { stopOrphan } from './postgres/orphan.ts'
import { chooseRunAs, prepareForUser } from './postgres/run-as.ts'
import { readFrom, runServer } from './postgres/server.ts'
import type { PostgresSettings } from './postgres/settings.ts'
import { prepareSocketFolder } from './postgres/socket-folder.ts'
import { folderError, StartupError } from './startup-error.ts'

const USER = 'tollgate'
const DATABASE = 'tollgate'
/** Recovery after a crash replays what was written since the last checkpoint: a while, at worst. */
const READY_DEADLINE_MS = 300_000

export interface EmbeddedPostgresOptions {
  /** A folder of its own for the cluster, the socket and the server's log; made where missing. */
  readonly dataDir: string
  readonly log?: Log
  /** Gateway workers on it, for which it is sized by the machine; without, the least sizes. */
  readonly workers?: number
  /** Server settings that differ from ours. */
  readonly settings?: PostgresSettings
  /** Additional arguments of initdb. */
  readonly initdbArgs?: readonly string[]
  /** The folder of another PostgreSQL's programs, instead of the npm package's. */
  readonly binDir?: string
  /** How root gets around PostgreSQL's refusal; found out by itself when not given. */
  readonly rootMode?: 'namespace' | 'user'
  /** False lets the server outlive a killed supervisor even where the system could prevent it. */
  readonly diesWithUs?: boolean
  /** How long its start may take; a recovery from a backup replays for longer than from a crash. */
  readonly readyWithinMs?: number
  /** Gives up a start that is under way. */
  readonly signal?: AbortSignal
}

export interface EmbeddedPostgres {
  /** For `pg` and for libpq's programs alike; over the private socket, so without a password. */
  readonly url: string
  readonly socketDir: string
  readonly pid: number
  /** Resolves with a description when the server has ended, for any reason. */
  readonly exited: Promise<string>
  /** A fast shutdown, an immediate one if that takes too long. At most 7 s; may be called twice. */
  stop(how?: 'fast' | 'immediate'): Promise<void>
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} }

/** The address of a database behind a socket folder, in the form that `pg` and libpq both read. */
function socketUrl(socketDir: string, database = DATABASE): string {
  return `postgresql://${USER}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
}

/** Line of the server's own file that names the folder of its socket, from 0. */
const SOCKET_FOLDER_LINE = 4

/** The address of the database that is running on a data folder; null when none is. */
export function findEmbeddedDatabase(dataDir: string): string | null {
  try {
    const file = join(dataDir, 'cluster', 'postmaster.pid')
    const socketDir = readFileSync(file, 'utf8').split('\n')[SOCKET_FOLDER_LINE] ?? ''
    return socketDir === '' ? null : socketUrl(socketDir)
  } catch {
    return null
  }
}

/** Makes the data folder and finds out whether it can be used at all. */
function prepareDataFolder(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const isOurs = statSync(dataDir).uid === process.getuid?.()
    if (isOurs) chmodSync(dataDir, 0o700)
    return realpathSync(dataDir)
  } catch (error) {
    throw folderError(dataDir, error)
  }
}

/** Connects until the server lets us in, and makes sure that our database is there. */
async function waitUntilReady(
  socketDir: string,
  isOver: () => boolean,
  withinMs: number,
): Promise<void> {
  const end = performance.now() + withinMs
  let lastProblem = 'it was never reached'
  while (!isOver() && performance.now() < end) {
    const client = new pg.Client({
      connectionString: socketUrl(socketDir, 'postgres'),
      connectionTimeoutMillis: 5_000,
    })
    client.on('error', () => {}) // The query below, or the server's end, reports it as well.
    try {
      await client.connect()
      const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
      if (found.rowCount === 0) await client.query(`create database ${DATABASE}`)
      return
    } catch (error) {
      lastProblem = error instanceof Error ? error.message : String(error)
    } finally {
      await client.end().catch(() => {})
    }
    await new Promise((wake) => setTimeout(wake, 20))
  }
  throw new StartupError(`PostgreSQL did not become ready: ${lastProblem}.`)
}

/**
 * Starts a PostgreSQL of our own on a data folder, making the cluster on the first start, and
 * resolves when it takes connections. A server that a killed process left there is stopped first.
 * @throws StartupError with whole sentences, and the end of the server's log where it has one.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const log = options.log ?? silent
  const dataDir = prepareDataFolder(resolve(options.dataDir))
  const release = claimFolder(dataDir)
  try {
    return await startClaimed(dataDir, release, options, log)
  } catch (error) {
    release()
    throw error
  }
}

async function startClaimed(
  dataDir: string,
  release: () => void,
  options: EmbeddedPostgresOptions,
  log: Log,
): Promise<EmbeddedPostgres> {
  const clusterDir = join(dataDir, 'cluster')
  const runAs = chooseRunAs(clusterDir, options.rootMode)
  removeDrafts(dataDir)
  if (existsSync(clusterDir)) await stopOrphan(clusterDir, log)
  const socketDir = prepareSocketFolder(dataDir, runAs.kind === 'user' ? runAs.uid : undefined)
  let binaries = findBinaries(join(dataDir, 'lib'), options.binDir)
  if (runAs.kind === 'user') {
    binaries = prepareForUser(runAs, dataDir, binaries)
    chownSync(socketDir, runAs.uid, runAs.gid)
  }
  if (!existsSync(clusterDir)) {
    log.info(`creating the database cluster in ${dataDir}`)
    await createCluster(dataDir, clusterDir, binaries, runAs, USER, options.initdbArgs)
  }
  checkVersion(clusterDir, binaries)
  const { workers } = options
  const bySize = workers === undefined ? {} : machineSettings(thisMachine(workers))
  const server = runServer({
    dataDir,
    clusterDir,
    socketDir,
    binaries,
    runAs,
    settings: { ...bySize, ...options.settings },
    diesWithUs: options.diesWithUs ?? true,
  })
  void server.exited.then(() => {
    release()
    removeTemporary(socketDir, dataDir)
  })
  try {
    const isOver = (): boolean => server.isGone() || options.signal?.aborted === true
    await waitUntilReady(socketDir, isOver, options.readyWithinMs ?? READY_DEADLINE_MS)
  } catch (error) {
    await server.stop(options.signal?.aborted === true ? 'fast' : 'immediate')
    const said = tail(readFrom(server.logPath, server.logFrom))
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartupError(`${reason} Its log ${server.logPath} ends with:\n${said}`)
  }
  const { pid, exited, stop } = server
  return { url: socketUrl(socketDir), socketDir, pid, exited, stop }
}

function removeTemporary(socketDir: string, dataDir: string): void {
  if (socketDir.startsWith(dataDir)) return
  try {
    rmdirSync(socketDir)
  } catch {
    // Not empty after a crash of the server; the next start uses and empties it.
  }
}
