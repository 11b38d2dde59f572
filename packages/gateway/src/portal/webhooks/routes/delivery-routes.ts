import { webhooks as table } from '@tollgate/portal-contract/routes/webhooks'
import { z } from 'zod'
import { describeEvent } from '../../../usecases/events/describe-event.ts'
import { loggedHeaders } from '../../../usecases/webhooks/attempt-headers.ts'
import type {
  DeliveryPlace,
  ListedDelivery,
  WholeDelivery,
} from '../../../usecases/webhooks/webhook-reader.ts'
import { ID, idOf } from '../../shell/ids.ts'
import { implement, notFound, orFault, type PortalRoute } from '../../shell/portal-route.ts'
import { authorOf, type WebhookRoutesDeps } from './endpoint-routes.ts'

const PAGE = 50
const QUERY = z.object({
  site: ID.optional(),
  endpoint: ID.optional(),
  state: z.enum(['pending', 'delivered', 'failed']).optional(),
  type: z.string().max(100).optional(),
  event: z.string().trim().max(100).optional(),
  after: z
    .string()
    .regex(/^\d{1,18}-\d{1,18}$/, 'expected a place of the list')
    .optional(),
})

/** The log of deliveries, and what is sent again from it. */
export function deliveryRoutes({ changes, reader }: WebhookRoutesDeps): readonly PortalRoute[] {
  return [
    implement(table.deliveries, {
      query: QUERY,
      async handle({ portalUser: { merchantId }, query }) {
        const { after, endpoint, event, site, state, type } = query
        const filter = {
          merchantId,
          siteId: site ?? null,
          endpointId: endpoint ?? null,
          state: state ?? null,
          type: type ?? null,
          eventId: event ?? null,
          from: null,
          to: null,
        }
        const place = after === undefined ? null : placeOf(after)
        const found = await reader.deliveries(filter, place, PAGE + 1)
        const shown = found.slice(0, PAGE)
        const last = shown.at(-1)
        const next =
          found.length > PAGE && last !== undefined ? `${last.position}-${last.id}` : null
        return { deliveries: shown.map(rowOf), next }
      },
    }),
    implement(table.delivery, {
      async handle({ params, portalUser: { merchantId } }) {
        const found = await reader.delivery(merchantId, idOf(params.id, 'delivery'))
        if (found === null) throw notFound('delivery')
        return wholeOf(found)
      },
    }),
    implement(table.sendAgain, {
      async handle(call) {
        const { params, portalUser } = call
        const found = await reader.delivery(portalUser.merchantId, idOf(params.id, 'delivery'))
        if (found === null) throw notFound('delivery')
        const { endpointId, eventId, siteId } = found
        const filter = { eventId, isFailedOnly: false, since: null }
        const sent = await changes.sendAgain(siteId, endpointId, filter, authorOf(call))
        return { count: orFault(sent).count }
      },
    }),
  ]
}

function placeOf(text: string): DeliveryPlace {
  const [position = '0', id = '0'] = text.split('-')
  return { position: BigInt(position), id: BigInt(id) }
}

function rowOf(listed: ListedDelivery) {
  const { attempts, createdAt, dueAt, endedAt, endpointId, eventId, id, last } = listed
  const { object, siteId, state, type, url } = listed
  const where = { endpointId, siteId, url }
  return { id, ...where, eventId, type, object, state, attempts, dueAt, createdAt, endedAt, last }
}

function wholeOf({ event, log, ...listed }: WholeDelivery) {
  return {
    ...rowOf(listed),
    body: event === null ? null : describeEvent(event),
    log: log.map((attempt) => ({
      at: attempt.at,
      status: attempt.status,
      fault: attempt.fault,
      durationMs: attempt.durationMs,
      answer: attempt.answer,
      headers: Object.entries(loggedHeaders(listed.eventId, attempt)),
    })),
  }
}
