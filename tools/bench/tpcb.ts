import { execFile, execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const DEBIAN_FOLDER = '/usr/lib/postgresql'
const DATABASE = 'bench_tpcb'
/** `pgbench -i` scale 10: a million accounts. Simple protocol, as pgbench does by itself. */
const SCALE = 10
const CLIENTS = 64
const THREADS = 2

export const TPCB_TERMS = `TPC-B by pgbench, scale ${SCALE}, ${CLIENTS} clients, ${THREADS} threads, simple protocol`

function isProgram(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The pgbench of Debian's newest PostgreSQL, or the one on the path; null where there is none. */
export function findPgbench(): string | null {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : []
  const candidates = versions
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(DEBIAN_FOLDER, version, 'bin', 'pgbench'))
  return [...candidates, 'pgbench'].find(isProgram) ?? null
}

/** One sentence on the missing program, and the way to install it where that is known. */
export function pgbenchMissing(): string {
  const isDebian = existsSync('/etc/debian_version')
  const remedy =
    isDebian && process.getuid?.() === 0 ? ': `apt-get install postgresql-15` brings it' : ''
  return `There is no pgbench on this machine, so the ratio to TPC-B is left out${remedy}.`
}

/**
 * The socket folder of the embedded server, which the server itself names: line 5 of its
 * `postmaster.pid` (PostgreSQL's documentation, "postmaster.pid").
 */
export function socketFolder(dataDir: string): string {
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  const folder = readFileSync(file, 'utf8').split('\n')[4]?.trim()
  if (folder === undefined || folder === '') {
    throw new Error('The embedded PostgreSQL does not say where its socket is.')
  }
  return folder
}

/** How the gateway's own database is reached. */
export function databaseOptions(socketDir: string): pg.ClientConfig {
  return { host: socketDir, user: 'tollgate', database: 'tollgate' }
}

/** The first row, as texts; an empty object without one. */
export async function query(socketDir: string, text: string): Promise<Record<string, string>> {
  const client = new pg.Client(databaseOptions(socketDir))
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, string>>(text)
    return rows[0] ?? {}
  } finally {
    await client.end()
  }
}

/** The server's version and its settings of durability: both are conditions of the result. */
export async function describeServer(
  socketDir: string,
): Promise<{ version: string; fsync: string; synchronousCommit: string }> {
  const row = await query(
    socketDir,
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as commits`,
  )
  return {
    version: row['version'] ?? '',
    fsync: row['fsync'] ?? '',
    synchronousCommit: row['commits'] ?? '',
  }
}

/**
 * Writes back the changes of earlier rows, and lets their log files be used again. A server that
 * has run for an hour makes no new ones either.
 */
export async function checkpoint(socketDir: string): Promise<void> {
  await query(socketDir, 'checkpoint')
}

export interface Tpcb {
  /** Transactions a second over that many seconds, without the time to connect. */
  measure(seconds: number): Promise<number>
  drop(): Promise<void>
}

/** Makes TPC-B's tables in a database of their own on the server that the gateway uses. */
export async function prepareTpcb(pgbench: string, socketDir: string): Promise<Tpcb> {
  await query(socketDir, `create database ${DATABASE}`)
  const run = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      pgbench,
      ['-h', socketDir, '-U', 'tollgate', ...args, DATABASE],
      { maxBuffer: 1 << 26 },
    )
    return stdout
  }
  await run('-i', '-q', '-s', String(SCALE))
  return {
    async measure(seconds) {
      const load = `-n -M simple -c ${CLIENTS} -j ${THREADS} -T ${seconds}`
      const output = await run(...load.split(' '))
      const tps = /^tps = ([\d.]+) /m.exec(output)?.[1]
      if (tps === undefined) throw new Error(`pgbench printed no tps but:\n${output}`)
      return Number(tps)
    },
    async drop() {
      await query(socketDir, `drop database ${DATABASE}`)
    },
  }
}
