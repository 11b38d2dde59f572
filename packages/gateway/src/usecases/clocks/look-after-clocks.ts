import { moveClock, type MoveClockDeps } from './move-clock.ts'
import type { LeasedClock, SiteClockStore } from './site-clock-store.ts'

export interface LookAfterClocksDeps extends MoveClockDeps {
  readonly store: Pick<SiteClockStore, 'lease' | 'reach' | 'release' | 'renew'>
  /** A leased clock is being moved or runs fast: it has to be looked after again soon. */
  readonly onRunning: () => void
  readonly onError: (siteId: bigint, error: unknown) => void
}

export interface ClockKeeper {
  /** Takes clocks to look after, as far as there is room; does not wait for what takes long. */
  look(): Promise<boolean>
  /** Starts nothing more, and releases its leases after the current window. */
  stop(): Promise<void>
}

/** Clocks that one process looks after at once. */
const AT_ONCE = 4
/** A lease outlives three of these. */
const RENEW_EVERY_MS = 3_000
const RUNNING_AGAIN_MS = 200
const OTHERS_AGAIN_MS = 1_000
const FAILED_AGAIN_MS = 2_000

/**
 * Processes due events at test sites, and moves the clocks that are being moved or run fast. Any
 * number of processes share the work. When a process dies, another takes over its clocks after the
 * lease ends.
 */
export function createClockKeeper(deps: LookAfterClocksDeps): ClockKeeper {
  const underWay = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function lookAfter(leased: LeasedClock): Promise<void> {
    const lost = new AbortController()
    const renewing = setInterval(() => {
      // If the database is away for a while, the lease expires soon enough by its own clock.
      deps.store.renew(leased).then(
        (isOurs) => isOurs || lost.abort(),
        () => undefined,
      )
    }, RENEW_EVERY_MS)
    const isRunning = leased.speed > 1 || leased.targetAt !== null
    if (isRunning) deps.onRunning()
    let againMs = isRunning ? RUNNING_AGAIN_MS : OTHERS_AGAIN_MS
    try {
      await moveClock(deps, leased, AbortSignal.any([lost.signal, stopping.signal]))
    } catch (error) {
      againMs = FAILED_AGAIN_MS
      deps.onError(leased.site.id, error)
    } finally {
      clearInterval(renewing)
      if (stopping.signal.aborted) againMs = 0
      await deps.store.release(leased, againMs).catch(() => undefined)
    }
  }

  return {
    async look() {
      const room = AT_ONCE - underWay.size
      if (room <= 0 || stopping.signal.aborted) return false
      const leased = await deps.store.lease(room)
      for (const one of leased) {
        const work: Promise<void> = lookAfter(one).finally(() => underWay.delete(work))
        underWay.add(work)
      }
      // Short ones are over by then, and there may be more.
      await Promise.race([Promise.all(underWay), new Promise((resolve) => setTimeout(resolve, 20))])
      return leased.length === room && underWay.size < AT_ONCE
    },
    async stop() {
      stopping.abort()
      await Promise.all(underWay)
    },
  }
}
