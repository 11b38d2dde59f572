import type { Schedule } from '../../src/three-ds/schedule.ts'

/** A schedule whose time only the test moves. */
export interface ManualSchedule extends Schedule {
  advance(ms: number): void
  /** How long from now the next timer is; null where none runs. */
  nextMs(): number | null
}

export function manualSchedule(startMs: number): ManualSchedule {
  let now = startMs
  const timers = new Map<object, { readonly at: number; readonly act: () => void }>()
  const after = (ms: number, act: () => void) => {
    const timer = {}
    timers.set(timer, { at: now + ms, act })
    return () => void timers.delete(timer)
  }
  return {
    now: () => now,
    after,
    afterNetwork: after,
    networkMs: (ms) => ms,
    scaled: (ms) => ms,
    stop: () => timers.clear(),
    advance(ms) {
      now += ms
      for (const [timer, { act, at }] of timers) {
        if (at > now) continue
        timers.delete(timer)
        act()
      }
    },
    nextMs() {
      const times = [...timers.values()].map(({ at }) => at - now)
      return times.length === 0 ? null : Math.min(...times)
    },
  }
}
