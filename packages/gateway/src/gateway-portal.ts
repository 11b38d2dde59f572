import { createHash, randomBytes } from 'node:crypto'
import { matchPassword } from './adapters/credentials/password-hash.ts'
import { createPeopleStore } from './adapters/postgres/portal/people-store.ts'
import type { Foundation } from './gateway-foundation.ts'
import { wireBatches } from './gateway-portal-batches.ts'
import { wireCustomers } from './gateway-portal-customers.ts'
import { wireDeveloper } from './gateway-portal-developer.ts'
import { wireHome } from './gateway-portal-home.ts'
import { wireOrder } from './gateway-portal-order.ts'
import { wireOrders } from './gateway-portal-orders.ts'
import { wirePeople } from './gateway-portal-people.ts'
import { wireSettings } from './gateway-portal-settings.ts'
import { PORTAL_FOLDER, readPortalFiles } from './http/portal/portal-files.ts'
import type { PortalDeps } from './http/portal/portal-service.ts'
import type { AdjustOrder } from './usecases/adjustment-command.ts'
import type { ChangeMembership } from './usecases/memberships/change-membership.ts'
import { createPortalSessions } from './usecases/portal/sessions.ts'
import type { RequestLogEntry } from './usecases/request-log.ts'
import type { TakePayment } from './usecases/payment-command.ts'
import type { TokenSite } from './usecases/token-site.ts'

/** What the payment address does, for people who do it in the portal. */
export interface PortalUses {
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustOrder
  readonly changeMembership: ChangeMembership
  /** Into the request log: what people do is found there as what programs do. */
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
}

/** What each section of the portal is wired with. */
export interface PortalFoundation extends Foundation, PortalUses {}

/** The portal and its API. */
export function wirePortal(foundation: Foundation, uses: PortalUses): Pick<PortalDeps, 'portal'> {
  const { config, database } = foundation
  const { pool } = database
  const sessions = createPortalSessions({
    store: createPeopleStore(pool),
    matchPassword,
    randomToken: () => randomBytes(32).toString('base64url'),
    digest: (token) => createHash('sha256').update(token).digest(),
    sandbox: config.mode === 'sandbox',
  })
  const all = { ...foundation, ...uses }
  const routes = [
    ...wireHome(all),
    ...wireOrders(all),
    ...wireOrder(all),
    ...wireCustomers(all),
    ...wireBatches(all),
    ...wireSettings(all),
    ...wirePeople(all),
    ...wireDeveloper(all),
  ]
  return { portal: { files: readPortalFiles(PORTAL_FOLDER), sessions, routes } }
}
