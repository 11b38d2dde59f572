import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { EVENT_TYPES } from '../../../domain/events/event-types.ts'
import type { EventNumbering, NumberedEvents } from '../../../usecases/events/event-store.ts'
import { inTransaction } from '../connection/transaction.ts'
import { openDay } from './event-days.ts'

const NOTHING: NumberedEvents = { count: 0, merchants: [], hasMore: false }

/** A plain look, so that an idle job locks nothing. */
const WAITS = `
select (select last_value from event_outbox_n_seq) > looked_to
       or exists (select from event_outbox) as waits
  from event_head`

/**
 * The lock first, in a statement of its own: the next statement sees what was committed up to it.
 * Another process that numbers is left alone.
 *
 * The next statement is planned once, while the outbox is almost empty. Nested loops over its parts
 * would cost three times as much as the rest of it.
 */
const LOCK = `
select position, greatest(numbered_at, clock_timestamp()) as at, looked_to, first_order_id,
       (select last_value from event_outbox_n_seq) as last,
       set_config('enable_nestloop', 'off', true),
       (select system_identifier::text from pg_control_system()) as system,
       ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer as timeline
  from event_head for update skip locked`

/**
 * A fact of an object that was committed later has a higher number, so that none is numbered before
 * an earlier one. An order has a row of `event_objects` from its second event on.
 *
 * $1 is the last number that is taken, $2 the head, $3 the time, $4 its day, and $5 is random.
 * $6 is the first order whose events are all here. $7 and $8 are the types and their objects. $9 is
 * whether they report the outcome of an order, which is its first event.
 */
const NUMBER = `
with taken as materialized (
  delete from event_outbox where n <= $1
  returning n, type, merchant_id, site_id, object_id, transaction_id, recorded_at, details
), placed as materialized (
  select t.*, o.object, o.is_first,
         o.object = 'order' and t.object_id >= $6::bigint as is_known,
         $2::bigint + row_number() over (order by t.n) as position,
         row_number() over (partition by t.object_id, o.object order by t.n desc) as from_end
    from taken t
    join unnest($7::text[], $8::text[], $9::bool[]) as o (type, object, is_first)
      on o.type = t.type
), counted as materialized (
  insert into event_objects as e (type, id, sequence)
  select object, object_id,
         count(*) + case when is_known and not bool_or(is_first) then 1 else 0 end
    from placed group by object_id, object, is_known
  having not (is_known and count(*) = 1 and bool_or(is_first))
   order by object_id, object
  on conflict (id, type) do update
     set sequence = e.sequence + excluded.sequence
                    - case when e.type = 'order' and e.id >= $6 then 1 else 0 end
  returning e.type, e.id, e.sequence
), clocks as materialized (
  select site_id, site_at, case when speed = 1 and target_at is null then real_at end as runs_since
    from site_clocks
), inserted as (
  insert into events (day, position, merchant_id, site_id, type, object_id, sequence,
                      transaction_id, salt, at, recorded_at, details)
  select $4::date, p.position, p.merchant_id, p.site_id, p.type, p.object_id,
         coalesce(c.sequence, 1) - p.from_end + 1, p.transaction_id, $5,
         coalesce(k.site_at + coalesce(greatest(p.recorded_at - k.runs_since, interval '0'),
                                       interval '0'), p.recorded_at),
         p.recorded_at, p.details
    from placed p
    left join counted c on c.type = p.object and c.id = p.object_id
    left join clocks k on k.site_id = p.site_id
  returning merchant_id
), moved as (
  update event_head set position = $2::bigint + (select count(*) from taken), numbered_at = $3,
                        looked_to = $1
)
select count(*)::int as count, array_agg(distinct merchant_id) as merchants from inserted`

const FIND_EPOCH = `
select epoch, system_identifier, timeline from event_epochs order by epoch desc limit 1`

const TYPES = Object.keys(EVENT_TYPES)
const OBJECTS = Object.values(EVENT_TYPES).map(({ object }) => object)
const ARE_FIRST = TYPES.map((type) =>
  /^(?:payment|authorization|refund)[.](?:approved|declined|failed)$/.test(type),
)

interface Head {
  readonly position: string
  readonly at: Date
  readonly looked_to: string
  readonly first_order_id: string
  readonly last: string
  readonly system: string
  readonly timeline: number
}

/** Parts that a pass found in place, so that the next one need not check them. */
interface Prepared {
  readonly day: string
  readonly system: string
  readonly timeline: number
}

/** The single numbering of all processes: the lock of `event_head` makes it one. */
export function createEventNumbering(pool: pg.Pool): EventNumbering {
  let prepared: Prepared | null = null
  return {
    async number(limit) {
      const { rows } = await pool.query<{ waits: boolean }>({ name: 'facts wait', text: WAITS })
      if (rows[0]?.waits !== true) return NOTHING
      const pass = await inTransaction(pool, null, (client) => numberSome(client, limit, prepared))
      // Not before the commit.
      prepared = pass?.prepared ?? null
      return pass?.numbered ?? NOTHING
    },
  }
}

/** Null while another process numbers. */
async function numberSome(
  client: pg.ClientBase,
  limit: number,
  known: Prepared | null,
): Promise<{ readonly numbered: NumberedEvents; readonly prepared: Prepared } | null> {
  const { rows: heads } = await client.query<Head>({ name: 'lock head of events', text: LOCK })
  const [head] = heads
  if (head === undefined) return null
  const day = head.at.toISOString().slice(0, 10)
  const first = BigInt(head.position) + 1n
  if (day !== known?.day) await openDay(client, day, first)
  if (head.system !== known?.system || head.timeline !== known.timeline) {
    await beginEpoch(client, head, first)
  }
  const last = BigInt(head.last)
  const end = BigInt(head.looked_to) + BigInt(limit)
  const hasMore = last > end
  const salt = randomBytes(8).readBigInt64BE()
  const { rows } = await client.query<{ count: number; merchants: string[] | null }>({
    name: 'number events',
    text: NUMBER,
    values: [
      hasMore ? end : last,
      head.position,
      head.at,
      day,
      salt,
      head.first_order_id,
      TYPES,
      OBJECTS,
      ARE_FIRST,
    ],
  })
  const [row] = rows
  invariant(row !== undefined, 'a pass of the numbering has no count')
  const { system, timeline } = head
  return {
    numbered: { count: row.count, merchants: row.merchants ?? [], hasMore },
    prepared: { day, system, timeline },
  }
}

/**
 * Another server, or another timeline of it: events that it never had may have been read. Positions
 * from here on belong to another history.
 */
async function beginEpoch(client: pg.ClientBase, head: Head, first: bigint): Promise<void> {
  const { rows } = await client.query<{
    epoch: number
    system_identifier: string
    timeline: number
  }>({ name: 'find epoch of events', text: FIND_EPOCH })
  const [last] = rows
  if (last?.system_identifier === head.system && last.timeline === head.timeline) return
  await client.query(
    `insert into event_epochs (epoch, system_identifier, timeline, first_position)
     values ($1, $2, $3, $4)`,
    [(last?.epoch ?? 0) + 1, head.system, head.timeline, first],
  )
}
