/** How long a change may take to be seen by every process. */
const MEMORY_MS = 2_000
/** Misses are cached too; this bounds the memory that guessing can fill. */
const MEMORY_LIMIT = 10_000

/** Reads through a memory of two seconds, which concurrent readers share. */
export function remember<Value>(
  monotonicMs: () => number,
  read: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const known = new Map<string, { readonly until: number; readonly value: Promise<Value> }>()
  return (key) => {
    const entry = known.get(key)
    if (entry !== undefined && entry.until > monotonicMs()) return entry.value
    const [oldest] = known.size < MEMORY_LIMIT ? [] : known.keys()
    if (oldest !== undefined) known.delete(oldest)
    known.delete(key)
    const value = read(key)
    known.set(key, { until: monotonicMs() + MEMORY_MS, value })
    // A failed read is not an answer worth keeping.
    value.catch(() => known.delete(key))
    return value
  }
}
