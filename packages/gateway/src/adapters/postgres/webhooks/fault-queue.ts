import type pg from 'pg'
import type {
  AttemptRecord,
  ClaimedDelivery,
  PlayableFault,
} from '../../../usecases/webhooks/delivery-ports.ts'

/** SQL: whether a later delivery of the object went before it. */
export function isOvertaken(row: string): string {
  return `exists (select from webhook_deliveries l
            where l.endpoint_id = ${row}.endpoint_id and l.position > ${row}.position
              and l.object = ${row}.object and l.object_id = ${row}.object_id
              and l.state <> 'pending')`
}

/** SQL: whether later deliveries of the object wait for a pending one. */
export function holdsUp(row: string): string {
  return `(not ${row}.yields or ${isOvertaken(row)})`
}

const FAULTS = `
select id, kind, type, share, seconds, events_left as left from webhook_faults
 where endpoint_id = $1 and (events_left is null or events_left > 0) order by id`

const FAULTED = `
select d.id,
       exists (select from webhook_attempts a where a.delivery_id = d.id and a.played <> '')
         as "isFaulted",
       exists (select from webhook_deliveries x
                where x.endpoint_id = d.endpoint_id and x.object = d.object
                  and x.object_id = d.object_id and x.state = 'pending' and x.yields
                  and x.position < d.position) as "isAhead"
  from webhook_deliveries d where d.id = any($1::bigint[])`

/** A fault without an end stays; of the others, each process takes one event. */
const TAKE = `
update webhook_faults set events_left = events_left - 1
 where id = $1 and (events_left is null or events_left > 0)`

const LOG_COLUMNS = `
  delivery_id, at, duration_ms, request_bytes, signature, status, fault, answer, played`

/** $3 to $10 are the attempt; nothing is written once the lease is lost. */
const HOLD = `
with held as (
  update webhook_deliveries set due_at = $11, yields = $12, leased_until = '-infinity'
   where id = $1 and claims = $2 and state = 'pending' returning id
)
insert into webhook_attempts (${LOG_COLUMNS}) select id, $3, $4, $5, $6, $7, $8, $9, $10 from held`

const LOG_COPY = `
insert into webhook_attempts (${LOG_COLUMNS})
select id, $3, $4, $5, $6, $7, $8, $9, $10 from webhook_deliveries where id = $1 and claims = $2`

type Pool = Pick<pg.Pool, 'query'>
type Met = Pick<ClaimedDelivery, 'faults' | 'isAhead' | 'isFaulted'>

/** The faults that claimed deliveries may meet, by delivery. */
export async function readFaults(
  pool: Pool,
  endpointId: bigint,
  ids: readonly string[],
): Promise<(id: string) => Met> {
  const [faults, faulted] = await Promise.all([
    pool.query<PlayableFault>(FAULTS, [endpointId]),
    pool.query<Omit<Met, 'faults'> & { id: string }>(FAULTED, [ids]),
  ])
  const met = new Map(faulted.rows.map((row) => [row.id, row]))
  return (id) => {
    const { isAhead = false, isFaulted = true } = met.get(id) ?? {}
    return { faults: faults.rows, isAhead, isFaulted }
  }
}

export const NO_FAULTS: Met = { faults: [], isAhead: false, isFaulted: false }

/** Counts an event of a fault; false when it has none left. */
export async function takeFault(pool: Pool, id: string): Promise<boolean> {
  return (await pool.query(TAKE, [id])).rowCount === 1
}

export async function holdDelivery(
  pool: Pool,
  delivery: ClaimedDelivery,
  attempt: AttemptRecord,
  until: Date,
  yields: boolean,
): Promise<void> {
  await pool.query(HOLD, [...logged(delivery, attempt), until, yields])
}

/** Logs an attempt that decides nothing about its delivery. */
export async function logCopy(
  pool: Pool,
  delivery: ClaimedDelivery,
  attempt: AttemptRecord,
): Promise<void> {
  await pool.query(LOG_COPY, logged(delivery, attempt))
}

function logged({ claim, id }: ClaimedDelivery, attempt: AttemptRecord): unknown[] {
  const { answer, at, durationMs, fault, played, requestBytes, signature, status } = attempt
  return [id, claim, at, durationMs, requestBytes, signature, status, fault, answer, played]
}
