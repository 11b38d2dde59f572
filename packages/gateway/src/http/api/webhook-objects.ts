import { describeEvent } from '../../usecases/events/describe-event.ts'
import { loggedHeaders } from '../../usecases/webhooks/attempt-headers.ts'
import type { EndpointView } from '../../usecases/webhooks/endpoint-store.ts'
import type { ListedDelivery, WholeDelivery } from '../../usecases/webhooks/webhook-reader.ts'

/** The fields of an endpoint with their meanings; docs/integrators/webhook-api.md has them too. */
export const ENDPOINT_FIELDS = {
  id: 'the endpoint',
  site_id: 'the site whose events it gets',
  url: 'the address that events are posted to',
  types: 'types of events, or beginnings that end with a full stop; empty for all',
  state: '`enabled`, `paused` or `disabled`',
  reason: 'why it is not enabled: `requested`, `failing` (no success) or `gone` (410); else empty',
  failures: 'failed attempts since the last success',
  failing_since: 'the time of the first of them, or null',
  waits_until: 'nothing is sent before it, or null',
  secrets_created_at: 'the times of its secrets, the newest first; two sign while there are two',
  pending: 'the number of pending deliveries',
  failed: 'the number of failed deliveries',
  created_at: 'when it was added',
} as const

export function endpointObject(
  view: EndpointView,
): Readonly<Record<keyof typeof ENDPOINT_FIELDS, unknown>> {
  return {
    id: view.id.toString(),
    site_id: view.siteId.toString(),
    url: view.url,
    types: view.types,
    state: view.state,
    reason: view.reason,
    failures: view.failures,
    failing_since: view.failingSince,
    waits_until: view.waitUntil,
    secrets_created_at: view.secretsMadeAt,
    pending: view.pending,
    failed: view.failed,
    created_at: view.createdAt,
  }
}

/** The fields of a delivery with their meanings. */
export const DELIVERY_FIELDS = {
  id: 'the delivery',
  endpoint_id: 'the endpoint',
  site_id: 'its site',
  event_id: 'the event, and the `webhook-id` of each attempt',
  type: 'the type of the event',
  'object.type': 'the object that the event is about',
  'object.id': 'its id',
  state: '`pending`, `delivered` or `failed`',
  attempts: 'attempts since it was queued, or queued again',
  next_attempt_at: "the next attempt by the site's clock; null unless it is pending",
  created_at: 'when it was queued first',
  ended_at: 'when it was delivered or failed for good, or null',
  'last_attempt.at': 'the latest attempt; `last_attempt` is null before the first',
  'last_attempt.status': 'the HTTP status of its answer, or null without a whole answer',
  'last_attempt.error': 'a sentence; empty for success',
} as const

export function deliveryObject(row: ListedDelivery) {
  const { last } = row
  return {
    id: row.id.toString(),
    endpoint_id: row.endpointId.toString(),
    site_id: row.siteId.toString(),
    event_id: row.eventId,
    type: row.type,
    object: { type: row.object.type, id: row.object.id.toString() },
    state: row.state,
    attempts: row.attempts,
    next_attempt_at: row.state === 'pending' ? row.dueAt : null,
    created_at: row.createdAt,
    ended_at: row.endedAt,
    last_attempt: last === null ? null : { at: last.at, status: last.status, error: last.fault },
  }
}

/** The JSON of a delivery with its event, as it was posted, and its attempts, the newest first. */
export function wholeDeliveryJson(whole: WholeDelivery): string {
  const log = whole.log.map((attempt) => ({
    at: attempt.at,
    duration_ms: attempt.durationMs,
    status: attempt.status,
    error: attempt.fault,
    request_headers: loggedHeaders(whole.eventId, attempt),
    answer: attempt.answer,
  }))
  const listed = JSON.stringify({ ...deliveryObject(whole), log })
  const event = whole.event === null ? 'null' : describeEvent(whole.event)
  return `${listed.slice(0, -1)},"event":${event}}`
}
