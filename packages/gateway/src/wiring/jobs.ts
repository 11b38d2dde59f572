import { watchStandbys } from '../adapters/metrics/database-metrics.ts'
import { readStandbyLag } from '../adapters/postgres/connection/standby-lag.ts'
import { createOpenWork } from '../adapters/postgres/payments/open-work.ts'
import { startWorker, type Job, type Worker } from '../jobs/worker.ts'
import type { Foundation } from './foundation.ts'

/** Does the jobs of all parts, from now on. */
export function startJobs(
  { activity, clock, database, logger, metrics }: Foundation,
  jobs: readonly Job[],
): Worker {
  const work = createOpenWork(database.pool)
  metrics.watchQueue(() => work.readQueueState(clock.now()))
  watchStandbys(metrics.registry, () => readStandbyLag(database.pool))
  return startWorker(jobs, activity, (job, error) => {
    metrics.countJobFailure(job)
    logger.error({ job, error: String(error) }, 'a job failed and will run again')
  })
}
