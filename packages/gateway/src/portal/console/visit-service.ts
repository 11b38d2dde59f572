import type { SessionView } from '@tollgate/portal-contract/answers/shell'
import type { Right } from '@tollgate/portal-contract/rights'
import { session as table } from '@tollgate/portal-contract/routes/session'
import type { FastifyInstance } from 'fastify'
import { visitFault } from '../shell/domain/support-visit.ts'
import { pageService, type PagePlace } from '../shell/page-service.ts'
import { Download, PortalFault, type PortalRoute } from '../shell/portal-route.ts'
import type { VisitSession } from './usecases/visit-sessions.ts'

type VisitPlace = PagePlace<VisitSession, SessionView, Right>

export interface VisitServiceDeps {
  readonly visits: Omit<
    VisitPlace,
    'root' | 'table' | 'routes' | 'refusal' | 'userOf' | 'sessions'
  > & {
    readonly sessions: Omit<VisitPlace['sessions'], 'signOut'>
    /** The routes of the portal. */
    readonly routes: readonly PortalRoute[]
  }
  /** Whether an error means that the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
}

/**
 * The portal of a merchant at the address of the console, for an operator with an open visit. It
 * reads, and nothing else; files are not downloaded either.
 */
export function visitService(
  app: FastifyInstance,
  { visits, isUnavailable }: VisitServiceDeps,
): void {
  const place: VisitPlace = {
    ...visits,
    root: '/portal',
    table,
    sessions: {
      ...visits.sessions,
      // The cookie is that of the console, which stays signed in.
      signOut: () =>
        Promise.reject(new PortalFault(403, 'read_only', 'End the visit in the console.')),
    },
    routes: visits.routes.map((route) => ({
      ...route,
      async handle(call) {
        const answer = await route.handle({ ...call, portalUser: call.session.portalUser })
        if (!(answer instanceof Download)) return answer
        throw new PortalFault(403, 'not_allowed', 'A support visit downloads no files.')
      },
    })),
    refusal(route) {
      const fault = visitFault(route)
      return fault === null ? null : new PortalFault(403, fault.code, fault.sentence)
    },
    userOf: ({ id }) => id,
  }
  pageService(app, place, isUnavailable)
}
