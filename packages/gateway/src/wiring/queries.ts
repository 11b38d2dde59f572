import { createHash } from 'node:crypto'
import { createListReader } from '../adapters/postgres/queries/list-reader.ts'
import type { SecretSeal } from '../adapters/vault/secret-seal.ts'
import type { ApiGateDeps } from '../http/api/api-gate.ts'
import { queryService } from '../http/api/query-service.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import { createOpenLists } from '../usecases/queries/read-list.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'
import { webhookApi } from './webhook-api.ts'

const QUERY_CONNECTIONS = 2
const QUERY_TIMEOUT_MS = 5_000
const DIGEST_LENGTH = 12

/** The lists that merchants' programs read, and the webhooks that they manage. */
export function wireQueries(
  foundation: Foundation,
  {
    seal,
    ...access
  }: Pick<ApiGateDeps, 'authenticate' | 'allowRequest' | 'nextRequestId' | 'logRequest'> & {
    readonly seal: SecretSeal
  },
): Part {
  const { clock, config, database } = foundation
  const reports = database.reports({
    connections: QUERY_CONNECTIONS,
    timeoutMs: QUERY_TIMEOUT_MS,
  })
  const reader = createListReader(reports)
  const openList = createOpenLists({
    reader,
    digest: (text) => createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH),
    now: () => clock.now(),
  })
  return {
    routes: [
      programPlugin(config.publicUrl, queryService, {
        ...access,
        openList,
        readOne: reader.readOne,
        clock,
        isUnavailable,
      }),
      webhookApi(foundation, access, seal, reports),
    ],
  }
}
