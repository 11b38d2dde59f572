import type pg from 'pg'

/** Makes the partition of a day where it is missing; `first` is the first position in it. */
export async function openDay(client: pg.ClientBase, day: string, first: bigint): Promise<void> {
  await client.query({
    name: 'open day of events',
    text: `select open_event_day($1, $2)
            where not exists (select from event_days where day = $1)`,
    values: [day, first],
  })
}

/** Drops the partitions of days, with their events; returns how many days went. */
export async function dropDays(client: pg.ClientBase, ids: readonly string[]): Promise<number> {
  const { rows } = await client.query(
    `select drop_event_day(day) from event_days where id = any($1::bigint[])`,
    [ids],
  )
  return rows.length
}
