import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { reasonOf } from './await-database.ts'
import { inTransactionOn } from './transaction.ts'

type Report = (line: string) => void

/** Held while migrating, over all nodes. Any fixed number does. */
const MIGRATION_LOCK = 4_140_001
const LOOK_FOR_LOCK_MS = 250

/** How long a migration waits for the lock of a table, and how often it tries again. */
export interface MigrationLimits {
  readonly lockMs: number
  readonly tries: number
  readonly pauseMs: number
}

/**
 * While a migration waits for its lock, everything that needs the table waits behind it. So it
 * waits for half a second, lets them pass, and tries again for some minutes. PostgreSQL looks for
 * deadlocks after a second: the migration gives way before, and no payment is cancelled for it.
 */
export const USUAL_LIMITS: MigrationLimits = { lockMs: 500, tries: 40, pauseMs: 4_000 }
/** A process that is stopped within a transaction loses its locks after this time. */
const IDLE_MS = 5_000

/**
 * Asks again and again, because an index that is built concurrently waits for every statement that
 * runs. It would wait for one that waits for the lock.
 */
export async function takeMigrationLock(client: pg.Client, report: Report): Promise<void> {
  for (let asked = 0; ; asked += 1) {
    const { rows } = await client.query<{ isOurs: boolean; holder: number | null }>(
      `select pg_try_advisory_lock($1) as "isOurs",
              (select pid from pg_locks
                where locktype = 'advisory' and objid = $1 and granted
                  and database = (select oid from pg_database where datname = current_database())
                limit 1) as holder`,
      [MIGRATION_LOCK],
    )
    const [answer] = rows
    if (answer?.isOurs === true) return
    if (asked === 0) {
      report(`Waiting for another migration, of process ${answer?.holder ?? '?'} of the database`)
    }
    await pause(LOOK_FOR_LOCK_MS)
  }
}

/** Runs a transaction, and again after a pause where a lock was not to be had in time. */
export async function retryingLocks(
  client: pg.Client,
  { lockMs, tries, pauseMs }: MigrationLimits,
  report: Report,
  work: () => Promise<void>,
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await inTransactionOn(client, { lockMs, idleMs: IDLE_MS }, work)
    } catch (error) {
      if (!isAboutLocks(error)) throw error
      const oldest = await describeOldest(client)
      if (tried >= tries) throw new Error(`${reasonOf(error)}. ${oldest}`, { cause: error })
      report(
        `  a lock was not free within ${lockMs} ms; nothing is locked now, and the next try ` +
          `follows in ${pauseMs} ms (${tried} of ${tries} failed). ${oldest}`,
      )
      await pause(pauseMs)
    }
  }
}

/** SQLSTATE 55P03: no lock within the limit; 40P01: a deadlock. */
function isAboutLocks(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return code === '55P03' || code === '40P01'
}

/** The transaction that most likely holds the lock: the oldest one of the database. */
async function describeOldest(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(
    `select pid, coalesce(nullif(application_name, ''), usename) as name,
            extract(epoch from clock_timestamp() - xact_start)::int as seconds
       from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
      order by xact_start limit 1`,
  )
  const [oldest] = rows
  if (oldest === undefined) return 'No other transaction is visible now.'
  const { name, pid, seconds } = oldest
  return `The oldest transaction is that of process ${pid} (${name}), ${seconds} s old.`
}
