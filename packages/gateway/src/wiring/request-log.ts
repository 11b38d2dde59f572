import { createRequestLogStore } from '../adapters/postgres/audit/request-log-store.ts'
import { keepRequestRanges } from '../adapters/postgres/audit/request-ranges.ts'
import type { FormAddressDeps } from '../http/payment/form-address.ts'
import { createRequestRate } from '../http/servers/request-rate.ts'
import { limitUnproven } from '../usecases/audit/request-log-limits.ts'
import type { RequestLogEntry } from '../usecases/audit/request-log.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'

/** Requests of unknown senders that a process keeps in the request log. */
const ANONYMOUS_KEPT = { perSecond: 1, burst: 1_000 }
/** Refused logins that a process keeps in the log of the merchant whose user they named. */
const NAMED_KEPT = { perSecond: 0.1, burst: 100 }
/** A busy gateway takes minutes for the two ranges that are ahead. */
const KEEP_RANGES_EVERY_MS = 60_000

export interface RequestLog extends Part {
  /** Keeps every entry. */
  readonly log: (entry: RequestLogEntry) => void
  /** For addresses that take forms: an id for each request, and a place in the log. */
  readonly formAddress: Omit<FormAddressDeps, 'isReady'>
}

/** The masked log of requests. */
export function wireRequestLog(foundation: Foundation): RequestLog {
  const { clock, config, database, ids, logger, metrics, monotonicMs } = foundation
  const requests = createRequestLogStore(database, (error) => {
    metrics.countLostLogEntry()
    logger.warn({ error: String(error) }, 'a request could not be stored in the request log')
  })
  const anonymous = createRequestRate(ANONYMOUS_KEPT, monotonicMs)
  const named = createRequestRate(NAMED_KEPT, monotonicMs)
  const keep = limitUnproven(requests.log, {
    takeAnonymous: () => anonymous(''),
    takeNamed: (merchantId) => named(merchantId.toString()),
  })
  return {
    log: requests.log,
    formAddress: {
      nextRequestId: () => ids.next('request'),
      logRequest(entry) {
        metrics.countRequest(entry)
        keep(entry)
      },
      clock,
      isUnavailable,
      whyUrl: whyUrl(config),
    },
    jobs: [
      {
        name: 'keep request ranges',
        everyMs: KEEP_RANGES_EVERY_MS,
        run: () => keepRequestRanges(database.pool).then(() => false),
      },
    ],
    stop: requests.idle,
  }
}

/** The portal's explanation of a request; null in production, whose answers do not point to it. */
function whyUrl({ mode, portalUrl }: Foundation['config']): FormAddressDeps['whyUrl'] {
  if (mode !== 'sandbox') return null
  return (requestId) => `${portalUrl}/portal/developer/requests/${requestId}/why`
}
