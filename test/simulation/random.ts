/** Seeded random draws: the same seed gives the same draws for ever, on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    // Neighbouring seeds would begin alike; one multiplication spreads them over the whole range.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    // Mulberry32: 32 bits of state, plenty for the few thousand draws of one schedule.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit)
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** True in `percent` of a hundred draws. */
  chance(percent: number): boolean {
    return this.below(1_000_000) < percent * 10_000
  }

  pick<const Choice>(choices: readonly [Choice, ...Choice[]]): Choice {
    return choices[this.below(choices.length)] ?? choices[0]
  }
}
