import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type { Outcome } from '../../../usecases/merchants/operator.ts'
import { idOf } from '../../shell/ids.ts'
import { PortalFault, type PortalCall } from '../../shell/portal-route.ts'
import { personActor } from '../../shell/usecases/person.ts'
import type { Doer } from '../usecases/going-live.ts'

type Call = Pick<PortalCall<unknown, unknown>, 'person' | 'session' | 'address'>

/** Who the audit log names for what is done in a call. */
export function authorOf({ person, address }: Call): AuditAuthor {
  return { actor: personActor(person), address }
}

/** Who asks or decides in a call, with the session they do it in. */
export function doerOf({ person, session, address }: Call): Doer {
  return { person, sessionId: session.id, address }
}

/** What was done, or the fault that pages show; `field` is the one to show it at. */
export function done<Done extends object>(
  outcome: Outcome<Done>,
  fieldOf: (fault: string) => string | null = () => null,
): Done & { readonly ok: true } {
  if (outcome.ok) return outcome
  const [first = ''] = outcome.faults
  const sentence = outcome.faults.join(' ')
  if (outcome.stale === true) throw new PortalFault(409, 'changed_meanwhile', sentence)
  throw new PortalFault(400, 'refused', sentence, outcome.field ?? fieldOf(first))
}

/** The SITE_ID in an address; what is none is no site. */
export function siteIdOf({ params }: Pick<PortalCall<unknown, unknown>, 'params'>): bigint {
  return idOf(params['siteId'], 'site')
}
