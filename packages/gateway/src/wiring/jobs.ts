import { createOpenWork } from '../adapters/postgres/payments/open-work.ts'
import { startWorker, type Job, type Worker } from '../jobs/worker.ts'
import type { AdjustmentStore } from '../usecases/payments/adjustment-store.ts'
import type { PaymentStore } from '../usecases/payments/payment-store.ts'
import { releaseAuthorizations } from '../usecases/payments/release-authorizations.ts'
import { resolveTransactions } from '../usecases/payments/resolve-transactions.ts'
import type { Foundation } from './foundation.ts'

const RESOLVE_MARGIN_MS = 30_000

export interface JobParts {
  readonly payments: Pick<PaymentStore, 'conclude'>
  readonly adjustments: AdjustmentStore
  readonly adviceQueued: () => void
  /** What other parts have to be done; true from `run` when there may be more right away. */
  readonly others: readonly Job[]
}

/** The work of which each piece is done once, by whichever process comes to it. */
export function startJobs(foundation: Foundation, parts: JobParts): Worker {
  const { config, logger, database, metrics, clock, ids, siteClocks } = foundation
  const { payments, adjustments, adviceQueued } = parts
  const work = createOpenWork(database.pool)
  metrics.watchQueue(() => work.readQueueState(clock.now()))
  const shared = { clock, nextId: ids.next, adviceQueued }
  return startWorker(
    [
      {
        name: 'resolve transactions',
        everyMs: 5_000,
        run: () =>
          resolveTransactions({
            ...shared,
            siteClocks,
            findOpen: work.findOpenTransactions,
            conclude: payments.conclude,
            olderThanMs: config.bankTimeoutMs + RESOLVE_MARGIN_MS,
          }),
      },
      {
        name: 'release authorizations',
        everyMs: 1_000,
        run: () =>
          releaseAuthorizations({
            ...shared,
            findExpired: work.findExpiredOrders,
            store: adjustments,
          }),
      },
      ...parts.others,
    ],
    (job, error) => {
      metrics.countJobFailure(job)
      logger.error({ job, error: String(error) }, 'a job failed and will run again')
    },
  )
}
