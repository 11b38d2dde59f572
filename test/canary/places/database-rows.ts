import type { Place } from '../place.ts'

const ROWS_AT_ONCE = 5_000

/** Every row of every table as text, as an export by an operator would have it. */
export const databaseRows: Place = {
  name: 'rows of the database',
  when: 'running',
  async *collect(run) {
    const tables = await run.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    )
    for (const { name } of tables) {
      for (let from = 0; ; from += ROWS_AT_ONCE) {
        const rows = await run.query<{ row: string }>(
          `select to_jsonb(t)::text as row from ${name} t order by t.ctid limit ${ROWS_AT_ONCE} offset ${from}`,
        )
        if (rows.length > 0) {
          yield { name: `the table ${name}`, bytes: bytesOf(rows.map(({ row }) => row).join('\n')) }
        }
        if (rows.length < ROWS_AT_ONCE) break
      }
    }
    // Samples of values are kept by the planner as well.
    const samples = await run.query<{ row: string }>(
      'select to_jsonb(s)::text as row from pg_stats s',
    )
    yield { name: 'the statistics', bytes: bytesOf(samples.map(({ row }) => row).join('\n')) }
  },
}

/**
 * Decodes columns of bytes: in so many hexadecimal digits, nine in a row match a card at random.
 */
function bytesOf(text: string): Buffer {
  const parts = text.split(/"\\\\x((?:[0-9a-f]{2})*)"/)
  return Buffer.concat(parts.map((part, at) => Buffer.from(part, at % 2 === 0 ? 'utf8' : 'hex')))
}
