import type pg from 'pg'
import { invariant } from '../../../../base/invariant.ts'
import { inTransactionOn } from '../../connection/transaction.ts'
import { OPEN_ORDERS } from './changed-orders.ts'
import type { FoundRows } from './invariant.ts'
import type { RunMark, RunStart } from './run-mark.ts'

/** Why no run can be gone on from. */
export type NoMark = 'no run' | 'events are gone' | 'older copy'

/** The last run that a table has noted, if the events behind it are all there. */
export async function readMark(
  client: pg.ClientBase,
  runs: 'verify_runs' | 'operator_recon_runs',
): Promise<RunMark | NoMark> {
  const { rows } = await client.query<{
    position: string
    began_at: Date
    day: string
    head: string
    first_kept: string | null
  }>(
    `select r.position, r.began_at, h.position as head,
            (select min(first_position) from event_days)::text as first_kept,
            coalesce((select max(day) from event_days where first_position <= r.position),
                     (select min(day) from event_days), current_date)::text as day
       from ${runs} r cross join event_head h order by r.id desc limit 1`,
  )
  const [run] = rows
  if (run === undefined) return 'no run'
  const position = BigInt(run.position)
  if (position > BigInt(run.head)) return 'older copy'
  const firstKept = BigInt(run.first_kept ?? run.head)
  const isKept = run.first_kept === null ? position === firstKept : firstKept <= position + 1n
  if (!isKept) return 'events are gone'
  return { position, day: run.day, beganAt: run.began_at }
}

/** Whether this connection can note a run. A standby cannot, nor a role that only reads. */
export async function canNote(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ can: boolean }>(
    `select not pg_is_in_recovery() and has_table_privilege('verify_runs', 'insert')
            and has_table_privilege('verify_orders', 'insert, delete')
            and has_database_privilege(current_database(), 'temporary') as can`,
  )
  return rows[0]?.can === true
}

/**
 * Begins a run: one statement takes the position and the open orders, which stay in a table of this
 * connection. Every later statement of the run sees at least what this one sees.
 */
export async function noteStart(client: pg.ClientBase): Promise<RunStart> {
  await client.query('drop table if exists pg_temp.verify_start')
  await client.query(
    `create temporary table verify_start as
     select h.position, now() as began_at, array(${OPEN_ORDERS}) as open_orders
       from public.event_head h`,
  )
  const { rows } = await client.query<{ position: string; began_at: Date }>(
    'select position, began_at from pg_temp.verify_start',
  )
  const [start] = rows
  invariant(start !== undefined, 'the feed of events has no head')
  return { position: BigInt(start.position), beganAt: start.began_at }
}

/**
 * Ends a run. One that found nothing broken becomes the mark of the next. After any other, the next
 * run goes on from the same mark as this one. It checks the orders that were found once more.
 */
export async function noteEnd(
  client: pg.ClientBase,
  isFull: boolean,
  results: readonly FoundRows[],
): Promise<void> {
  const isGood = results.every(({ count, isWarning }) => count === 0 || isWarning)
  await inTransactionOn(client, null, async () => {
    if (isGood) {
      await client.query(
        `insert into public.verify_runs (began_at, ended_at, is_full, position)
         select began_at, now(), $1, position from pg_temp.verify_start`,
        [isFull],
      )
      await client.query('delete from public.verify_orders')
      await client.query(
        `insert into public.verify_orders (order_id, reason)
         select distinct unnest(open_orders), 'open' from pg_temp.verify_start`,
      )
    }
    await client.query(
      `insert into public.verify_orders (order_id, reason)
       select id, 'found' from unnest($1::bigint[]) id
       union select order_id, 'found' from public.transactions where id = any($2::bigint[])
       on conflict (order_id) do update set reason = 'found'`,
      [
        results.flatMap(({ orderIds }) => orderIds),
        results.flatMap(({ transactionIds }) => transactionIds),
      ],
    )
  })
}
