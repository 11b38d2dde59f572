/** Entries of ten minutes of DE 7. */
interface Bucket<Entry> {
  readonly entries: Map<string, Entry>
  /** The last day, `YYYY-MM-DD`, on which something was added. */
  lastDay: string
}

/**
 * The bank's memory by message key, split by DE 7 (transmission time). Old entries can be dropped
 * without reading the others. A single Map ends at 2^24 entries, which a busy day exceeds.
 */
export class MessageMemory<Entry> {
  readonly #buckets = new Map<string, Bucket<Entry>>()
  /** By acquirer and terminal: the highest STAN that was ever remembered. */
  readonly #stans = new Map<string, string>()
  #size = 0

  get size(): number {
    return this.#size
  }

  find(key: string): Entry | undefined {
    return this.#buckets.get(bucketOf(key))?.entries.get(key)
  }

  remember(key: string, entry: Entry, day: string): void {
    const name = bucketOf(key)
    let bucket = this.#buckets.get(name)
    if (bucket === undefined) {
      bucket = { entries: new Map(), lastDay: day }
      this.#buckets.set(name, bucket)
    }
    bucket.lastDay = day
    const before = bucket.entries.size
    bucket.entries.set(key, entry)
    this.#size += bucket.entries.size - before
    const terminal = key.slice(0, -STAN_AND_TIME)
    const stan = key.slice(-STAN_AND_TIME + 1, -STAN_AND_TIME + 7)
    if (stan > (this.#stans.get(terminal) ?? '')) this.#stans.set(terminal, stan)
  }

  /** The highest STAN of each terminal, whose key is acquirer and terminal. */
  highestStans(): ReadonlyMap<string, string> {
    return this.#stans
  }

  /** Drops buckets without additions since `day`, except for entries to keep. */
  forget(day: string, keep: (entry: Entry) => boolean): void {
    for (const [name, bucket] of this.#buckets) {
      if (bucket.lastDay >= day) continue
      for (const [key, entry] of bucket.entries) {
        if (keep(entry)) continue
        bucket.entries.delete(key)
        this.#size -= 1
      }
      if (bucket.entries.size === 0) this.#buckets.delete(name)
    }
  }

  /** All entries with their keys and the day of their bucket. */
  *all(): Generator<readonly [key: string, entry: Entry, day: string]> {
    for (const bucket of this.#buckets.values()) {
      for (const [key, entry] of bucket.entries) yield [key, entry, bucket.lastDay]
    }
  }
}

/** The end of a key: a slash, six digits of STAN, a slash, and the ten digits of DE 7. */
const STAN_AND_TIME = 18

/** Month, day, hour and tens of minutes of DE 7, which stands at the end of a key. */
function bucketOf(key: string): string {
  return key.slice(-10, -3)
}
