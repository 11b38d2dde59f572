import { webhooks as table } from '@tollgate/portal-contract/routes/webhooks'
import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
import { EVENT_TYPES } from '../../../domain/events/event-types.ts'
import { MOST_ENDPOINTS } from '../../../domain/webhooks/endpoint-draft.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type { ChangeEndpoints } from '../../../usecases/webhooks/change-endpoints.ts'
import type { WebhookReader } from '../../../usecases/webhooks/webhook-reader.ts'
import { ID, idOf } from '../../shell/ids.ts'
import {
  implement,
  notFound,
  orFault,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'

export interface WebhookRoutesDeps {
  readonly reader: WebhookReader
  readonly changes: ChangeEndpoints
}

type Call = Pick<PortalCall<unknown, unknown>, 'portalUser' | 'address'>

const URL_TEXT = z.string().trim().max(2_100)
const TYPES = z.array(z.string().trim().max(100)).max(200)
const CHOICES = Object.entries(EVENT_TYPES).map(([type, { when }]) => ({ type, when }))

/** The actor of a call, as the audit log names it. */
export function authorOf({ address, portalUser }: Call): AuditAuthor {
  return { actor: portalUserActor(portalUser), address }
}

/** The endpoints of a merchant's sites: added, changed, paused and removed by portal users. */
export function endpointRoutes({ changes, reader }: WebhookRoutesDeps): readonly PortalRoute[] {
  /** Runs a change of the endpoint in the address, which must be one of the merchant's. */
  async function onOwn<Done extends object>(
    call: Call & { readonly params: { readonly id: string } },
    work: (siteId: bigint, id: bigint, by: AuditAuthor) => Promise<Result<Done>>,
  ): Promise<Done> {
    const id = idOf(call.params.id, 'endpoint')
    const siteId = await reader.siteOf(call.portalUser.merchantId, id)
    if (siteId === null) throw notFound('endpoint')
    return orFault(await work(siteId, id, authorOf(call)))
  }
  const done = { done: true }

  return [
    implement(table.list, {
      async handle({ portalUser: { merchantId } }) {
        const endpoints = await reader.endpoints(merchantId)
        return { endpoints, types: CHOICES, most: MOST_ENDPOINTS }
      },
    }),
    implement(table.add, {
      body: z.strictObject({ siteId: ID, url: URL_TEXT, types: TYPES }),
      async handle(call) {
        const { siteId, types, url } = call.body
        if (!(await reader.hasSite(call.portalUser.merchantId, siteId))) throw notFound('site')
        const added = orFault(await changes.add(siteId, { url, types }, authorOf(call)))
        return { id: added.id, secret: added.secret.reveal() }
      },
    }),
    implement(table.change, {
      body: z.strictObject({ url: URL_TEXT.optional(), types: TYPES.optional() }),
      async handle(call) {
        const { types, url } = call.body
        const wanted = { ...(url !== undefined && { url }), ...(types !== undefined && { types }) }
        await onOwn(call, (siteId, id, by) => changes.change(siteId, id, wanted, by))
        return done
      },
    }),
    implement(table.remove, {
      async handle(call) {
        await onOwn(call, changes.remove)
        return done
      },
    }),
    implement(table.rotate, {
      handle: async (call) => ({
        secret: (await onOwn(call, changes.rotate)).secret.reveal(),
      }),
    }),
    implement(table.removeOldSecret, {
      async handle(call) {
        await onOwn(call, changes.removeOldSecret)
        return done
      },
    }),
    implement(table.pause, {
      async handle(call) {
        await onOwn(call, changes.pause)
        return done
      },
    }),
    implement(table.resume, {
      async handle(call) {
        await onOwn(call, changes.resume)
        return done
      },
    }),
    implement(table.test, {
      async handle(call) {
        await onOwn(call, changes.test)
        return done
      },
    }),
    implement(table.sendFailedAgain, {
      body: z.strictObject({
        since: z.iso
          .datetime()
          .transform((at) => new Date(at))
          .nullable(),
      }),
      async handle(call) {
        const filter = { eventId: null, isFailedOnly: true, since: call.body.since }
        const sent = await onOwn(call, (siteId, id, by) =>
          changes.sendAgain(siteId, id, filter, by),
        )
        return { count: sent.count }
      },
    }),
  ]
}
