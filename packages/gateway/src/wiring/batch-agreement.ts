import { createBatchMetrics } from '../adapters/metrics/batch-metrics.ts'
import { inTime } from '../adapters/metrics/in-time.ts'
import { createAgreementStore } from '../adapters/postgres/books/batch-agreement-store.ts'
import { readOldestUnagreed } from '../adapters/postgres/books/batch-comparison-store.ts'
import type { Job } from '../jobs/worker.ts'
import { agreeBatches } from '../usecases/books/batch-agreement.ts'
import type { BatchProcessor } from '../usecases/books/batch-processor.ts'
import type { Foundation } from './foundation.ts'

const EVERY_MS = 1_000

/**
 * Agrees closed batches with their banks. Every process does it: each step is one transaction, and
 * a step that a dead process left is done by another one.
 */
export function batchAgreementJobs(
  { actor, clock, config, database, ids, logger, metrics }: Foundation,
  processor: BatchProcessor,
): readonly Job[] {
  const { pool } = database
  const counters = createBatchMetrics(
    metrics.registry,
    inTime(() => readOldestUnagreed(pool, clock.now())),
  )
  const deps = {
    store: createAgreementStore(pool),
    processor,
    clock,
    nextMessage: () => ids.next('message'),
    bankTimeoutMs: config.bankTimeoutMs,
    actor,
    onDiffering(batchId: bigint, rows: number) {
      counters.countDiffering()
      logger.error({ batch: batchId.toString(), rows }, 'the bank has other totals of a batch')
    },
  }
  return [{ name: 'agree batches', everyMs: EVERY_MS, run: () => agreeBatches(deps) }]
}
