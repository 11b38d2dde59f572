import { supportVisits as table } from '@tollgate/portal-contract/routes/portal-users'
import { idOf } from '../../shell/ids.ts'
import { implement, orFault, type PortalRoute } from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { EndVisit, SupportVisitStore } from '../../shell/usecases/support-visits.ts'

/** The routes of operators' visits to this portal. */
export function supportVisitRoutes(deps: {
  readonly endVisit: EndVisit
  readonly listVisits: SupportVisitStore['listVisits']
}): readonly PortalRoute[] {
  return [
    implement(table.list, {
      handle: ({ portalUser }) => deps.listVisits(portalUser.merchantId),
    }),
    implement(table.end, {
      async handle({ params, portalUser, address }) {
        const by = { actor: portalUserActor(portalUser), address }
        orFault(await deps.endVisit(idOf(params.id, 'support visit'), portalUser.merchantId, by))
        return { done: true }
      },
    }),
  ]
}
