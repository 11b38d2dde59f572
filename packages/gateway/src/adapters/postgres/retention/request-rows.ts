import type pg from 'pg'
import type { RetentionRule } from '../../../usecases/retention/retention-store.ts'
import { MACHINE_TIME, ofMachine, type RetentionRows } from './retention-rows.ts'

// A process may use an id for a day after the range `g` of the id was full.
const isDue = (present: string, days: string): string =>
  `g.full_at < ${present} - (${days} + 1) * interval '24 hours'`

/**
 * The range of a row `r` was filled within a day, and is dropped as a whole within days. To
 * erase its rows one by one would take fifty times as long.
 */
const WAITS_FOR_ITS_RANGE = `exists (
  select from request_ranges g
   where r.id >= g.first_id and r.id < g.end_id
     and g.full_at <= g.filled_from + interval '24 hours'
     and not (${isDue(MACHINE_TIME, '$3::int')}))`

const DROP = `
select drop_request_range(g.id) as dropped
  from (select g.id from request_ranges g where ${isDue('$1::timestamptz', '$2::int')}
         order by g.first_id limit 1) g`

/** The function gives null where the range is being read for long. */
async function dropDueRange(
  client: pg.ClientBase,
  { now, days }: RetentionRule,
): Promise<number | null> {
  const { rows } = await client.query<{ dropped: string | null }>(DROP, [now, days])
  const dropped = rows[0]?.dropped ?? null
  return dropped === null ? null : Number(dropped)
}

export const requestRows: RetentionRows = {
  ...ofMachine('requests', 'r.received_at', WAITS_FOR_ITS_RANGE),
  dropPart: dropDueRange,
}
