import { EVENT_TYPES } from '../../../../domain/events/event-types.ts'
import type { Invariant } from './invariant.ts'

/** The migration that began the feed: earlier transactions have no event. */
const SINCE = `(select applied_at from schema_migrations where number = 48)`

/** The events that report the outcome of a transaction, by the kind of its fact. */
const OUTCOMES = `(type ~ '^(payment|authorization|refund)[.](approved|declined|failed)$'
        or type in ('authorization.voided', 'capture.created', 'capture.voided', 'refund.created'))`

/** SQL: the kind of object that an event is about. */
const OBJECT = `case ${Map.groupBy(Object.entries(EVENT_TYPES), ([, { object }]) => object)
  .entries()
  .map(([object, types]) => {
    const names = types.map(([type]) => `'${type}'`).join(', ')
    return `when type in (${names}) then '${object}'`
  })
  .toArray()
  .join(' ')} end`

/** The feed of events against the transactions. */
export const eventInvariants: readonly Invariant[] = [
  {
    name: 'transactions_have_one_event',
    sentence: 'A concluded transaction of the last day has exactly one event, or waits for it.',
    // A site's own clock may show any time; messages to the bank have the machine's.
    sql: `
      with recent as materialized (
        select t.id, t.merchant_id from orders o join transactions t on t.order_id = o.id
         where o.message_at >= greatest(now() - interval '1 day', ${SINCE})
           and t.state in ('approved', 'declined', 'failed')
      ), reported as materialized (
        select transaction_id, count(*) as events from events
         where day >= ((now() - interval '2 days') at time zone 'UTC')::date and ${OUTCOMES}
         group by transaction_id
      ), waiting as materialized (
        select transaction_id, count(*) as events from event_outbox where ${OUTCOMES}
         group by transaction_id
      )
      select r.merchant_id, r.id as transaction_id,
             (coalesce(t.events, 0) + coalesce(w.events, 0))::int as events
        from recent r
        left join reported t on t.transaction_id = r.id
        left join waiting w on w.transaction_id = r.id
       where coalesce(t.events, 0) + coalesce(w.events, 0) <> 1`,
  },
  {
    name: 'event_positions_have_no_gap',
    sentence: 'The positions of events that are kept follow each other without a gap.',
    sql: `
      with days as (
        select day, min(position) as first, max(position) as last, count(*) as events
          from events group by day
      ), placed as (
        select d.*, lag(last) over (order by day) as previous from days d
      )
      select day::text as day, first::text as first, last::text as last, events::int as events
        from placed
       where events <> last - first + 1 or first <> coalesce(previous + 1, first)
          or last > (select position from event_head)`,
  },
  {
    name: 'events_of_objects_are_counted',
    sentence: 'The events of an object follow each other by their sequence numbers without a gap.',
    // The first events of an object may be gone with their day.
    sql: `
      with counted as (
        select merchant_id, ${OBJECT} as object, object_id, position, sequence,
               lag(sequence) over (partition by ${OBJECT}, object_id order by position) as previous
          from events where day >= ((now() - interval '2 days') at time zone 'UTC')::date
      )
      select merchant_id, object, object_id, position::text as position,
             previous::text as previous, sequence::text as sequence
        from counted where sequence <> coalesce(previous + 1, sequence)`,
  },
]
