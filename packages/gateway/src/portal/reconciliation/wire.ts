import type pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import { LONG_IDLE_EVERY_MS, type Job } from '../../jobs/worker.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { reconciliationRoutes } from './routes/reconciliation-routes.ts'
import { comparisonTransact } from './store/comparison-store.ts'
import { differenceTransact } from './store/difference-store.ts'
import { createReconBook } from './store/recon-book.ts'
import { createReconQueue } from './store/recon-queue.ts'
import { createChangeComparisons } from './usecases/change-comparisons.ts'
import { createChangeDifference } from './usecases/change-difference.ts'
import { makeNextComparison, type Comparing } from './usecases/recon.ts'

interface ReconParts {
  readonly database: { readonly pool: pg.Pool }
}

/** The reconciliation: comparisons, and what portal users do about what they find. */
export function wireRecon({ database }: ReconParts): readonly PortalRoute[] {
  const { pool } = database
  return reconciliationRoutes({
    book: createReconBook(pool),
    changeComparisons: createChangeComparisons(comparisonTransact(pool)),
    changeDifference: createChangeDifference(differenceTransact(pool)),
  })
}

const LOOK_EVERY_MS = 1_000

interface ReconJobParts extends ReconParts, Pick<Comparing, 'compare' | 'explain'> {
  readonly clock: Clock
  readonly monotonicMs: () => number
}

/** Makes the comparisons that portal users asked for, and the daily ones. */
export function reconJobs(parts: ReconJobParts): readonly Job[] {
  const { database, clock, monotonicMs, compare, explain } = parts
  const queue = createReconQueue(database.pool)
  return [
    {
      name: 'compare books',
      everyMs: LOOK_EVERY_MS,
      idleEveryMs: LONG_IDLE_EVERY_MS,
      run: (signal) =>
        makeNextComparison({
          queue,
          signal,
          monotonicMs,
          compare,
          explain,
          now: () => clock.now(),
        }),
    },
  ]
}
