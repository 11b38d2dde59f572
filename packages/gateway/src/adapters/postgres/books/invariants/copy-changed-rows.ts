import type pg from 'pg'
import { CHANGED_ROWS } from './changed-rows.ts'
import type { RunMark } from './run-mark.ts'

/** Only tables of this connection are read whole while rows are copied. */
export const COPYING = `set local enable_nestloop = on; set local enable_seqscan = off;
set local enable_hashjoin = off; set local enable_mergejoin = off`

const COMPARING = `set local enable_nestloop = off; set local enable_seqscan = on;
set local enable_hashjoin = on; set local enable_mergejoin = on`

/**
 * Copies the rows that have changed since the mark into tables of this connection. Their names hide
 * the real ones from the statements of this transaction. Returns how many orders they are.
 */
export async function copyChangedRows(client: pg.ClientBase, mark: RunMark): Promise<number> {
  await client.query(COPYING)
  for (const { table, sql } of CHANGED_ROWS) {
    await client.query(`create temporary table ${table} on commit drop as ${withValues(sql, mark)}`)
    await client.query(`analyze pg_temp.${table}`)
  }
  await client.query(COMPARING)
  const { rows } = await client.query<{ orders: number }>(
    'select count(*)::int as orders from pg_temp.changed_orders',
  )
  return rows[0]?.orders ?? 0
}

/** `create table as` takes no parameters: the values are numbers, a date and a time. */
export function withValues(sql: string, { beganAt, day, position }: RunMark): string {
  return sql
    .replaceAll('$1', `${position}::bigint`)
    .replaceAll('$2', `'${day}'`)
    .replaceAll('$3', `'${beganAt.toISOString()}'`)
}
