import { join } from 'node:path'
import { createTestBank, TestBankError } from './adapters/bank-control/test-bank.ts'
import { createDirectory } from './adapters/postgres/merchants/directory.ts'
import { createDeveloperSites } from './adapters/postgres/portal/developer/developer-sites.ts'
import { createRequestLogReader } from './adapters/postgres/portal/developer/request-log-reader.ts'
import { createResetStore } from './adapters/postgres/portal/developer/reset-store.ts'
import { createTransactionCodes } from './adapters/postgres/portal/developer/transaction-codes.ts'
import { createWhyReader } from './adapters/postgres/portal/developer/why-reader.ts'
import type { PortalFoundation } from './gateway-portal.ts'
import { developerBank } from './http/portal/developer-bank.ts'
import { developerClock } from './http/portal/developer-clock.ts'
import { developerRequests } from './http/portal/developer-requests.ts'
import { developerReset } from './http/portal/developer-reset.ts'
import { developerWhy } from './http/portal/developer-why.ts'
import type { PortalRoute } from './http/portal/portal-route.ts'
import { createResetSite } from './usecases/portal/developer/reset-site.ts'

/** Pages for those who connect a shop: the request log, why an answer was what it was, and the sandbox. */
export function wireDeveloper(foundation: PortalFoundation): readonly PortalRoute[] {
  const { audit, clock, config, database, ids, monotonicMs, clockUses } = foundation
  const { pool } = database
  const requests = createRequestLogReader(pool)
  const bank = createTestBank(join(config.dataDir, 'bank', 'control-address'))
  const findSites = createDeveloperSites(pool)
  const isSandbox = config.mode === 'sandbox'
  return [
    ...developerRequests({ requests, findCodes: createTransactionCodes(pool) }),
    ...developerWhy({
      requests,
      why: createWhyReader(pool),
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
      changeMembership: foundation.changeMembership,
      adjustOrder: foundation.adjustOrder,
      changeClock: clockUses.changeClock,
      nextRequestId: () => ids.next('request'),
      monotonicMs,
    })
    return [
      ...developerBank({
        bank,
        bankRefused: (error) => (error instanceof TestBankError ? error.isRefusal : null),
        findSites,
        audit: audit.append,
      }),
      ...developerClock({ ...clockUses, findSites, audit: audit.append }),
      ...developerReset({ resetSite, findSites }),
    ]
  }
}
