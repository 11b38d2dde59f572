import { goLive as table } from '@tollgate/portal-contract/routes/settings'
import { z } from 'zod'
import { holdsCardNumber } from '../../../base/card-number-text.ts'
import { idOf } from '../../shell/ids.ts'
import {
  notFound,
  orFault,
  implement,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import type { GoingLive } from '../usecases/going-live.ts'
import { requesterOf, siteIdOf } from './outcome.ts'

const REASON = z
  .string()
  .trim()
  .max(500)
  .refine(
    (text) => !holdsCardNumber(text, 'groups'),
    'it seems to contain a card number; remove it',
  )
  .default('')

export interface GoLiveDeps {
  readonly goingLive: GoingLive
  hasSite(merchantId: bigint, siteId: bigint): Promise<boolean>
}

/** One portal user asks for a site to be moved between test and live, another one decides. */
export function goLiveRoutes({ goingLive, hasSite }: GoLiveDeps): readonly PortalRoute[] {
  async function ownSite(
    call: Pick<PortalCall<unknown, unknown>, 'portalUser' | 'params'>,
  ): Promise<bigint> {
    const siteId = siteIdOf(call)
    if (!(await hasSite(call.portalUser.merchantId, siteId))) throw notFound('site')
    return siteId
  }
  const requestId = ({ params }: Pick<PortalCall<unknown, unknown>, 'params'>): bigint =>
    idOf(params['id'], 'request')

  return [
    implement(table.list, {
      handle: async ({ portalUser }) => ({ requests: await goingLive.list(portalUser.merchantId) }),
    }),
    implement(table.ofSite, {
      async handle(call) {
        const siteId = siteIdOf(call)
        const [dryRun, requests] = await Promise.all([
          goingLive.dryRun(call.portalUser.merchantId, siteId),
          goingLive.list(call.portalUser.merchantId, siteId),
        ])
        if (dryRun === null) throw notFound('site')
        return { dryRun, requests }
      },
    }),
    implement(table.request, {
      body: z.strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/), reason: REASON }),
      async handle(call) {
        const { digest, reason } = call.body
        return orFault(
          await goingLive.request(requesterOf(call), await ownSite(call), digest, reason),
        )
      },
    }),
    implement(table.approve, {
      handle: async (call) =>
        orFault(await goingLive.approve(requesterOf(call), await ownSite(call), requestId(call))),
    }),
    implement(table.refuse, {
      body: z.strictObject({ reason: REASON }),
      handle: async (call) =>
        orFault(
          await goingLive.refuse(
            requesterOf(call),
            await ownSite(call),
            requestId(call),
            call.body.reason,
          ),
        ),
    }),
    implement(table.withdraw, {
      handle: async (call) =>
        orFault(await goingLive.withdraw(requesterOf(call), await ownSite(call), requestId(call))),
    }),
  ]
}
