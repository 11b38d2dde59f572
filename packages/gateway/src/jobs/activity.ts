/** Whether anything happens that jobs have to keep pace with. */
export interface Activity {
  /** This process has got a request: the others are notified, at most once in `ANNOUNCE_MS`. */
  request(): void
  /** Another process got a request, or a job has found work. */
  touch(): void
  /** No process got a request, and no job of this one found work, for `IDLE_AFTER_MS`. */
  isIdle(): boolean
  /** Calls `listener` at each touch that ends an idle time; returns how to take it off. */
  onEnd(listener: () => void): () => void
}

export interface ActivityDeps {
  readonly monotonicMs: () => number
  /** Whether announcements of other processes arrive; if not, this process never counts as idle. */
  readonly isHeard: () => boolean
  /** Notifies the other processes. */
  readonly announce: () => void
}

/** Longer than the usual pauses of a test, a script or a portal user between two requests. */
export const IDLE_AFTER_MS = 10_000
/** Below half of `IDLE_AFTER_MS`, so that one lost announcement makes no process idle. */
const ANNOUNCE_MS = 4_000

/** A process is active when it starts. */
export function createActivity({ announce, isHeard, monotonicMs }: ActivityDeps): Activity {
  const listeners = new Set<() => void>()
  let touchedMs = monotonicMs()
  let announcedMs = -Infinity
  const isIdle = (): boolean => isHeard() && monotonicMs() - touchedMs >= IDLE_AFTER_MS

  function touch(): void {
    const wasIdle = isIdle()
    touchedMs = monotonicMs()
    if (wasIdle) for (const listener of listeners) listener()
  }

  return {
    request() {
      touch()
      if (touchedMs - announcedMs < ANNOUNCE_MS) return
      announcedMs = touchedMs
      announce()
    },
    touch,
    isIdle,
    onEnd(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
