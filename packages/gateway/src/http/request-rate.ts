/** How many users' buckets are kept; idle ones are full, so forgetting them loses nothing. */
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
      if (buckets.size >= USERS_LIMIT) buckets.clear()
      bucket = { tokens: burst, at: now }
      buckets.set(username, bucket)
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}
