/** The measured seconds of a test file, with its processes. */
export interface Cost {
  readonly wallSeconds: number
  readonly cpuSeconds: number
}

/** A file that was not measured yet. */
export const UNMEASURED: Cost = { wallSeconds: 5, cpuSeconds: 2.5 }
/** The part of a core from which on a file counts as one that works, and does not wait. */
const HEAVY_SHARE = 0.6
/** So many may wait beside those that work. */
const MOST_WAITING = 2
/**
 * How much of the cores the running files may ask for. They ask for the sum only when all compute
 * at once, and so a core is seldom idle. Far above it, files come near their own time-outs.
 */
const MOST_ASKED = 1.1

/** The next file to start beside those that run; null as long as there is no room for one. */
export interface Schedule {
  next(running: readonly string[]): string | null
  readonly left: number
}

/**
 * Starts the longest files first, so that nothing long is left at the end. As many files that work
 * run at once as there are cores, and beside them some that wait for time-outs.
 */
export function createSchedule(
  files: readonly string[],
  costs: ReadonlyMap<string, Cost>,
  cores: number,
): Schedule {
  const costOf = (file: string): Cost => costs.get(file) ?? UNMEASURED
  const shareOf = (file: string): number => {
    const { wallSeconds, cpuSeconds } = costOf(file)
    return Math.min(cpuSeconds / Math.max(wallSeconds, 0.1), 1)
  }
  const isHeavy = (file: string): boolean => shareOf(file) >= HEAVY_SHARE
  const waiting = files.toSorted((a, b) => costOf(b).wallSeconds - costOf(a).wallSeconds)
  return {
    get left() {
      return waiting.length
    },
    next(running) {
      const busy = running.reduce((sum, file) => sum + shareOf(file), 0)
      const heavy = running.filter(isHeavy).length
      if (running.length >= cores + MOST_WAITING) return null
      const at = waiting.findIndex(
        (file) =>
          running.length === 0 ||
          ((!isHeavy(file) || heavy < cores) && busy + shareOf(file) <= cores * MOST_ASKED),
      )
      return at === -1 ? null : (waiting.splice(at, 1)[0] ?? null)
    },
  }
}
