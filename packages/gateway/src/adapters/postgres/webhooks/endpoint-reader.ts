import type pg from 'pg'
import type {
  AttemptView,
  DeliveryView,
  EndpointStore,
  EndpointView,
} from '../../../usecases/webhooks/endpoint-store.ts'

const LIST = `
select e.id, e.site_id as "siteId", e.url, e.types, e.state, e.reason, e.failures,
       e.failing_since as "failingSince", e.wait_until as "waitUntil", e.created_at as "createdAt",
       array(select made_at from webhook_secrets k where k.endpoint_id = e.id
              order by generation) as "secretsMadeAt",
       (select count(*) from webhook_deliveries d
         where d.endpoint_id = e.id and d.state = 'pending')::int as pending,
       (select count(*) from webhook_deliveries d
         where d.endpoint_id = e.id and d.state = 'failed')::int as failed
  from webhook_endpoints e`

const LOG = `
select d.id, d.event_id as "eventId", d.type, d.object || ' ' || d.object_id as object, d.state,
       d.attempts, d.due_at as "dueAt", d.created_at as "createdAt"
  from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
 where e.id = $2 and e.site_id = $1 and ($3::text is null or d.state = $3)
 order by d.position desc limit $4`

const ATTEMPTS = `
select delivery_id as delivery, at, duration_ms as "durationMs", request_bytes as "requestBytes",
       signature, status, fault, answer, played
  from webhook_attempts where delivery_id = any($1::bigint[]) order by id desc`

type Row<View> = Omit<View, 'id' | 'siteId' | 'log'> & { readonly id: string }
type EndpointRow = Row<EndpointView> & { readonly siteId: string }

export async function listEndpoints(
  client: Pick<pg.Pool, 'query'>,
  siteId: bigint,
): Promise<EndpointView[]> {
  const text = `${LIST} where e.site_id = $1 order by e.id`
  return viewsOf((await client.query<EndpointRow>(text, [siteId])).rows)
}

/** Those of all sites of a merchant, site by site. */
export async function listMerchantEndpoints(
  client: Pick<pg.Pool, 'query'>,
  merchantId: bigint,
): Promise<EndpointView[]> {
  const text = `${LIST} where e.merchant_id = $1 order by e.site_id, e.id`
  return viewsOf((await client.query<EndpointRow>(text, [merchantId])).rows)
}

function viewsOf(rows: readonly EndpointRow[]): EndpointView[] {
  return rows.map((row) => ({ ...row, id: BigInt(row.id), siteId: BigInt(row.siteId) }))
}

export async function readDeliveryLog(
  client: Pick<pg.Pool, 'query'>,
  siteId: bigint,
  id: bigint,
  { limit, state }: Parameters<EndpointStore['readLog']>[2],
): Promise<DeliveryView[]> {
  const { rows } = await client.query<Row<DeliveryView>>(LOG, [siteId, id, state, limit])
  const ids = rows.map((row) => row.id)
  const attempts = await readAttempts(client, ids)
  return rows.map((row) => ({ ...row, id: BigInt(row.id), log: attempts.get(row.id) ?? [] }))
}

/** The attempts of deliveries by id, the newest first. */
export async function readAttempts(
  client: Pick<pg.Pool, 'query'>,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AttemptView[]>> {
  type AttemptRow = AttemptView & { readonly delivery: string }
  const { rows } = await client.query<AttemptRow>(ATTEMPTS, [deliveryIds])
  const byDelivery = new Map<string, AttemptView[]>()
  for (const { delivery, ...attempt } of rows)
    byDelivery.set(delivery, [...(byDelivery.get(delivery) ?? []), attempt])
  return byDelivery
}
