import type pg from 'pg'
import {
  bundledBankPlace,
  createTestBank,
  TestBankError,
} from '../../adapters/bank-control/test-bank.ts'
import type { AuditLogStore } from '../../adapters/postgres/audit/audit-log.ts'
import type { Ids } from '../../adapters/postgres/connection/id-blocks.ts'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { GatewayConfig } from '../../config/config.ts'
import type { TestValuePayment } from '../../domain/banks/test-value.ts'
import type { ChangeClock } from '../../usecases/clocks/change-clock.ts'
import type { ReadAgenda } from '../../usecases/clocks/read-agenda.ts'
import type { ChangeMembership } from '../../usecases/memberships/change-membership.ts'
import type { AdjustOrder } from '../../usecases/payments/adjustment-command.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { developerBank } from './routes/developer-bank.ts'
import { developerClock } from './routes/developer-clock.ts'
import { developerRequests } from './routes/developer-requests.ts'
import { developerReset } from './routes/developer-reset.ts'
import { developerWhy } from './routes/developer-why.ts'
import { createDeveloperSites } from './store/developer-sites.ts'
import { createRequestLogReader } from './store/request-log-reader.ts'
import { createResetStore } from './store/reset-store.ts'
import { createTransactionCodes } from './store/transaction-codes.ts'
import { createWhyReader } from './store/why-reader.ts'
import { createResetSite } from './usecases/reset-site.ts'

interface DeveloperParts {
  readonly config: Pick<GatewayConfig, 'dataDir' | 'mode' | 'apiUserIdleDays' | 'bundledBank'>
  readonly database: { readonly pool: pg.Pool }
  readonly audit: AuditLogStore
  readonly ids: Ids
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly changeMembership: ChangeMembership
  readonly adjustOrder: AdjustOrder
  /** The parameters of the payment interface for a payment with a test value. */
  readonly testParametersOf: (payment: TestValuePayment) => Readonly<Record<string, string>>
  /** Clocks of test sites. */
  readonly clockUses: { readonly changeClock: ChangeClock; readonly readAgenda: ReadAgenda }
}

/**
 * Pages for those who connect a shop: the request log, why an answer was what it was, and the
 * sandbox.
 */
export function wireDeveloper(parts: DeveloperParts): readonly PortalRoute[] {
  const { audit, clock, config, database, ids, monotonicMs, clockUses } = parts
  const { pool } = database
  const requests = createRequestLogReader(pool)
  const bank = createTestBank(bundledBankPlace(config))
  const findSites = createDeveloperSites(pool)
  const isSandbox = config.mode === 'sandbox'
  return [
    ...developerRequests({ requests, findCodes: createTransactionCodes(pool) }),
    ...developerWhy({
      requests,
      why: createWhyReader(pool),
      hasBundledBank: config.bundledBank !== 'off',
      // Without its bank an answer is explained all the same.
      testValues: () => (isSandbox ? bank.tables().catch(() => null) : Promise.resolve(null)),
    }),
    ...(isSandbox ? sandboxRoutes() : []),
  ]

  function sandboxRoutes(): readonly PortalRoute[] {
    const directory = createDirectory(pool, monotonicMs, config.apiUserIdleDays, clock)
    const resetSite = createResetSite({
      store: createResetStore(pool),
      readSite: directory.readSite,
      changeMembership: parts.changeMembership,
      adjustOrder: parts.adjustOrder,
      changeClock: clockUses.changeClock,
      nextRequestId: () => ids.next('request'),
      monotonicMs,
    })
    return [
      ...developerBank({
        bank,
        parametersOf: parts.testParametersOf,
        bankRefused: (error) => (error instanceof TestBankError ? error.isRefusal : null),
        findSites,
        audit: audit.append,
      }),
      ...developerClock({ ...clockUses, findSites, audit: audit.append }),
      ...developerReset({ resetSite, findSites }),
    ]
  }
}
