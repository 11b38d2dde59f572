const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pause before each attempt after the first: 71 h 43 min from the first to the last. */
const PAUSES_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  20 * HOUR,
] as const

export const MOST_ATTEMPTS = PAUSES_MS.length + 1

const JITTER = 0.15
/** No later moment can be due; one that is was planned by a clock that a site no longer has. */
export const LONGEST_PAUSE_MS = 24 * HOUR

/**
 * The pause after that many failed attempts; null when the last one failed.
 * @param random from 0 to 1
 */
export function pauseMs(attempts: number, random: number): number | null {
  const pause = PAUSES_MS[attempts - 1]
  return pause === undefined ? null : Math.round(pause * (1 - JITTER + 2 * JITTER * random))
}

const LONGEST_WAIT_MS = HOUR
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504])

/**
 * How long the whole endpoint waits after an answer; null: it does not.
 * @param pause until the retry
 */
export function endpointWaitMs(
  status: number | null,
  retryAfterMs: number | null,
  pause: number | null,
): number | null {
  if (status === null || (status >= 200 && status < 300)) return null
  const asked = retryAfterMs ?? (BUSY.has(status) ? (pause ?? LONGEST_WAIT_MS) : null)
  return asked === null ? null : Math.min(Math.max(asked, 0), LONGEST_WAIT_MS)
}

/** Reads Retry-After: seconds, or a date; null for another text or none. */
export function readRetryAfter(text: string | undefined, now: Date): number | null {
  if (text === undefined) return null
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}
