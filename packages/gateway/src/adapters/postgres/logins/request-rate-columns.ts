import type { RequestRateLimit } from '../../../domain/logins/request-rate.ts'

/** The columns of an API user's own limit: both or neither. */
export interface RequestRateColumns {
  readonly request_rate: number | null
  readonly request_burst: number | null
}

export function requestRateOf({
  request_burst: burst,
  request_rate: perSecond,
}: RequestRateColumns): RequestRateLimit | null {
  return perSecond === null || burst === null ? null : { perSecond, burst }
}
