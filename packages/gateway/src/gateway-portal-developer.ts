import { createRequestLogReader } from './adapters/postgres/portal/developer/request-log-reader.ts'
import { createTransactionCodes } from './adapters/postgres/portal/developer/transaction-codes.ts'
import type { PortalFoundation } from './gateway-portal.ts'
import { developerRequests } from './http/portal/developer-requests.ts'
import type { PortalRoute } from './http/portal/portal-route.ts'

/** Pages for those who connect a shop: the request log, why an answer was what it was, and the sandbox. */
export function wireDeveloper({ database }: PortalFoundation): readonly PortalRoute[] {
  const { pool } = database
  return [...developerRequests({ requests: createRequestLogReader(pool), findCodes: createTransactionCodes(pool) })]
}
