import { LONGEST_PAUSE_MS } from '../../../domain/webhooks/delivery-schedule.ts'
import { holdsUp, isOvertaken } from './fault-queue.ts'

/** Four times as long as an exchange may take. */
const LEASE = `interval '60 seconds'`

/**
 * Behind no delivery of its object that holds it up, and leased to no process. A subquery of one
 * row is no join: without statistics of the table, a join would read everything that is pending for
 * each row.
 */
const claimable = (pending: string): string => `
  select d.id from webhook_deliveries d
   where d.endpoint_id = $1 and ${pending} and d.leased_until < now()
     and d.position <= coalesce((select x.position from webhook_deliveries x
                                  where x.endpoint_id = d.endpoint_id and x.object = d.object
                                    and x.object_id = d.object_id and x.state = 'pending'
                                    and ${holdsUp('x')}
                                  order by x.position limit 1), d.position)`
const PENDING = claimable(`d.state = 'pending'`)
/** Only pending ones yield. Their own index is read, not that of everything that is pending. */
const YIELDING = claimable('d.yields')
const IN_TURN = 'order by d.due_at, d.position limit $4 for update of d skip locked'

/**
 * $3: of a paused endpoint the oldest one goes out, whenever it is due. The times are conditions of
 * the index alone, so that what is not due is not read.
 */
export const CLAIM = `
with due as materialized (
  ${PENDING} and d.due_at <= case when $3::boolean then 'infinity' else $2::timestamptz end
  ${IN_TURN}
), too_far as materialized (
  ${PENDING} and d.due_at > $2::timestamptz + interval '${LONGEST_PAUSE_MS} milliseconds'
    and not $3::boolean ${IN_TURN}
), overtaken as materialized (
  ${YIELDING} and ${isOvertaken('d')} and not $3::boolean ${IN_TURN}
), taken as (
  select id from due union select id from too_far union select id from overtaken limit $4
)
update webhook_deliveries d set leased_until = now() + ${LEASE}, claims = claims + 1, yields = false
  from taken where d.id = taken.id
returning d.id, d.event_id, d.type, d.day::text, d.position, d.claims, d.attempts`
