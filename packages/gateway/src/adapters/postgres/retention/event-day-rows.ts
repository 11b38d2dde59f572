import { dropDays } from '../events/event-days.ts'
import type { DueRow, RetentionRows } from './retention-rows.ts'

const DUE = `
select id, day::timestamp at time zone 'UTC' as since from event_days
 where id = any($1::bigint[]) and day < ($2::timestamptz at time zone 'UTC')::date - $3::int`

/** A day of events goes with its partition, so that nothing is left to clean up. */
export const eventDayRows: RetentionRows = {
  table: 'event_days',
  atOnce: 1,
  async due(client, ids, { days, now }) {
    const { rows } = await client.query<DueRow>(DUE, [ids, now, days])
    return rows
  },
  erase: (client, ids) => dropDays(client, ids),
}
