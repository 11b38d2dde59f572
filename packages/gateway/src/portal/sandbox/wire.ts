import type pg from 'pg'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { GatewayConfig } from '../../config/config.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { operationRoutes, type OperationRoutesDeps } from './routes/operation-routes.ts'

interface OperationParts extends Pick<OperationRoutesDeps, 'performOperation'> {
  readonly config: Pick<GatewayConfig, 'mode' | 'apiUserIdleDays'>
  readonly database: { readonly pool: pg.Pool }
  readonly clock: Clock
  readonly monotonicMs: () => number
}

/** Operations of the sandbox; nothing in production. */
export function wireSandboxOperations(parts: OperationParts): readonly PortalRoute[] {
  const { clock, config, database, monotonicMs, performOperation } = parts
  if (config.mode !== 'sandbox') return []
  const { readSite } = createDirectory(database.pool, monotonicMs, config.apiUserIdleDays, clock)
  return operationRoutes({ performOperation, readSite })
}
