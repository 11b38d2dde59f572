import { endpointWaitMs, MOST_ATTEMPTS, pauseMs } from './delivery-schedule.ts'

export type EndpointState = 'enabled' | 'paused' | 'disabled'
export type EndpointReason = '' | 'requested' | 'failing' | 'gone'

/** The part of an endpoint that follows from the results of its attempts. */
export interface EndpointHealth {
  readonly state: EndpointState
  readonly reason: EndpointReason
  readonly failures: number
  readonly failingSince: Date | null
  readonly waitUntil: Date | null
}

/** The result of one attempt. */
export interface AttemptResult {
  /** Null where no whole answer came. */
  readonly status: number | null
  readonly retryAfterMs: number | null
}

export interface JudgedAttempt {
  readonly delivery:
    | { readonly state: 'delivered' | 'failed'; readonly attempts: number }
    | { readonly state: 'pending'; readonly attempts: number; readonly dueAt: Date }
  readonly endpoint: EndpointHealth
}

const HOUR_MS = 3_600_000
const PROBE_EVERY_MS = HOUR_MS
/** An endpoint is paused when both are reached. */
const PAUSED_AFTER_MS = 24 * HOUR_MS
const PAUSED_AFTER_FAILURES = 20
const DISABLED_AFTER_MS = 120 * HOUR_MS

export function isSuccess({ status }: Pick<AttemptResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

/**
 * Decides the consequences of an attempt for its delivery and its endpoint, as it stands now.
 * @param attempts those that failed before
 * @param now by the site's clock
 * @param random from 0 to 1
 */
export function judgeAttempt(
  endpoint: EndpointHealth,
  attempts: number,
  result: AttemptResult,
  now: Date,
  random: number,
): JudgedAttempt {
  const isProbe = endpoint.state === 'paused' && endpoint.reason === 'failing'
  if (isSuccess(result)) {
    const health = { failures: 0, failingSince: null, waitUntil: null }
    return {
      delivery: { state: 'delivered', attempts: Math.min(attempts + 1, MOST_ATTEMPTS) },
      endpoint: isProbe ? { ...health, state: 'enabled', reason: '' } : { ...endpoint, ...health },
    }
  }
  // A probe finds out about the endpoint; it uses up no attempt of its event.
  const isCounted = endpoint.state === 'enabled' && result.status !== 410
  const made = isCounted ? attempts + 1 : attempts
  const pause = isCounted ? pauseMs(made, random) : 0
  const waitMs = endpointWaitMs(result.status, result.retryAfterMs, pause)
  return {
    delivery:
      pause === null
        ? { state: 'failed', attempts: made }
        : { state: 'pending', attempts: made, dueAt: later(now, Math.max(pause, waitMs ?? 0)) },
    endpoint: judgeEndpoint(endpoint, result, now, waitMs),
  }
}

function judgeEndpoint(
  endpoint: EndpointHealth,
  { status }: AttemptResult,
  now: Date,
  waitMs: number | null,
): EndpointHealth {
  const failures = endpoint.failures + 1
  const failingSince = endpoint.failingSince ?? now
  const failing = { ...endpoint, failures, failingSince }
  if (endpoint.state === 'disabled' || endpoint.reason === 'requested') return failing
  if (status === 410) return { ...failing, state: 'disabled', reason: 'gone', waitUntil: null }
  const failingMs = now.getTime() - failingSince.getTime()
  if (endpoint.state === 'paused' && failingMs >= DISABLED_AFTER_MS)
    return { ...failing, state: 'disabled', reason: 'failing', waitUntil: null }
  const isDead = failingMs >= PAUSED_AFTER_MS && failures >= PAUSED_AFTER_FAILURES
  if (endpoint.state === 'paused' || isDead) {
    return {
      ...failing,
      state: 'paused',
      reason: 'failing',
      waitUntil: later(now, Math.max(PROBE_EVERY_MS, waitMs ?? 0)),
    }
  }
  return { ...failing, waitUntil: waitMs === null ? endpoint.waitUntil : later(now, waitMs) }
}

function later(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms)
}
