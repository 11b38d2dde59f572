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
/** So many more may run while cores are seen idle: the longest files come first, and they wait. */
const MOST_BESIDE = 6
/** The idle part of all cores from which on another file starts. */
const IDLE_SHARE = 0.15

export interface Schedule {
  /**
   * The next file to start beside those that run; null as long as there is no room for one.
   * @param idleCores what nothing used of late; 0 where it is not known
   */
  next(running: readonly string[], idleCores?: number): string | null
  readonly left: number
}

/**
 * Starts the longest files first, so that nothing long is left at the end. As many files that work
 * run at once as there are cores, and beside them some that wait for time-outs. Costs are those of
 * another machine, so that cores which are seen idle get more than the costs allow.
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
    next(running, idleCores = 0) {
      const busy = running.reduce((sum, file) => sum + shareOf(file), 0)
      const heavy = running.filter(isHeavy).length
      const isIdle = idleCores >= cores * IDLE_SHARE
      if (running.length >= cores + MOST_WAITING + (isIdle ? MOST_BESIDE : 0)) return null
      const at = waiting.findIndex(
        (file) =>
          running.length === 0 ||
          ((!isHeavy(file) || heavy < cores) &&
            (isIdle || busy + shareOf(file) <= cores * MOST_ASKED)),
      )
      return at === -1 ? null : (waiting.splice(at, 1)[0] ?? null)
    },
  }
}
