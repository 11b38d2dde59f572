/** Wakes those who wait for events, in one process. */
export interface EventBell {
  /** Null: of any merchant. */
  ring(merchants: readonly string[] | null): void
  /** From now on; ask before the feed is read, so that nothing is missed in between. */
  listen(merchantId: bigint): Listening
  /** Ends every wait, and those that come. */
  stop(): void
}

export interface Listening {
  /** Resolves at the next ring since the listening began, at the latest after `ms`. */
  wait(ms: number): Promise<void>
  end(): void
}

export function createEventBell(): EventBell {
  const waiting = new Map<string, Set<() => void>>()
  let isStopped = false

  function wake(listeners: Iterable<() => void>): void {
    for (const listener of listeners) listener()
  }

  return {
    ring(merchants) {
      for (const merchant of merchants ?? [...waiting.keys()]) wake(waiting.get(merchant) ?? [])
    },
    listen(merchantId) {
      const key = merchantId.toString()
      const rung = Promise.withResolvers<void>()
      const listeners = waiting.get(key) ?? new Set()
      waiting.set(key, listeners)
      listeners.add(rung.resolve)
      if (isStopped) rung.resolve()
      return {
        async wait(ms) {
          const late = Promise.withResolvers<void>()
          const timer = setTimeout(late.resolve, ms)
          await Promise.race([rung.promise, late.promise])
          clearTimeout(timer)
        },
        end() {
          listeners.delete(rung.resolve)
          if (listeners.size === 0 && waiting.get(key) === listeners) waiting.delete(key)
        },
      }
    },
    stop() {
      isStopped = true
      for (const listeners of waiting.values()) wake(listeners)
    },
  }
}
