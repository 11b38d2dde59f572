import type { RequestRateLimit } from '../../domain/logins/request-rate.ts'

/** A part of a caller's bucket, for one process to use up. */
export interface RequestLease {
  /** Whole requests. */
  readonly granted: number
  /**
   * How many requests the bucket is short of being full, once the part was taken; with fractions.
   */
  readonly missing: number
}

/**
 * The buckets that every process shares. Gives what is waited for, and something for what comes
 * next.
 */
export type LeaseRequests = (caller: string, waiting: number) => Promise<RequestLease>

export interface RequestVolumeDeps {
  readonly limit: RequestRateLimit
  readonly lease: LeaseRequests
  /** A bucket of this process alone, which decides while the shared ones cannot be asked. */
  readonly allowLocally: (caller: string) => boolean
  readonly monotonicMs: () => number
  /** The shared buckets cannot be asked, and why; or null: they can again. */
  readonly onAway: (error: Error | null) => void
  readonly answerWithinMs?: number
}

interface Part {
  unused: number
  readonly missing: number
  readonly takenAt: number
}

interface Caller {
  readonly name: string
  /** The oldest first: it lapses first. */
  parts: Part[]
  waiting: ((allowed: boolean) => void)[]
  isLeasing: boolean
  /**
   * Nothing is asked for in the background until then, and when the bucket was empty nothing at
   * all.
   */
  restUntil: number
  empty: boolean
}

/** Beyond so many, those that came first are forgotten with what they hold, and ask again. */
const CALLERS_LIMIT = 10_000
/**
 * How long a bucket that gave less than a portion may gather: a flood is not one query for each
 * request.
 */
const REST_MS = 20
const LEASE_AGAIN_MS = 1_000

/** The most that a process holds of a caller's bucket for requests to come, in one part. */
export function portionOf(burst: number): number {
  return Math.max(1, Math.floor(burst / 16))
}

/**
 * Whether a caller may send one more request, for all processes together. Answers at once while
 * this process holds a part of the caller's bucket, and asks for the next one in the background.
 *
 * A part lapses while its bucket fills up: inflow replaces the oldest parts first. So bucket and
 * unlapsed parts never hold more than `burst` together. Over any period no more than
 * `burst` and `perSecond` times its length is allowed. The age of a part begins before its request.
 */
export function createRequestVolume(
  deps: RequestVolumeDeps,
): (caller: string) => boolean | Promise<boolean> {
  const { limit, lease, allowLocally, monotonicMs, onAway, answerWithinMs = 1_000 } = deps
  const leaseAt = portionOf(limit.burst) / 2
  // At most half of the time in which the bucket fills up, so that nothing flows over.
  const restMs = Math.min(REST_MS, (limit.burst / limit.perSecond) * 500)
  const callers = new Map<string, Caller>()
  let away = false
  let leaseAgainAt = 0

  function callerOf(name: string): Caller {
    let caller = callers.get(name)
    if (caller === undefined) {
      const [first] = callers.size >= CALLERS_LIMIT ? callers.keys() : []
      if (first !== undefined) callers.delete(first)
      caller = {
        name,
        parts: [],
        waiting: [],
        isLeasing: false,
        restUntil: -Infinity,
        empty: false,
      }
      callers.set(name, caller)
    }
    return caller
  }

  function take({ parts }: Caller, now: number): boolean {
    for (let part = parts[0]; part !== undefined; part = parts[0]) {
      const flowedIn = ((now - part.takenAt) / 1_000) * limit.perSecond
      part.unused = Math.min(part.unused, Math.floor(part.missing - flowedIn))
      if (part.unused > 0) {
        part.unused -= 1
        return true
      }
      parts.shift()
    }
    return false
  }

  async function leaseNext(caller: Caller): Promise<void> {
    caller.isLeasing = true
    do {
      const takenAt = monotonicMs()
      const late = setTimeout(
        decideLocally,
        answerWithinMs,
        caller,
        new Error('it does not answer'),
      )
      try {
        const waiting = caller.waiting.length
        const { granted, missing } = await lease(caller.name, waiting)
        if (away) onAway(null)
        away = false
        caller.empty = missing > limit.burst - 1
        // A waiting request counts from when the part was taken, however late the answer arrives.
        const letIn = caller.waiting.splice(0, Math.min(granted, waiting))
        for (const answer of letIn) answer(true)
        const unused = granted - letIn.length
        if (unused > 0) caller.parts.push({ unused, missing, takenAt })
        const now = monotonicMs()
        if (granted - waiting < portionOf(limit.burst)) caller.restUntil = now + restMs
        answerNewcomers(caller, now)
      } catch (error) {
        decideLocally(caller, error instanceof Error ? error : new Error(String(error)))
      } finally {
        clearTimeout(late)
      }
    } while (caller.waiting.length > 0)
    caller.isLeasing = false
  }

  function answerNewcomers(caller: Caller, now: number): void {
    const { waiting } = caller
    while (waiting.length > 0) {
      const allowed = take(caller, now)
      if (!allowed && !caller.empty) return
      waiting.shift()?.(allowed)
    }
  }

  function decideLocally(caller: Caller, error: Error): void {
    if (!away) onAway(error)
    away = true
    leaseAgainAt = monotonicMs() + LEASE_AGAIN_MS
    for (const answer of caller.waiting.splice(0)) answer(allowLocally(caller.name))
  }

  return (name) => {
    const now = monotonicMs()
    const caller = callerOf(name)
    if (away) {
      if (now >= leaseAgainAt && !caller.isLeasing) {
        leaseAgainAt = now + LEASE_AGAIN_MS
        void leaseNext(caller)
      }
      return allowLocally(name)
    }
    if (take(caller, now)) {
      const [{ unused } = { unused: 0 }, another] = caller.parts
      const isLow = unused <= leaseAt && another === undefined
      if (isLow && !caller.isLeasing && now >= caller.restUntil) void leaseNext(caller)
      return true
    }
    if (caller.empty && now < caller.restUntil) return false
    return new Promise((resolve) => {
      caller.waiting.push(resolve)
      if (!caller.isLeasing) void leaseNext(caller)
    })
  }
}
