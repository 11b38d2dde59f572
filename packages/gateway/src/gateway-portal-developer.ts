import { join } from 'node:path'
import { createTestBank } from './adapters/bank-control/test-bank.ts'
import { createRequestLogReader } from './adapters/postgres/portal/developer/request-log-reader.ts'
import { createTransactionCodes } from './adapters/postgres/portal/developer/transaction-codes.ts'
import { createWhyReader } from './adapters/postgres/portal/developer/why-reader.ts'
import type { PortalFoundation } from './gateway-portal.ts'
import { developerRequests } from './http/portal/developer-requests.ts'
import { developerWhy } from './http/portal/developer-why.ts'
import type { PortalRoute } from './http/portal/portal-route.ts'

/** Pages for those who connect a shop: the request log, why an answer was what it was, and the sandbox. */
export function wireDeveloper({ config, database }: PortalFoundation): readonly PortalRoute[] {
  const { pool } = database
  const requests = createRequestLogReader(pool)
  const bank = createTestBank(join(config.dataDir, 'bank', 'control-address'))
  return [
    ...developerRequests({ requests, findCodes: createTransactionCodes(pool) }),
    // Without its bank an answer is explained all the same.
    ...developerWhy({ requests, why: createWhyReader(pool), testValues: () => bank.tables().catch(() => null) }),
  ]
}
