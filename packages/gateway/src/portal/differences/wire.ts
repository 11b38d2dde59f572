import type pg from 'pg'
import { createTransact } from '../../adapters/postgres/audit/admin-transaction.ts'
import { createDifferenceReader } from '../../adapters/postgres/settlement/difference-reader.ts'
import { differenceTx } from '../../adapters/postgres/settlement/difference-store.ts'
import type { Clock } from '../../base/clock.ts'
import { createDifferenceChanges } from '../../usecases/settlement/change-difference.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { differencesRoutes } from './routes/differences-routes.ts'
import { createDifferenceChoices } from './store/difference-choices.ts'

interface DifferencesParts {
  readonly database: { readonly pool: pg.Pool }
  readonly clock: Clock
}

/** Settlement differences: read, assigned, noted and ended by portal users. */
export function wireDifferences({ clock, database }: DifferencesParts): readonly PortalRoute[] {
  const { pool } = database
  const transact = createTransact(pool, differenceTx)
  return differencesRoutes({
    reader: createDifferenceReader(pool),
    choices: createDifferenceChoices(pool),
    changesOf: (merchantId) => createDifferenceChanges(transact, clock, merchantId),
    clock,
  })
}
