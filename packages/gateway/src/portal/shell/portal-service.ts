import type { SessionView } from '@tollgate/portal-contract/answers/shell'
import { mayDo, RIGHTS, type Right } from '@tollgate/portal-contract/rights'
import { session as table } from '@tollgate/portal-contract/routes/session'
import type { FastifyInstance } from 'fastify'
import { heldFault } from './domain/reset-mark.ts'
import { pageService, type PagePlace } from './page-service.ts'
import { PortalFault, type PortalRoute } from './portal-route.ts'
import type { PortalSession } from './usecases/portal-user.ts'
import type { PortalSessions } from './usecases/sessions.ts'

export interface PortalDeps {
  readonly portal: Omit<
    PagePlace<PortalSession, SessionView, Right>,
    'root' | 'table' | 'routes' | 'sessions' | 'refusal' | 'userOf'
  > & {
    readonly sessions: PortalSessions
    readonly routes: readonly PortalRoute[]
  }
  /** Whether an error means that the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
}

/** The portal: its web application under `/portal`, and its JSON API. */
export function portalService(app: FastifyInstance, { portal, isUnavailable }: PortalDeps): void {
  const place: PagePlace<PortalSession, SessionView, Right> = {
    ...portal,
    root: '/portal',
    table,
    routes: portal.routes.map((route) => ({
      ...route,
      handle: (call) => route.handle({ ...call, portalUser: call.session.portalUser }),
    })),
    refusal({ method, right }, { portalUser, cameIn }) {
      if (right !== null && !mayDo(portalUser.role, right)) {
        return new PortalFault(
          403,
          'not_allowed',
          `Your role does not allow you to ${RIGHTS[right]}. Ask an owner or admin for another role.`,
        )
      }
      const held = method === 'GET' ? null : heldFault(cameIn, right)
      return held === null ? null : new PortalFault(403, 'held', held)
    },
    userOf: ({ portalUser }) => portalUser.id,
  }
  pageService(app, place, isUnavailable)
}
