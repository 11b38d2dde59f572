/** How many users' buckets are kept: those of the last to come, since who is long gone has a full one. */
const USERS_LIMIT = 10_000

/**
 * A token bucket for each user: `burst` at once, `perSecond` for ever; 0 a second means no limit.
 * Each process counts by itself.
 */
export function createRequestRate(
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
  monotonicMs: () => number,
): (username: string) => boolean {
  if (perSecond === 0) return () => true
  const buckets = new Map<string, { tokens: number; at: number }>()
  return (username) => {
    const now = monotonicMs()
    let bucket = buckets.get(username)
    if (bucket === undefined) {
      bucket = { tokens: burst, at: now }
      const [longestGone] = buckets.size >= USERS_LIMIT ? buckets.keys() : []
      if (longestGone !== undefined) buckets.delete(longestGone)
    } else {
      buckets.delete(username)
    }
    buckets.set(username, bucket)
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
