import { refused, type Refusal } from '../../base/refusal.ts'

/** `burst` requests at once, `perSecond` for ever. */
export interface RequestRateLimit {
  readonly perSecond: number
  readonly burst: number
}

/** Above the values of REQUEST_RATE_LIMIT and REQUEST_RATE_BURST. */
const MOST = 1_000_000
/** In seconds. A bucket that is unused for so long is full, and removed. */
export const LONGEST_FILLING_S = 3_600

/**
 * Why the user's own limit may not become this; null for nothing. A limit of null is that of the
 * installation.
 */
export function decideRequestRate(
  name: string,
  before: RequestRateLimit | null,
  after: RequestRateLimit | null,
): Refusal | null {
  if (after !== null) {
    const faults = rateFaults(after)
    if (faults.length > 0) return refused('invalid', faults)
  }
  if (before?.perSecond !== after?.perSecond || before?.burst !== after?.burst) return null
  if (after === null) return refused('conflict', `${name} has no rate limit of its own already.`)
  const { burst, perSecond } = after
  return refused(
    'conflict',
    `The rate limit of ${name} is ${perSecond} a second with bursts of ${burst} already.`,
  )
}

function rateFaults({ burst, perSecond }: RequestRateLimit): string[] {
  const faults = [...wholeFaults('requests a second', perSecond), ...wholeFaults('burst', burst)]
  if (faults.length > 0 || burst <= perSecond * LONGEST_FILLING_S) return faults
  const most = perSecond * LONGEST_FILLING_S
  return [
    `The burst is ${burst}; with ${perSecond} a second it must be at most ${most}, ` +
      'the requests of an hour.',
  ]
}

function wholeFaults(what: string, value: number): string[] {
  if (Number.isInteger(value) && value >= 1 && value <= MOST) return []
  return [`The ${what} must be a whole number from 1 to ${MOST}.`]
}
