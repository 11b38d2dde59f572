import type { RunningTollgate } from './start.ts'

/** One Ctrl-C can arrive twice, from the terminal and from a parent that passes it on. */
const SAME_REQUEST_MS = 1_000

/**
 * Stops on SIGTERM and SIGINT, and when the process that started us goes away. A second signal,
 * a second or more after the first, ends everything at once.
 */
export function stopOnSignals(running: RunningTollgate): void {
  let firstAt: number | null = null
  const request = (): void => {
    const now = performance.now()
    if (firstAt === null) {
      firstAt = now
      running.stop()
    } else if (now - firstAt >= SAME_REQUEST_MS) {
      running.kill()
    }
  }
  process.on('SIGTERM', request)
  process.on('SIGINT', request)
  if (process.connected) process.once('disconnect', request)
}
