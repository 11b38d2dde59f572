import type { EventOrigin } from '../../../domain/events/event.ts'
import type { EndpointHealth } from '../../../domain/webhooks/judge-attempt.ts'
import { wholeFact, type Fact } from '../events/outbox.ts'

/** An event about an endpoint; `health` as it is from now on, null for what does not change it. */
export function endpointFact(
  type: 'endpoint.tested' | 'endpoint.paused' | 'endpoint.resumed' | 'endpoint.disabled',
  endpoint: {
    readonly id: bigint
    readonly merchantId: bigint
    readonly siteId: bigint
    readonly mode: 'test' | 'live'
  },
  health: EndpointHealth | null,
  origin: EventOrigin,
): Fact {
  const { id, merchantId, mode, siteId } = endpoint
  const data = {
    endpoint_id: id.toString(),
    ...(health !== null && {
      reason: health.reason,
      failures: health.failures,
      failing_since: health.failingSince?.toISOString() ?? null,
    }),
  }
  return { ...wholeFact(type, merchantId, id, { mode, origin, data }), siteId }
}
