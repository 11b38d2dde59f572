import type pg from 'pg'
import { createDirectory } from '../../adapters/postgres/merchants/directory.ts'
import type { Clock } from '../../base/clock.ts'
import type { GatewayConfig } from '../../config/config.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { receiverRoutes, type ReceiverRoutesDeps } from './routes/receiver-routes.ts'

interface ReceiverPageParts {
  readonly config: Pick<GatewayConfig, 'mode' | 'apiUserIdleDays'>
  readonly database: { readonly pool: pg.Pool }
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly receiverUses: Omit<ReceiverRoutesDeps, 'readSite'>
}

/** The page of the sandbox's own receivers of webhooks; nothing in production. */
export function wireReceiverPage(parts: ReceiverPageParts): readonly PortalRoute[] {
  const { clock, config, database, monotonicMs, receiverUses } = parts
  if (config.mode !== 'sandbox') return []
  const { readSite } = createDirectory(database.pool, monotonicMs, config.apiUserIdleDays, clock)
  return receiverRoutes({ ...receiverUses, readSite })
}
