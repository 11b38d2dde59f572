/** The source of time. Handed in everywhere, so that tests can set and move it. */
export interface Clock {
  now(): Date
}

/** A clock that stands still: what is done as of a moment sees no other. */
export function fixedClock(at: Date): Clock {
  return { now: () => new Date(at) }
}

/** The machine's clock; the only place that asks it. */
export const systemClock: Clock = {
  now: () => new Date(),
}
