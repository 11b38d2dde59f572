import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { payoutsRoutes } from './routes/payouts-routes.ts'
import { statementRoutes } from './routes/statement-routes.ts'
import { createChargedFeeReader } from './store/charged-fee-reader.ts'
import { createPayoutLineReader } from './store/line-reader.ts'
import { createPayoutReader } from './store/payout-reader.ts'
import { createStatementReader } from './store/statement-reader.ts'

interface PayoutsParts {
  readonly database: { readonly pool: pg.Pool }
  readonly clock: Clock
}

/** Payouts of the acquirer and statements of a month. */
export function wirePayouts({ clock, database: { pool } }: PayoutsParts): readonly PortalRoute[] {
  return [
    ...payoutsRoutes({ payouts: createPayoutReader(pool), lines: createPayoutLineReader(pool) }),
    ...statementRoutes({
      reader: createStatementReader(pool),
      fees: createChargedFeeReader(pool),
      clock,
    }),
  ]
}
