import { userApprovals as table } from '@tollgate/portal-contract/routes/portal-users'
import { z } from 'zod'
import { idOf } from '../../shell/ids.ts'
import { implement, orFault, type PortalCall, type PortalRoute } from '../../shell/portal-route.ts'
import type { PeerApprovals, PeerRequester } from '../usecases/peer-requests.ts'
import type { PeerRequestView } from '../usecases/portal-users.ts'
import { addressOf } from './portal-users-routes.ts'

type Call = Pick<PortalCall<unknown, unknown>, 'portalUser' | 'session' | 'address' | 'params'>

/** Approvals of a second user for changes of users with equal rank. */
export function peerApprovalRoutes({
  approvals,
  portalUrl,
}: {
  readonly approvals: PeerApprovals
  /** The public address of reset links. */
  readonly portalUrl: string
}): readonly PortalRoute[] {
  const requestId = ({ params }: Call): bigint => idOf(params['id'], 'request')
  return [
    implement(table.read, {
      async handle({ portalUser }) {
        const { required, requests } = await approvals.read(portalUser.merchantId)
        return { required, requests: requests.map(shown) }
      },
    }),
    implement(table.set, {
      body: z.strictObject({ required: z.boolean() }),
      async handle(call) {
        const { done } = orFault(await approvals.set(requesterOf(call), call.body.required))
        return { done }
      },
    }),
    implement(table.approve, {
      async handle(call) {
        const { link } = orFault(await approvals.approve(requesterOf(call), requestId(call)))
        return { link: link === null ? null : addressOf(portalUrl, link) }
      },
    }),
    implement(table.refuse, {
      handle: async (call) => orFault(await approvals.refuse(requesterOf(call), requestId(call))),
    }),
    implement(table.withdraw, {
      handle: async (call) => orFault(await approvals.withdraw(requesterOf(call), requestId(call))),
    }),
  ]
}

function requesterOf({ portalUser, session, address }: Call): PeerRequester {
  return { portalUser, sessionId: session.id, address }
}

function shown({ operation, ...request }: PeerRequestView) {
  const change = operation.does === 'change' ? operation : null
  return {
    ...request,
    does: operation.does,
    role: change?.role ?? null,
    refundLimit: change?.refundLimit ?? null,
  }
}
