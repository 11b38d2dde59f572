import { join } from 'node:path'
import { createTestBank, TestBankError } from '../../adapters/bank-control/test-bank.ts'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import type { PortalFoundation } from '../../wiring/portal.ts'
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

/**
 * Pages for those who connect a shop: the request log, why an answer was what it was, and the
 * sandbox.
 */
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
