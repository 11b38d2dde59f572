import { createRequestBuckets } from '../adapters/postgres/logins/request-buckets.ts'
import { createRequestRate } from '../http/servers/request-rate.ts'
import { createRequestVolume } from '../usecases/logins/request-volume.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

export interface RequestVolume extends Part {
  /** Whether a user or a site may send one more request. */
  readonly allow: (caller: `${'user' | 'site'} ${bigint}`) => boolean | Promise<boolean>
}

const SWEEP_EVERY_MS = 60_000

/** The volume of users and sites over all workers. Without a limit it is nothing at all. */
export function wireRequestVolume({
  config,
  database,
  logger,
  monotonicMs,
}: Foundation): RequestVolume {
  const { requestRate: limit } = config
  if (limit.perSecond === 0) return { allow: () => true }
  const buckets = createRequestBuckets(database, limit)
  const allow = createRequestVolume({
    limit,
    lease: buckets.lease,
    allowLocally: createRequestRate(limit, monotonicMs),
    monotonicMs,
    onAway: (error) => {
      if (error === null) logger.info('rate limits are counted with the other workers again')
      else logger.warn({ error: error.message }, 'rate limits are counted by this worker alone')
    },
  })
  return {
    allow,
    jobs: [{ name: 'sweep request buckets', everyMs: SWEEP_EVERY_MS, run: buckets.sweep }],
    stop: buckets.idle,
  }
}
