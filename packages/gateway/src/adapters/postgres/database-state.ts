import type pg from 'pg'

/** `away`: it can't be reached, or does not answer in time. */
export type DatabaseState = 'writable' | 'read_only' | 'away'

const REMEMBERED_MS = 1_000
const ANSWER_WITHIN_MS = 2_000

/**
 * Commits a record of no meaning, so that a disk or a standby that takes nothing shows; in a
 * server that is read-only the record would be refused, or worse, taken.
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
  return () => {
    if (monotonicMs() >= until) {
      until = Infinity
      known = askInTime(pool).finally(() => (until = monotonicMs() + REMEMBERED_MS))
    }
    return known
  }
}

async function askInTime(pool: pg.Pool): Promise<DatabaseState> {
  const { promise: late, resolve } = Promise.withResolvers<DatabaseState>()
  const timer = setTimeout(() => resolve('away'), ANSWER_WITHIN_MS)
  const asked = pool.query<{ written: boolean }>(WRITE_SOMETHING).then(
    ({ rows }): DatabaseState => (rows[0]?.written === true ? 'writable' : 'read_only'),
    (): DatabaseState => 'away',
  )
  const state = await Promise.race([asked, late])
  clearTimeout(timer)
  return state
}
