import { refused } from '../../../base/refusal.ts'
import { VISIT_RIGHTS } from '../../shell/domain/support-visit.ts'
import type { Invitations } from '../../shell/usecases/invitations.ts'
import type {
  MerchantSummary,
  PortalSession,
  SessionView,
} from '../../shell/usecases/portal-user.ts'
import type { OpenVisit } from '../../shell/usecases/support-visits.ts'
import type { ConsoleSessions } from './console-sessions.ts'

/** A session at the console, as the portal of the visited merchant sees it. */
export interface VisitSession extends PortalSession {
  readonly visit: OpenVisit
}

interface VisitDeps {
  readonly sessions: Pick<ConsoleSessions, 'find'>
  readonly findOpenVisit: (operatorSession: bigint) => Promise<OpenVisit | null>
  readonly readMerchant: (merchantId: bigint) => Promise<MerchantSummary>
  readonly sandbox: boolean
}

/** No portal user has it: what belongs to a user of the portal is not there for a visitor. */
const NO_PORTAL_USER = 0n
const HOW = 'Sign in at the console, and begin a visit there.'

/**
 * The sessions of visits: a session at the console with an open visit. No user signs in to the
 * portal by them, and a visit ends in the console.
 */
export function createVisitSessions(deps: VisitDeps) {
  const refuse = () => Promise.resolve(refused('forbidden', HOW))
  return {
    signIn: refuse,
    giveCode: refuse,

    async find(token: string, isSeen: boolean): Promise<VisitSession | null> {
      const session = await deps.sessions.find(token, isSeen)
      if (session === null || session.next !== null) return null
      const visit = await deps.findOpenVisit(session.id)
      if (visit === null) return null
      const { operator, secondsLeft, ...open } = session
      const { id: _operatorId, role: _consoleRole, ...names } = operator
      const whole = Math.min(secondsLeft.whole, visit.secondsLeft)
      return {
        ...open,
        secondsLeft: { idle: secondsLeft.idle, whole },
        portalUser: {
          ...names,
          id: NO_PORTAL_USER,
          merchantId: visit.merchantId,
          role: 'read_only',
          refundLimit: null,
        },
        timeZone: visit.timeZone,
        cameIn: null,
        visit,
      }
    },

    async view({ csrfToken, portalUser, visit }: VisitSession): Promise<SessionView> {
      const { name, timeZone, sites } = await deps.readMerchant(visit.merchantId)
      const { reason, expiresAt } = visit
      return {
        next: null,
        portalUser,
        merchant: { id: visit.merchantId, name, timeZone },
        rights: VISIT_RIGHTS,
        sites,
        csrfToken,
        sandbox: deps.sandbox,
        visit: { reason, expiresAt },
      }
    },
  }
}

/** No user is invited to a portal by way of a visit. */
export const NO_INVITATIONS: Invitations = {
  look: () => Promise.resolve(refused('forbidden', HOW)),
  take: () => Promise.resolve(refused('forbidden', HOW)),
}
