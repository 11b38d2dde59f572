import { createRequestLogStore } from '../adapters/postgres/audit/request-log-store.ts'
import type { FormAddressDeps } from '../http/payment/form-address.ts'
import { createRequestRate } from '../http/servers/request-rate.ts'
import type { RequestLogEntry } from '../usecases/audit/request-log.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'

/** Requests of unknown senders that a process keeps in the request log. */
const ANONYMOUS_KEPT = { perSecond: 1, burst: 1_000 }

export interface RequestLog extends Part {
  /** Keeps every entry. */
  readonly log: (entry: RequestLogEntry) => void
  /** For addresses that take forms: an id for each request, and a place in the log. */
  readonly formAddress: Omit<FormAddressDeps, 'isReady'>
}

/** The masked log of requests. */
export function wireRequestLog(foundation: Foundation): RequestLog {
  const { clock, database, ids, logger, metrics, monotonicMs } = foundation
  const requests = createRequestLogStore(database, (error) => {
    metrics.countLostLogEntry()
    logger.warn({ error: String(error) }, 'a request could not be stored in the request log')
  })
  const keepsAnonymous = createRequestRate(ANONYMOUS_KEPT, monotonicMs)
  return {
    log: requests.log,
    formAddress: {
      nextRequestId: () => ids.next('request'),
      logRequest(entry) {
        metrics.countRequest(entry)
        // A flood of unauthenticated requests must not fill the disk.
        if (entry.merchantId !== null || keepsAnonymous('')) requests.log(entry)
      },
      clock,
      isUnavailable,
    },
    stop: requests.idle,
  }
}
