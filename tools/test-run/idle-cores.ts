import { cpus } from 'node:os'

/** The time of all cores since the machine started, in milliseconds. */
export interface CoreTimes {
  readonly idleMs: number
  readonly totalMs: number
}

/** A shorter time says little, and a file needs some to show what it asks for. */
const WINDOW_MS = 2_000

/**
 * Measures how many cores nothing uses. Other work on the machine counts as use.
 * @returns the cores idle over the last window of two seconds; 0 until one is over since the last
 *   `startOver`
 */
export function watchIdleCores(
  read: () => CoreTimes = readCores,
  cores = cpus().length,
): { idle(): number; startOver(): void } {
  let from = read()
  let last = 0
  return {
    idle() {
      const now = read()
      const totalMs = now.totalMs - from.totalMs
      if (totalMs < WINDOW_MS * cores) return last
      last = (cores * (now.idleMs - from.idleMs)) / totalMs
      from = now
      return last
    },
    startOver() {
      from = read()
      last = 0
    },
  }
}

/** The milliseconds between two looks of a run that waits for room. */
export const LOOK_EVERY_MS = WINDOW_MS

function readCores(): CoreTimes {
  let [idleMs, totalMs] = [0, 0]
  for (const { times } of cpus()) {
    idleMs += times.idle
    totalMs += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idleMs, totalMs }
}
