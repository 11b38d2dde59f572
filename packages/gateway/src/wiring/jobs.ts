import { watchStandbys } from '../adapters/metrics/database-metrics.ts'
import { inTime } from '../adapters/metrics/in-time.ts'
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
  metrics.watchQueue(inTime(() => work.readQueueState(clock.now())))
  watchStandbys(
    metrics.registry,
    inTime(() => readStandbyLag(database.pool)),
  )
  // Prometheus sees no increase in the first value of a series.
  for (const { name } of jobs) metrics.countJobFailures(name, 0)
  return startWorker(jobs, activity, (job, error) => {
    metrics.countJobFailures(job, 1)
    logger.error({ job, error: String(error) }, 'a job failed and will run again')
  })
}
