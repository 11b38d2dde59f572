/** The simulator's time. Times are in milliseconds of the protocol. */
export interface Schedule {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls a function after a time of the protocol, unless it is cancelled. */
  after(ms: number, run: () => void): () => void
  /**
   * How long to really wait for an answer over the network. It is scaled as well, but leaves a busy
   * machine enough time to answer.
   */
  networkMs(ms: number): number
  /** As `after`, for a wait that another server's answer may end. */
  afterNetwork(ms: number, run: () => void): () => void
  /** A time of the protocol in milliseconds of this clock. */
  scaled(ms: number): number
  stop(): void
}

const SHORTEST_NETWORK_WAIT_MS = 3_000

/** The machine's timers, `scale` times as fast as the protocol's. */
export function createSchedule(now: () => number, scale: number): Schedule {
  const timers = new Set<NodeJS.Timeout>()
  const networkMs = (ms: number) => Math.max(ms / scale, Math.min(ms, SHORTEST_NETWORK_WAIT_MS))
  let isStopped = false
  const wait = (realMs: number, run: () => void) => {
    if (isStopped) return () => undefined
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, realMs)
    timers.add(timer)
    return () => {
      clearTimeout(timer)
      timers.delete(timer)
    }
  }
  return {
    now,
    after: (ms, run) => wait(ms / scale, run),
    afterNetwork: (ms, run) => wait(networkMs(ms), run),
    networkMs,
    scaled: (ms) => ms / scale,
    stop() {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
