import {
  awaitDatabase,
  connectOnce,
  DatabaseNotReachedError,
  readClusterFile,
  reasonOf,
  type DatabaseAddress,
} from '@tollgate/gateway'
import type { Log } from './log.ts'
import { StartupError } from './startup-error.ts'

const CONNECT_DEADLINE_MS = 10_000
const VERSION_MIN = 150_000

/** DATABASE_URL together with what this node knows of its servers. */
export function externalDatabase(url: string, dataDir: string): DatabaseAddress {
  return { url, memory: readClusterFile(dataDir) }
}

export interface CheckOptions {
  /** Limit of the wait for an unreachable database. */
  readonly limitMs: number
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * Checks that the database an operator named is there and new enough.
 * @throws StartupError; never with the address in it, which may hold a password.
 */
export async function checkDatabase(
  url: DatabaseAddress,
  { limitMs, log, signal }: CheckOptions,
): Promise<void> {
  try {
    await awaitDatabase({
      ask: async () => {
        if (!signal.aborted) await assertVersion(url)
      },
      limitMs,
      monotonicMs: () => performance.now(),
      pause: (ms) => new Promise((wake) => setTimeout(wake, ms)),
      onWaiting: (reason, waitedS) =>
        log.warn(`waiting for the database at DATABASE_URL for ${waitedS} s: ${reason}`),
    })
  } catch (error) {
    if (error instanceof StartupError) throw error
    if (error instanceof DatabaseNotReachedError) throw new StartupError(error.message)
    throw new StartupError(
      `The database at DATABASE_URL cannot be used: ${reasonOf(error)}. ` +
        'Check the address, the user and that the server runs.',
    )
  }
}

async function assertVersion(url: DatabaseAddress): Promise<void> {
  const client = await connectOnce(url, { connectionTimeoutMillis: CONNECT_DEADLINE_MS })
  try {
    const shown = await client.query<{ server_version_num: string; server_version: string }>(
      `select current_setting('server_version_num') as server_version_num,
              current_setting('server_version') as server_version`,
    )
    const [row] = shown.rows
    if (Number(row?.server_version_num) < VERSION_MIN) {
      throw new StartupError(
        `The database at DATABASE_URL is PostgreSQL ${row?.server_version}, ` +
          'and Tollgate needs 15 or newer.',
      )
    }
  } finally {
    await client.end().catch(() => {})
  }
}
