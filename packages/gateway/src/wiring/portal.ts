import type { SecretSeal } from '../adapters/vault/secret-seal.ts'
import { wireBatches } from '../portal/batches/routes/batches-routes.ts'
import { wireCustomers } from '../portal/customers/wire.ts'
import { wireDeveloper } from '../portal/developer/wire.ts'
import { wireHome } from '../portal/home/wire.ts'
import { wireOrder } from '../portal/order/wire.ts'
import { wireOrders } from '../portal/orders/routes/orders-routes.ts'
import { wirePeople } from '../portal/people/routes/people-routes.ts'
import { wireRecon } from '../portal/reconciliation/routes/reconciliation-routes.ts'
import { wireSettings } from '../portal/settings/wire.ts'
import { PORTAL_FOLDER, readPortalFiles } from '../portal/shell/portal-files.ts'
import type { PortalDeps } from '../portal/shell/portal-service.ts'
import type { RequestLogEntry } from '../usecases/audit/request-log.ts'
import type { LinkStateView } from '../usecases/banks/processor-links.ts'
import type { TokenSite } from '../usecases/card-tokens/token-site.ts'
import type { ChangeMembership } from '../usecases/memberships/change-membership.ts'
import type { AdjustOrder } from '../usecases/payments/adjustment-command.ts'
import type { TakePayment } from '../usecases/payments/payment-command.ts'
import type { Foundation } from './foundation.ts'
import { wirePortalDoor, type PortalDoor, type PortalVault } from './portal-sign-in.ts'
import type { SiteClockParts } from './site-clocks.ts'

/** What the payment address does, for people who do it in the portal. */
export interface PortalUses {
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustOrder
  readonly changeMembership: ChangeMembership
  /** The links to banks as this process sees them; the bundled bank first. */
  readonly linkStates: () => LinkStateView[]
  /** Into the request log: what people do is found there as what programs do. */
  readonly logRequest: (entry: RequestLogEntry) => void
  /** Clocks of test sites. */
  readonly clockUses: SiteClockParts['http']
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
  /** Seals the token keys that are made here. */
  readonly seal: SecretSeal
}

/** What each section of the portal is wired with. */
export interface PortalFoundation extends Foundation, PortalUses {
  readonly door: PortalDoor
  /** Seals the token keys that are made here. */
  readonly seal: SecretSeal
}

export interface Portal {
  readonly http: Pick<PortalDeps, 'portal'>
  /** To be called now and then: counts that are over are forgotten. */
  tidy(): Promise<void>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

/** The portal and its API. */
export function wirePortal(shared: Foundation, vault: PortalVault, uses: PortalUses): Portal {
  const foundation = { ...shared, database: { ...shared.database, pool: shared.database.people() } }
  const door = wirePortalDoor(foundation, vault)
  const all = { ...foundation, ...uses, door, seal: vault.seal }
  const routes = [
    ...wireHome(all),
    ...wireOrders(all),
    ...wireOrder({ ...all, paymentPool: shared.database.pool }),
    ...wireCustomers(all),
    ...wireBatches(all),
    ...wireRecon(all),
    ...wireSettings(all),
    ...wirePeople(all),
    ...wireDeveloper(all),
  ]
  const { sessions, invitations, guard, tidy, idle } = door
  const files = readPortalFiles(PORTAL_FOLDER)
  return { http: { portal: { files, sessions, invitations, routes, ...guard } }, tidy, idle }
}
