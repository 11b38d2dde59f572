import { dropDays } from '../events/event-days.ts'
import type { RetentionRows } from './retention-rows.ts'

const DUE = `
select id from event_days
 where id = any($1::bigint[]) and day < ($2::timestamptz at time zone 'UTC')::date - $3::int`

/** A day of events goes with its partition, so that nothing is left to clean up. */
export const eventDayRows: RetentionRows = {
  table: 'event_days',
  async due(client, ids, { days, now }) {
    const { rows } = await client.query<{ id: string }>(DUE, [ids, now, days])
    return rows.map(({ id }) => id)
  },
  erase: (client, ids) => dropDays(client, ids),
}
