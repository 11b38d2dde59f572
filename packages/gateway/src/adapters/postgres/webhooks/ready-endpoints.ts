import type pg from 'pg'
import type { EndpointHealth } from '../../../domain/webhooks/judge-attempt.ts'
import type { ReadyEndpoint } from '../../../usecases/webhooks/delivery-ports.ts'
import { isOvertaken } from './fault-queue.ts'
import { hasCome, siteNow, someHasCome } from './site-now.ts'

/** SQL: the columns of `healthOf`. */
export const HEALTH = 'e.state, e.reason, e.failures, e.failing_since, e.wait_until'

const PENDING = `select from webhook_deliveries d
                  where d.endpoint_id = e.id and d.state = 'pending' and d.leased_until < now()`

/** In any sequence: where there is not room for all, each has its turn. */
const READY = `
select e.id, e.merchant_id, e.site_id, e.url, ${HEALTH}, s.mode,
       exists (select from webhook_faults f where f.endpoint_id = e.id) as has_faults
  from webhook_endpoints e
  join sites s on s.id = e.site_id
  left join site_clocks c on c.site_id = e.site_id
 cross join lateral (select ${siteNow('$1::timestamptz')} as now) t
 where (e.state = 'enabled' or e.reason = 'failing' and e.state = 'paused')
   and (e.wait_until is null or ${hasCome('e.wait_until', 't.now')})
   and case when e.state = 'paused' then exists (${PENDING})
            else ${someHasCome(PENDING, 't.now')}
              or exists (select from webhook_deliveries d
                          where d.endpoint_id = e.id and d.yields and d.leased_until < now()
                            and ${isOvertaken('d')}) end
 order by random()`

export interface HealthRow {
  readonly state: EndpointHealth['state']
  readonly reason: EndpointHealth['reason']
  readonly failures: number
  readonly failing_since: Date | null
  readonly wait_until: Date | null
}

/** The endpoints with a due delivery. */
export async function readReady(pool: pg.Pool, now: Date): Promise<ReadyEndpoint[]> {
  const { rows } = await pool.query<
    HealthRow & {
      id: string
      merchant_id: string
      site_id: string
      url: string
      mode: 'test' | 'live'
      has_faults: boolean
    }
  >({ name: 'ready endpoints', text: READY, values: [now] })
  return rows.map((row) => ({
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    siteId: BigInt(row.site_id),
    url: row.url,
    mode: row.mode,
    hasFaults: row.has_faults,
    ...healthOf(row),
  }))
}

export function healthOf(row: HealthRow): EndpointHealth {
  return {
    state: row.state,
    reason: row.reason,
    failures: row.failures,
    failingSince: row.failing_since,
    waitUntil: row.wait_until,
  }
}
