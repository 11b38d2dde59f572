/**
 * How many callers' buckets are kept: those of the last to come, since who is long gone has a full
 * one.
 */
const CALLERS_LIMIT = 10_000

/** A token bucket for each caller, of this process alone: `burst` at once, `perSecond` for ever. */
export function createRequestRate(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  monotonicMs: () => number,
): (caller: string) => boolean {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (caller) => {
    const now = monotonicMs()
    let bucket = buckets.get(caller)
    if (bucket === undefined) {
      bucket = { tokens: burst, at: now }
      const [longestGone] = buckets.size >= CALLERS_LIMIT ? buckets.keys() : []
      if (longestGone !== undefined) buckets.delete(longestGone)
    } else {
      buckets.delete(caller)
    }
    buckets.set(caller, bucket)
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
