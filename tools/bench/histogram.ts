/** Neighbouring buckets differ by this factor, so a percentile is at most 1 % too high. */
const GROWTH = 1.01
const BUCKETS = 2_000 // Up to 1.01^2000 microseconds, about seven minutes.
const LOG_GROWTH = Math.log(GROWTH)

/** Counts latencies in buckets: recording one costs the same however many there are. */
export interface Histogram {
  record(ms: number): void
  /** The latency, in milliseconds, that a share (0 to 1) of the records did not exceed. */
  percentileMs(share: number): number
  readonly count: number
}

export function createHistogram(): Histogram {
  const buckets = new Uint32Array(BUCKETS)
  let count = 0
  return {
    record(ms) {
      const at = Math.ceil(Math.log(Math.max(1, ms * 1_000)) / LOG_GROWTH)
      const bucket = Math.min(BUCKETS - 1, at)
      buckets[bucket] = (buckets[bucket] ?? 0) + 1
      count += 1
    },
    percentileMs(share) {
      let left = Math.ceil(count * share)
      for (const [at, records] of buckets.entries()) {
        left -= records
        if (left <= 0) return GROWTH ** at / 1_000
      }
      return Infinity
    },
    get count() {
      return count
    },
  }
}
