import type pg from 'pg'
import type { GatewayConfig } from '../../config/config.ts'
import { PORTAL_FOLDER, readPortalFiles } from '../shell/portal-files.ts'
import type { PortalGuardDeps } from '../shell/portal-guard.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { readMerchant } from '../shell/store/portal-users-store.ts'
import type { SupportVisitStore } from '../shell/usecases/support-visits.ts'
import type { ConsoleSession } from './usecases/console-operator.ts'
import type { ConsoleSessions } from './usecases/console-sessions.ts'
import { createVisitSessions, NO_INVITATIONS } from './usecases/visit-sessions.ts'
import type { VisitServiceDeps } from './visit-service.ts'

interface VisitParts {
  readonly config: Pick<GatewayConfig, 'mode'>
  readonly database: { readonly pool: pg.Pool }
  /** The routes of the portal, which an operator sees in a visit. */
  readonly portalRoutes: readonly PortalRoute[]
}

/** The pages of a visit are beside those of the console, with the same session. */
export function visitPlace(
  { config, database: { pool }, portalRoutes }: VisitParts,
  { findOpenVisit }: SupportVisitStore,
  sessions: ConsoleSessions,
  guard: Omit<PortalGuardDeps<ConsoleSession>, 'sessions'> &
    Pick<VisitServiceDeps['visits'], 'onAnswer'>,
): VisitServiceDeps['visits'] {
  return {
    ...guard,
    files: readPortalFiles(PORTAL_FOLDER),
    sessions: createVisitSessions({
      sessions,
      findOpenVisit,
      readMerchant: (id) => readMerchant(pool, id),
      sandbox: config.mode === 'sandbox',
    }),
    invitations: NO_INVITATIONS,
    routes: portalRoutes,
  }
}
