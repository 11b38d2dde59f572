import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import { idOf } from '../../shell/ids.ts'
import type { PortalCall } from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { LiveChangeRequester } from '../usecases/going-live.ts'

type Call = Pick<PortalCall<unknown, unknown>, 'portalUser' | 'session' | 'address'>

/** The actor of a call, as the audit log names it. */
export function authorOf({ portalUser, address }: Call): AuditAuthor {
  return { actor: portalUserActor(portalUser), address }
}

/** The user who requests or decides in a call, with the session. */
export function requesterOf({ portalUser, session, address }: Call): LiveChangeRequester {
  return { portalUser, sessionId: session.id, address }
}

/** The SITE_ID in an address; what is none is no site. */
export function siteIdOf({ params }: Pick<PortalCall<unknown, unknown>, 'params'>): bigint {
  return idOf(params['siteId'], 'site')
}
