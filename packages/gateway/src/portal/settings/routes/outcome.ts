import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import { idOf } from '../../shell/ids.ts'
import type { PortalCall } from '../../shell/portal-route.ts'
import { personActor } from '../../shell/usecases/person.ts'
import type { Doer } from '../usecases/going-live.ts'

type Call = Pick<PortalCall<unknown, unknown>, 'person' | 'session' | 'address'>

/** The actor of a call, as the audit log names it. */
export function authorOf({ person, address }: Call): AuditAuthor {
  return { actor: personActor(person), address }
}

/** The user who requests or decides in a call, with the session. */
export function doerOf({ person, session, address }: Call): Doer {
  return { person, sessionId: session.id, address }
}

/** The SITE_ID in an address; what is none is no site. */
export function siteIdOf({ params }: Pick<PortalCall<unknown, unknown>, 'params'>): bigint {
  return idOf(params['siteId'], 'site')
}
