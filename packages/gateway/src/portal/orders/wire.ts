import type { Database } from '../../adapters/postgres/connection/database.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { ordersRoutes } from './routes/orders-routes.ts'
import { createOrderLists } from './store/order-lists.ts'
import { createOrderViews } from './store/order-views.ts'

/** Portal users wait for no sums longer than this; the list never waits for them. */
const SUMS_TIMEOUT_MS = 4_000
const LIST_TIMEOUT_MS = 5_000

interface OrdersParts {
  readonly database: Pick<Database, 'pool' | 'reports'>
  readonly monotonicMs: () => number
}

/** The lists of orders and transactions, and how portal users like to see them. */
export function wireOrders({ database, monotonicMs }: OrdersParts): readonly PortalRoute[] {
  return ordersRoutes({
    lists: createOrderLists({
      lists: database.reports({ connections: 3, timeoutMs: LIST_TIMEOUT_MS }),
      sums: database.reports({ connections: 1, timeoutMs: SUMS_TIMEOUT_MS }),
      monotonicMs,
    }),
    views: createOrderViews(database.pool),
  })
}
