import type pg from 'pg'

/** By then PostgreSQL has counted what the last transaction read. */
const COUNTED_MS = 2_000

/** Rows that all statements so far have read in tables, whole or by an index. */
export async function rowsRead(pool: pg.Pool): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, COUNTED_MS))
  const { rows } = await pool.query<{ read: string }>(
    `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_all_tables
      where schemaname = 'public'`,
  )
  return Number(rows[0]?.read ?? 0)
}
