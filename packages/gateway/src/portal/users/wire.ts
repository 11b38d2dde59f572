import type pg from 'pg'
import { generateRecoveryCodes } from '../../adapters/credentials/second-factor.ts'
import type { AuditLogStore } from '../../adapters/postgres/audit/audit-log.ts'
import { onConnection } from '../../adapters/postgres/connection/database.ts'
import type { GatewayConfig } from '../../config/config.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { createSupportVisitStore } from '../shell/store/support-visit-store.ts'
import { createEndVisit } from '../shell/usecases/support-visits.ts'
import type { PortalSignIn } from '../shell/wire.ts'
import { accountRoutes } from './routes/account-routes.ts'
import { auditRoutes, type CheckedChain } from './routes/audit-routes.ts'
import { peerApprovalRoutes } from './routes/peer-approval-routes.ts'
import { portalUsersRoutes } from './routes/portal-users-routes.ts'
import { supportVisitRoutes } from './routes/support-visit-routes.ts'
import { createAccountStore } from './store/account-store.ts'
import { createAuditView } from './store/audit-view.ts'
import { createPortalUsersRecords } from './store/portal-users-records.ts'
import { createAccount } from './usecases/account.ts'
import { createPortalUsersAdmin } from './usecases/change-portal-users.ts'
import { createPeerApprovals } from './usecases/peer-requests.ts'

interface PortalUsersParts {
  readonly config: Pick<GatewayConfig, 'portal' | 'portalUrl'>
  readonly database: { readonly pool: pg.Pool }
  readonly audit: AuditLogStore
  readonly signIn: PortalSignIn
  /** Checks the chain of the whole audit log. */
  readonly checkWholeLog: (client: pg.ClientBase) => Promise<CheckedChain>
}

/** The portal users, the rights of each role, the own account, and the audit log. */
export function wirePortalUsers(parts: PortalUsersParts): readonly PortalRoute[] {
  const { config, database, audit, signIn, checkWholeLog } = parts
  const { pool } = database
  const { randomToken, digest } = signIn
  const { idleDays, secondFactorRequired } = config.portal
  const account = createAccount({
    ...signIn.credentials,
    store: createAccountStore(pool),
    checkPassword: signIn.sessions.checkPassword,
    secondFactor: signIn.secondFactor,
    makeRecoveryCodes: generateRecoveryCodes,
    secondFactorRequired,
  })
  const users = { store: createPortalUsersRecords(pool, idleDays), randomToken, digest }
  const visits = createSupportVisitStore(pool)
  return [
    ...supportVisitRoutes({
      endVisit: createEndVisit(visits),
      listVisits: visits.listVisits,
    }),
    ...portalUsersRoutes({
      portalUsers: createPortalUsersAdmin(users),
      portalUrl: config.portalUrl,
    }),
    ...peerApprovalRoutes({
      approvals: createPeerApprovals(users),
      portalUrl: config.portalUrl,
    }),
    ...accountRoutes(account),
    ...auditRoutes({
      view: createAuditView(pool),
      append: audit.append,
      checkLog: () => onConnection(pool, checkWholeLog),
    }),
  ]
}
