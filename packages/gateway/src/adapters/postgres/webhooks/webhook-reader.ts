import type pg from 'pg'
import type {
  DeliveryFilter,
  DeliveryPlace,
  DeliveryState,
  ListedDelivery,
  WebhookReader,
} from '../../../usecases/webhooks/webhook-reader.ts'
import { readEvents } from '../events/feed-reader.ts'
import { listMerchantEndpoints, readAttempts } from './endpoint-reader.ts'

/** In the text of the statement: parameters would leave the partial indexes unused. */
const OF_STATE: Readonly<Record<DeliveryState | 'any', string>> = {
  pending: `and d.state = 'pending'`,
  delivered: `and d.state = 'delivered'`,
  failed: `and d.state = 'failed'`,
  any: '',
}

const COLUMNS = `
d.id, d.position, d.day::text, d.endpoint_id, e.site_id, e.url, d.event_id, d.type, d.object,
d.object_id, d.state, d.attempts, d.due_at, d.created_at, d.ended_at, a.at as last_at,
a.status as last_status, a.fault as last_fault`

const LAST_ATTEMPT = `
left join lateral (select at, status, fault from webhook_attempts
                    where delivery_id = d.id order by id desc limit 1) a on true`

/** Each endpoint gives its newest, and the newest of these are the page. */
const pageOf = (state: DeliveryState | null): string => `
with e as materialized (
  select id, site_id, url from webhook_endpoints
   where merchant_id = $1 and ($2::bigint is null or site_id = $2)
     and ($3::bigint is null or id = $3)
), page as materialized (
  select d.* from e cross join lateral (
    select * from webhook_deliveries d
     where d.endpoint_id = e.id ${OF_STATE[state ?? 'any']}
       and ($4::text is null or d.type = $4 or right($4, 1) = '.' and starts_with(d.type, $4))
       and ($5::text is null or d.event_id = $5)
       and ($6::timestamptz is null or d.created_at >= $6)
       and ($7::timestamptz is null or d.created_at < $7)
       and d.position <= $8 and (d.position < $8 or d.id < $9)
     order by d.position desc limit $10) d
  order by d.position desc, d.id desc limit $10
)
select ${COLUMNS} from page d join e on e.id = d.endpoint_id ${LAST_ATTEMPT}
 order by d.position desc, d.id desc`

const ONE = `
select ${COLUMNS} from webhook_deliveries d
  join webhook_endpoints e on e.id = d.endpoint_id ${LAST_ATTEMPT}
 where d.id = $2 and e.merchant_id = $1`

const BEFORE_ALL: DeliveryPlace = { position: 2n ** 63n - 1n, id: 2n ** 63n - 1n }

interface Row {
  readonly id: string
  readonly position: string
  readonly day: string
  readonly endpoint_id: string
  readonly site_id: string
  readonly url: string
  readonly event_id: string
  readonly type: string
  readonly object: string
  readonly object_id: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly due_at: Date
  readonly created_at: Date
  readonly ended_at: Date | null
  readonly last_at: Date | null
  readonly last_status: number | null
  readonly last_fault: string | null
}

/** Reads endpoints and their log; every query names the merchant. */
export function createWebhookReader(pool: Pick<pg.Pool, 'query'>): WebhookReader {
  return {
    async hasSite(merchantId, siteId) {
      const text = 'select from sites where id = $1 and merchant_id = $2'
      return (await pool.query(text, [siteId, merchantId])).rowCount === 1
    },
    endpoints: (merchantId) => listMerchantEndpoints(pool, merchantId),
    async siteOf(merchantId, endpointId) {
      const { rows } = await pool.query<{ site_id: string }>(
        'select site_id from webhook_endpoints where id = $1 and merchant_id = $2',
        [endpointId, merchantId],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].site_id)
    },
    async deliveries(filter, after, limit) {
      const { rows } = await pool.query<Row>(
        pageOf(filter.state),
        valuesOf(filter, after ?? BEFORE_ALL, limit),
      )
      return rows.map(listed)
    },
    async delivery(merchantId, id) {
      const { rows } = await pool.query<Row>(ONE, [merchantId, id])
      const [row] = rows
      if (row === undefined) return null
      const position = BigInt(row.position)
      const [events, attempts] = await Promise.all([
        readEvents(pool, merchantId, [{ day: row.day, position }]),
        readAttempts(pool, [row.id]),
      ])
      return {
        ...listed(row),
        event: events.get(position) ?? null,
        log: attempts.get(row.id) ?? [],
      }
    },
  }
}

function valuesOf(filter: DeliveryFilter, after: DeliveryPlace, limit: number): unknown[] {
  const { endpointId, eventId, from, merchantId, siteId, to, type } = filter
  const { id, position } = after
  return [merchantId, siteId, endpointId, type, eventId, from, to, position, id, limit]
}

function listed(row: Row): ListedDelivery {
  return {
    id: BigInt(row.id),
    position: BigInt(row.position),
    endpointId: BigInt(row.endpoint_id),
    siteId: BigInt(row.site_id),
    url: row.url,
    eventId: row.event_id,
    type: row.type,
    object: { type: row.object, id: BigInt(row.object_id) },
    state: row.state,
    attempts: row.attempts,
    dueAt: row.due_at,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    last:
      row.last_at === null
        ? null
        : { at: row.last_at, status: row.last_status, fault: row.last_fault ?? '' },
  }
}
