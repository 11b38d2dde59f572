import { join } from 'node:path'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import type { EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import type { SecretSeal } from '../adapters/vault/secret-seal.ts'
import { parametersOf } from '../http/sandbox/test-value-record.ts'
import { httpPlugin } from '../http/servers/http-plugin.ts'
import type { Job } from '../jobs/worker.ts'
import { batchJobs, wireBatches } from '../portal/batches/wire.ts'
import { wireCustomers } from '../portal/customers/wire.ts'
import { wireDeveloper } from '../portal/developer/wire.ts'
import { wireDifferences } from '../portal/differences/wire.ts'
import { wireDisputePages } from '../portal/disputes/wire.ts'
import { homeJobs, wireHome } from '../portal/home/wire.ts'
import { wireOperations, wireOrder } from '../portal/order/wire.ts'
import { wireOrders } from '../portal/orders/wire.ts'
import { wirePayouts } from '../portal/payouts/wire.ts'
import { wireReceiverPage } from '../portal/receiver/wire.ts'
import { reconJobs, wireRecon } from '../portal/reconciliation/wire.ts'
import { wireSandboxOperations } from '../portal/sandbox/wire.ts'
import { wireSettings } from '../portal/settings/wire.ts'
import { PORTAL_FOLDER, readPortalFiles } from '../portal/shell/portal-files.ts'
import type { PortalRoute } from '../portal/shell/portal-route.ts'
import { portalService } from '../portal/shell/portal-service.ts'
import { wirePortalSignIn } from '../portal/shell/wire.ts'
import { wirePortalUsers } from '../portal/users/wire.ts'
import { wireWebhookPages } from '../portal/webhooks/wire.ts'
import type { RequestLogEntry } from '../usecases/audit/request-log.ts'
import type { LinkStateView } from '../usecases/banks/processor-links.ts'
import type { TokenSite } from '../usecases/card-tokens/token-site.ts'
import type { ChangeMembership } from '../usecases/memberships/change-membership.ts'
import type { AdjustOrder } from '../usecases/payments/adjustment-command.ts'
import type { TakePayment } from '../usecases/payments/payment-command.ts'
import type { PerformOperation } from '../usecases/sandbox/perform-operation.ts'
import {
  BankBooksError,
  bankSecretOf,
  BooksUnavailableError,
  noBankBooks,
  readControlAddress,
  reconcileBooks,
} from './books.ts'
import { wireOperatorConsole } from './console.ts'
import { isPublishedTokenKey } from './demo-merchants.ts'
import { pause, type Foundation } from './foundation.ts'
import { checkWholeLog } from './operator-audit.ts'
import { hostFaults, originFaults } from './operator-origins.ts'
import { follow, type Part } from './part.ts'
import type { SiteClockParts } from './site-clocks.ts'
import { isUnavailable } from './unavailable.ts'
import type { ReceiverParts } from './webhook-receivers.ts'
import { outwardRules } from './webhooks.ts'

/** The portal's dependencies on the vault. */
interface PortalVault {
  readonly seal: SecretSeal
  readonly evidence: EvidenceSeal
  readonly keyedDigest: (text: string) => string
}

/** Operations of the payment address, for portal users who do them in the portal. */
interface PortalUses {
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustOrder
  readonly changeMembership: ChangeMembership
  /** The links to banks as this process sees them; the bundled bank first. */
  readonly linkStates: () => LinkStateView[]
  /** Into the request log: what portal users do is found there as what programs do. */
  readonly logRequest: (entry: RequestLogEntry) => void
  /** Clocks of test sites. */
  readonly clockUses: SiteClockParts['uses']
  /** The sandbox's own receivers of webhooks. */
  readonly receiverUses: ReceiverParts['uses']
  /** Operations of the sandbox. */
  readonly performOperation: PerformOperation
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
}

interface Portal extends Part {
  /** The routes of the portal's API. */
  readonly apiRoutes: readonly PortalRoute[]
}

const TIDY_EVERY_MS = 60_000
/** The result of a portal operation whose process died is known after a while. */
const RECOVER_OPERATIONS_EVERY_MS = 30_000

/**
 * The portal and its API, and the operator's console.
 * @param databaseUrl each comparison of books has a connection of its own
 */
export function wirePortal(
  shared: Foundation,
  { evidence, seal, keyedDigest }: PortalVault,
  uses: PortalUses,
  databaseUrl: DatabaseAddress,
): Portal {
  const foundation = {
    ...shared,
    database: { ...shared.database, pool: shared.database.portalUsers() },
  }
  const common = { ...foundation, ...uses, evidence, seal, keyedDigest, pause }
  const signIn = wirePortalSignIn(common)
  const all = { ...common, signIn, checkWholeLog, isPublishedTokenKey, originFaults, hostFaults }
  const apiRoutes = [
    ...wireHome(all),
    ...wireOrders(all),
    ...wireOrder({ ...all, paymentPool: shared.database.pool }),
    ...wireCustomers(all),
    ...wireBatches(all),
    ...wirePayouts(all),
    ...wireRecon(all),
    ...wireDifferences(all),
    ...wireDisputePages(all),
    ...wireSettings(all),
    ...wireWebhookPages({ ...all, rulesOf: outwardRules(shared.config) }),
    ...wirePortalUsers(all),
    ...wireDeveloper({ ...all, testParametersOf: parametersOf }),
    ...wireReceiverPage(all),
    ...wireSandboxOperations(all),
  ]
  const { sessions, invitations, guard, onAnswer, tidy, idle } = signIn
  const files = readPortalFiles(PORTAL_FOLDER)
  const portal = { files, sessions, invitations, routes: apiRoutes, onAnswer, ...guard }
  const console = wireOperatorConsole({ ...common, portalRoutes: apiRoutes })
  const operations = wireOperations({ ...shared, ...uses, pause })
  return {
    apiRoutes,
    portalRoutes: [httpPlugin(portalService, { portal, isUnavailable })],
    consoleRoutes: console.consoleRoutes,
    jobs: [
      ...batchJobs(shared),
      ...homeJobs(shared),
      ...comparisons(shared, databaseUrl),
      ...console.jobs,
    ],
    followers: [
      follow('portal', TIDY_EVERY_MS, tidy),
      ...console.followers,
      follow(
        'operations of portal users',
        RECOVER_OPERATIONS_EVERY_MS,
        operations.recoverForgotten,
      ),
    ],
    stop: () => Promise.all([idle(), console.stop()]).then(() => undefined),
  }
}

/** Comparisons of books that portal users ask for, and the daily ones. */
function comparisons(foundation: Foundation, databaseUrl: DatabaseAddress): readonly Job[] {
  // The node that runs the shared bank compares for all.
  if (foundation.config.bundledBank === 'shared') return []
  const missing = noBankBooks(foundation.config)
  const controlAddress = join(foundation.config.dataDir, 'bank', 'control-address')
  return reconJobs({
    ...foundation,
    compare: async (merchantId, onProgress) => {
      if (missing !== null) throw new BankBooksError(missing)
      return reconcileBooks(databaseUrl, {
        controlUrl: readControlAddress(controlAddress),
        readSecret: bankSecretOf(foundation.config),
        merchantId,
        onProgress,
      })
    },
    explain: (error) =>
      error instanceof BankBooksError || error instanceof BooksUnavailableError
        ? error.message
        : null,
  })
}
