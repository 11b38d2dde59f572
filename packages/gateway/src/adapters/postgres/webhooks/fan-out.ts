import type pg from 'pg'
import { EVENT_TYPES } from '../../../domain/events/event-types.ts'
import { TEST_TYPE } from '../../../domain/webhooks/endpoint-draft.ts'
import { inTransaction } from '../connection/transaction.ts'
import { siteNow } from './site-now.ts'

/** Few enough that the lock of an endpoint is short. */
const AT_ONCE = 2_000
/** Beside payments, an endpoint with more due deliveries gets no further ones. */
const ENOUGH_DUE = 100
/** The cursor of an endpoint without events is moved on that seldom. */
const LEFT_BEHIND = 10_000

const FROM_DAY = `coalesce((select max(day) from event_days
                             where first_position <= e.position + 1), '-infinity')`

/** Endpoints behind the head of the feed, with something to look at. */
const behind = (more: string): string => `
select e.id from webhook_endpoints e, event_head h
 where (e.state = 'enabled' or e.reason = 'failing' and e.state = 'paused')
   and e.position < h.position
   and (e.position < h.position - ${LEFT_BEHIND}
        or exists (select from events v
                    where v.merchant_id = e.merchant_id and v.day >= ${FROM_DAY}
                      and v.position > e.position))
   ${more}
 order by e.id`

const BEHIND = behind('')
/** $1: the machine's time. Events that an endpoint cannot take yet stay in the feed. */
const BEHIND_WITH_ROOM = behind(`
   and not exists (select from webhook_deliveries d
                    where d.endpoint_id = e.id and d.state = 'pending' and d.due_at <= $1
                    order by d.due_at, d.position offset ${ENOUGH_DUE} limit 1)`)

/** The lock first: the next statement sees how far another process came. */
const LOCK = `select from webhook_endpoints where id = $1 for update skip locked`

/**
 * The events behind the cursor become deliveries, and the cursor moves in the same statement.
 * Events of no site go to every endpoint of the merchant whose site has their mode. $2 and $3: the
 * types with their objects, $4: the machine's time. The id is made as the feed makes it.
 */
const FAN_OUT = `
with endpoint as materialized (
  select e.id, e.merchant_id, e.site_id, e.types, e.position, s.mode,
         ${siteNow('$4::timestamptz')} as now, ${FROM_DAY} as from_day
    from webhook_endpoints e
    join sites s on s.id = e.site_id
    left join site_clocks c on c.site_id = e.site_id
   where e.id = $1
), looked_at as materialized (
  select v.day, v.position, v.site_id, v.type, v.object_id, v.salt,
         case when v.site_id is null then v.details ->> 'mode' end as mode
    from endpoint e
    join events v on v.merchant_id = e.merchant_id and v.day >= e.from_day
                 and v.position > e.position
   order by v.day, v.position limit ${AT_ONCE}
), placed as (
  insert into webhook_deliveries
    (merchant_id, endpoint_id, day, position, event_id, type, object, object_id, due_at)
  select e.merchant_id, e.id, l.day, l.position,
         'evt_' || translate(
           left(encode(sha256(convert_to(l.salt || ' ' || l.position, 'UTF8')), 'hex'), 32),
           '0123456789', 'ghijklmnop'),
         l.type, o.object, l.object_id, e.now
    from looked_at l
    join unnest($2::text[], $3::text[]) as o (type, object) on o.type = l.type
    join endpoint e on l.site_id = e.site_id
                    or l.site_id is null and coalesce(l.mode, e.mode) = e.mode
   where case when l.type = '${TEST_TYPE}' then l.object_id = e.id
              else cardinality(e.types) = 0
                   or exists (select from unnest(e.types) as f (wanted)
                               where l.type = wanted
                                  or right(wanted, 1) = '.' and starts_with(l.type, wanted)) end
   order by l.position
)
update webhook_endpoints e
   set position = case when l.count < ${AT_ONCE} then greatest(h.position, e.position)
                       else l.last end
  from event_head h, (select count(*), max(position) as last from looked_at) l
 where e.id = $1
returning l.count >= ${AT_ONCE} as "hasMore"`

const TYPES = Object.keys(EVENT_TYPES)
const OBJECTS = Object.values(EVENT_TYPES).map(({ object }) => object)

/**
 * Takes events out of the feed. A process that finds nothing costs one plain read. `isSparing`:
 * only for endpoints with few due deliveries.
 */
export function createFanOut(pool: pg.Pool): (now: Date, isSparing: boolean) => Promise<boolean> {
  /** Nothing is left up to it. */
  let doneTo: string | null = null

  async function fanOutTo(id: string, now: Date): Promise<'done' | 'more' | 'busy'> {
    return inTransaction(pool, null, async (client) => {
      const locked = await client.query({ name: 'lock endpoint', text: LOCK, values: [id] })
      if (locked.rowCount === 0) return 'busy'
      const { rows } = await client.query<{ hasMore: boolean }>({
        name: 'fan out events',
        text: FAN_OUT,
        values: [id, TYPES, OBJECTS, now],
      })
      return rows[0]?.hasMore === true ? 'more' : 'done'
    })
  }

  return async (now, isSparing) => {
    const { rows: heads } = await pool.query<{ position: string }>({
      name: 'head of webhooks',
      text: 'select position from event_head',
    })
    const head = heads[0]?.position ?? null
    if (head === doneTo) return false
    const { rows } = await pool.query<{ id: string }>(
      isSparing
        ? { name: 'endpoints behind with room', text: BEHIND_WITH_ROOM, values: [now] }
        : { name: 'endpoints behind', text: BEHIND },
    )
    const results: string[] = []
    for (const { id } of rows) results.push(await fanOutTo(id, now))
    // Endpoints that were passed over are still behind.
    if (!isSparing && results.every((result) => result === 'done')) doneTo = head
    return results.includes('more')
  }
}
