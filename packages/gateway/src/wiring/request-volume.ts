import { createRequestBuckets } from '../adapters/postgres/logins/request-buckets.ts'
import type { RequestRateLimit } from '../domain/logins/request-rate.ts'
import { createRequestRate } from '../http/servers/request-rate.ts'
import { createRequestVolume } from '../usecases/logins/request-volume.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

type Allow = (caller: string) => boolean | Promise<boolean>

export interface RequestVolume extends Part {
  /**
   * Whether a user or a site may send one more request. `own`: the limit of the user itself; null
   * for that of the installation.
   */
  readonly allow: (
    caller: `${'user' | 'site'} ${bigint}`,
    own: RequestRateLimit | null,
  ) => boolean | Promise<boolean>
}

const SWEEP_EVERY_MS = 60_000

/**
 * The volume of users and sites over all workers. A user without a limit costs nothing: its
 * requests are not even counted, and no connection is opened before the first user with one.
 */
export function wireRequestVolume({
  config,
  database,
  logger,
  monotonicMs,
}: Foundation): RequestVolume {
  const { requestRate: usual } = config
  const buckets = createRequestBuckets(database)
  const allowUnder = (limit: RequestRateLimit): Allow =>
    createRequestVolume({
      limit,
      lease: buckets.leaseUnder(limit),
      allowLocally: createRequestRate(limit, monotonicMs),
      monotonicMs,
      onAway: (error) => {
        if (error === null) logger.info('rate limits are counted with the other workers again')
        else logger.warn({ error: error.message }, 'rate limits are counted by this worker alone')
      },
    })
  const allowUsual = usual.perSecond === 0 ? () => true : allowUnder(usual)
  // One for each pair of numbers that operators have given users. There are few.
  const others = new Map<string, Allow>()
  const allowOwn = (limit: RequestRateLimit): Allow => {
    const key = `${limit.perSecond} ${limit.burst}`
    const known = others.get(key) ?? allowUnder(limit)
    others.set(key, known)
    return known
  }
  return {
    allow: (caller, own) => (own === null ? allowUsual : allowOwn(own))(caller),
    jobs: [
      {
        name: 'sweep request buckets',
        everyMs: SWEEP_EVERY_MS,
        run: () => buckets.sweep(usual),
      },
    ],
    stop: buckets.idle,
  }
}
