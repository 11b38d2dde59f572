import type pg from 'pg'

/** Sites with a clock of their own are left out: their retries wait for that clock. */
const BACKLOG = `
select count(*)::int as pending,
       greatest(0, extract(epoch from clock_timestamp() - min(d.due_at)))::float8
         as "overdueSeconds"
  from webhook_endpoints e
  join webhook_deliveries d on d.endpoint_id = e.id and d.state = 'pending'
 where e.state = 'enabled'
   and e.site_id <> all (array(select site_id from site_clocks))
   and (e.wait_until is null or e.wait_until <= clock_timestamp())`

/** The deliveries that wait, of all endpoints that are not paused. */
export async function readBacklog(
  client: Pick<pg.Pool, 'query'>,
): Promise<{ readonly pending: number; readonly overdueSeconds: number }> {
  const { rows } = await client.query<{ pending: number; overdueSeconds: number | null }>(BACKLOG)
  return { pending: rows[0]?.pending ?? 0, overdueSeconds: rows[0]?.overdueSeconds ?? 0 }
}
