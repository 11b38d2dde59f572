import type { Clock } from '../../base/clock.ts'
import type { DueSource } from './due-source.ts'
import type { Done, LeasedClock, SiteClockStore } from './site-clock-store.ts'
import { LATEST_TIME, timeShown, timeWanted } from './stored-clock.ts'

export interface MoveClockDeps {
  readonly store: Pick<SiteClockStore, 'reach'>
  readonly sources: readonly DueSource[]
  /** The machine's. */
  readonly clock: Clock
}

/**
 * Everything due within this time is processed at once, each row as of its own due moment. Sources,
 * and independent rows of one source, do not read each other's results.
 */
const WINDOW_MS = 86_400_000

/**
 * Processes everything due at a site, and moves its clock to the target through every due moment in
 * order. One long move and many short ones therefore have the same result. The clock shows a moment
 * only once everything due before it is done; another process continues from there.
 */
export async function moveClock(
  { clock, sources, store }: MoveClockDeps,
  leased: LeasedClock,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  const goes = leased.targetAt !== null || leased.speed > 1
  const target = goes ? timeWanted(leased, now) : timeShown(leased, now)
  const end = target > LATEST_TIME ? LATEST_TIME : target
  let { siteAt: at, done } = leased
  for (;;) {
    const first = await firstDue(sources, leased, end)
    if (signal.aborted) return
    const windowEnd =
      first === null ? end : new Date(Math.max(first.getTime(), at.getTime()) + WINDOW_MS)
    const until = windowEnd < end ? windowEnd : end
    if (first !== null) done = await runAll(sources, leased, until, signal, done)
    if (signal.aborted) return
    const arrived = until >= end
    if (goes) {
      const isJump = leased.targetAt !== null
      // From its target on a clock goes by itself; what the way there took is no time of the site.
      const reached = {
        at: until,
        arrived: arrived && isJump,
        now: isJump ? clock.now() : now,
        done,
      }
      const isThere = await store.reach(leased, reached)
      if (!isThere) return
    }
    if (arrived) return
    at = until
  }
}

async function firstDue(
  sources: readonly DueSource[],
  { site }: LeasedClock,
  until: Date,
): Promise<Date | null> {
  const dues = await Promise.all(sources.map((source) => source.nextDue(site, until)))
  return dues.reduce<Date | null>(
    (first, due) => (due !== null && (first === null || due < first) ? due : first),
    null,
  )
}

async function runAll(
  sources: readonly DueSource[],
  { site }: LeasedClock,
  until: Date,
  signal: AbortSignal,
  before: Done,
): Promise<Done> {
  const counts = await Promise.all(sources.map((source) => source.run(site, until, signal)))
  const done: Record<string, number> = { ...before }
  for (const [index, { name }] of sources.entries()) {
    const count = counts[index] ?? 0
    if (count > 0) done[name] = (done[name] ?? 0) + count
  }
  return done
}
