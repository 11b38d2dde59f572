import type { FastifyBaseLogger } from 'fastify'
import type pg from 'pg'
import { createBatchStore } from '../../adapters/postgres/books/batch-store.ts'
import type { Clock } from '../../base/clock.ts'
import type { Job } from '../../jobs/worker.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { batchesRoutes } from './routes/batches-routes.ts'
import { createBatchSettlementReader } from './store/batch-settlement-reader.ts'

interface BatchesParts {
  readonly database: { readonly pool: pg.Pool }
}

/** Batches of a merchant's accounts. */
export function wireBatches({ database }: BatchesParts): readonly PortalRoute[] {
  return batchesRoutes(createBatchStore(database.pool), createBatchSettlementReader(database.pool))
}

const LOOK_FOR_CUTOFFS_EVERY_MS = 5_000

interface BatchJobParts extends BatchesParts {
  readonly clock: Clock
  /** How the audit log calls this process. */
  readonly actor: string
  readonly logger: Pick<FastifyBaseLogger, 'info'>
}

/** Closes batches of accounts with a cut-off. Any process may: a batch is closed once. */
export function batchJobs({ database, clock, actor, logger }: BatchJobParts): readonly Job[] {
  const batches = createBatchStore(database.pool)
  return [
    {
      name: 'close batches',
      everyMs: LOOK_FOR_CUTOFFS_EVERY_MS,
      async run() {
        for (const { merchantId, batchId } of await batches.findDue(clock.now())) {
          const { kind } = await batches.close(merchantId, batchId, { actor, address: '' })
          if (kind === 'closed')
            logger.info({ batch: batchId.toString() }, 'a batch was closed at its cut-off')
        }
        return false
      },
    },
  ]
}
