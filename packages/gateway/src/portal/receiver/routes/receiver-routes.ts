import { webhookReceivers } from '@tollgate/portal-contract/routes/receiver'
import { z } from 'zod'
import { FAULT_KINDS, MOST_FAULTS } from '../../../domain/webhooks/delivery-faults.ts'
import { MANNERS } from '../../../domain/webhooks/receiver-answer.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type { FaultStore, SetFaults } from '../../../usecases/webhooks/change-faults.ts'
import type { ChangeReceivers } from '../../../usecases/webhooks/change-receivers.ts'
import type { ReceiverStore } from '../../../usecases/webhooks/receiver-store.ts'
import { ID, idOf } from '../../shell/ids.ts'
import {
  implement,
  notFound,
  orFault,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'

export interface ReceiverRoutesDeps {
  readonly changes: ChangeReceivers
  readonly receivers: Pick<ReceiverStore, 'list' | 'readCaught'>
  readonly setFaults: SetFaults
  readonly faults: Pick<FaultStore, 'list'>
  /** Null for a site of another merchant. */
  readonly readSite: (merchantId: bigint, siteId: bigint) => Promise<Pick<Site, 'id'> | null>
}

type Call = Pick<PortalCall<unknown, unknown>, 'portalUser' | 'address' | 'params'>

const PAGE = 50
const RECEIVER = z.string().max(80)
const NUMBER = z.number()
const PLAN = z.strictObject({
  receiver: RECEIVER,
  manner: z.enum(MANNERS),
  status: NUMBER,
  retryAfterS: NUMBER.nullable(),
  delayMs: NUMBER,
  left: NUMBER.nullable(),
})
const FAULT = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  type: z.string().max(80),
  share: NUMBER,
  seconds: NUMBER,
  left: NUMBER.nullable(),
})

/** Receivers of the merchant's test sites; what they answer, and what they caught. */
export function receiverRoutes(deps: ReceiverRoutesDeps): readonly PortalRoute[] {
  const { changes, faults, receivers, setFaults } = deps
  const siteOf = async ({ params, portalUser }: Call): Promise<bigint> => {
    const site = await deps.readSite(portalUser.merchantId, idOf(params['id'], 'site'))
    if (site === null) throw notFound('site')
    return site.id
  }
  return [
    implement(webhookReceivers.list, {
      async handle(call) {
        const siteId = await siteOf(call)
        const [listed, endpoints] = await Promise.all([receivers.list(siteId), faults.list(siteId)])
        return {
          receivers: listed.map(({ endpointId, id, plan, url }) => {
            return { id, endpointId, url, answer: plan }
          }),
          endpoints,
        }
      },
    }),
    implement(webhookReceivers.caught, {
      query: z.object({ before: ID.optional() }),
      async handle(call) {
        const before = call.query.before ?? null
        const filter = { receiverId: null, before, limit: PAGE }
        const rows = await receivers.readCaught(await siteOf(call), filter)
        return {
          rows: rows.map(({ headers, ...row }) => {
            return { ...row, headers: headers.map(([name, value]) => ({ name, value })) }
          }),
          next: rows.length < PAGE ? null : (rows.at(-1)?.id ?? null),
        }
      },
    }),
    implement(webhookReceivers.add, {
      body: z.strictObject({ types: z.array(z.string().max(80)).max(100) }),
      async handle(call) {
        const siteId = await siteOf(call)
        const { added } = orFault(await changes.add(siteId, call.body.types, authorOf(call)))
        const { endpointId, id, secret, url } = added
        return { id, url, endpointId, secret: secret.reveal() }
      },
    }),
    implement(webhookReceivers.remove, {
      body: z.strictObject({ receiver: RECEIVER }),
      async handle(call) {
        const siteId = await siteOf(call)
        orFault(await changes.remove(siteId, call.body.receiver, authorOf(call)))
        return { done: true }
      },
    }),
    implement(webhookReceivers.setAnswer, {
      body: PLAN,
      async handle(call) {
        const { receiver, ...plan } = call.body
        const siteId = await siteOf(call)
        orFault(await changes.setAnswer(siteId, receiver, plan, authorOf(call)))
        return { done: true }
      },
    }),
    implement(webhookReceivers.setFaults, {
      body: z.strictObject({ endpoint: ID, faults: z.array(FAULT).max(MOST_FAULTS) }),
      async handle(call) {
        const { endpoint, faults: wanted } = call.body
        orFault(await setFaults(await siteOf(call), endpoint, wanted, authorOf(call)))
        return { done: true }
      },
    }),
  ]
}

function authorOf({ address, portalUser }: Call): AuditAuthor {
  return { actor: portalUserActor(portalUser), address }
}
