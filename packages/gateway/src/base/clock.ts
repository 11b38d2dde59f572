/** Where the time comes from. Handed in everywhere, so that tests can set and move it. */
export interface Clock {
  now(): Date
}

/** The machine's clock; the only place that asks it. */
export const systemClock: Clock = {
  now: () => new Date(),
}
