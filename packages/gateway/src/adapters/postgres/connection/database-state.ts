import type pg from 'pg'

/** `away`: it cannot be reached, or does not answer in time. */
export type DatabaseState = 'writable' | 'read_only' | 'away'

const REMEMBERED_MS = 1_000
const ANSWER_WITHIN_MS = 2_000

/**
 * Commits a record without meaning, so that a disk or a standby that takes nothing shows. A
 * read-only server would refuse the record, or worse, take it.
 */
const WRITE_SOMETHING = `
select case when current_setting('transaction_read_only') = 'off'
            then pg_logical_emit_message(true, 'tollgate', 'ready') end is not null as written`

/** Asks whether the database takes writes; remembered for a second, however often it is asked. */
export function createDatabaseState(
  pool: pg.Pool,
  monotonicMs: () => number,
): () => Promise<DatabaseState> {
  let until = -Infinity
  let known: Promise<DatabaseState> = Promise.resolve('away')
  let asking: Promise<DatabaseState> | null = null
  // One question at a time: a database that hangs must not hold all connections with them.
  const ask = (): Promise<DatabaseState> => {
    asking ??= askWhether(pool).finally(() => (asking = null))
    return inTime(asking)
  }
  return () => {
    if (monotonicMs() >= until) {
      until = Infinity
      known = ask().finally(() => (until = monotonicMs() + REMEMBERED_MS))
    }
    return known
  }
}

async function askWhether(pool: pg.Pool): Promise<DatabaseState> {
  try {
    const { rows } = await pool.query<{ written: boolean }>(WRITE_SOMETHING)
    return rows[0]?.written === true ? 'writable' : 'read_only'
  } catch {
    return 'away' // The log of the part that needed it states why.
  }
}

async function inTime(asked: Promise<DatabaseState>): Promise<DatabaseState> {
  const { promise: late, resolve } = Promise.withResolvers<DatabaseState>()
  const timer = setTimeout(() => resolve('away'), ANSWER_WITHIN_MS)
  const state = await Promise.race([asked, late])
  clearTimeout(timer)
  return state
}
