import type { Cost } from './schedule.ts'

/** Files that compute longer than this, with the start of their process, run alone. */
const SMALL_SECONDS = 1.5
/** The files of one process, so that all cores have some, and a failure concerns few. */
const MOST_TOGETHER = 25

/**
 * Signs of a file that touches what a process has once: hooks of all its tests, mocks, arguments,
 * environment and signals. Other programs may outlive a test.
 */
const SHARED_STATE = [
  /^(?:before|after)(?:Each)?\(/m,
  /\bmock\b|globalThis|configureGlobal|registerHooks|node:(?:worker_threads|child_process)/,
  /\bprocess\.(?!execPath|cwd\(|platform|versions|getuid|memoryUsage|hrtime)/,
]

/**
 * Puts small files together that run in one process. The start of a process, and the modules that
 * they all load, compute longer than such files themselves.
 * @param files in the sequence in which neighbours share most modules: sorted by path
 * @param textOf the text of a file, which decides whether it has a process to itself
 * @returns each file once
 */
export function groupFiles(
  files: readonly string[],
  costs: ReadonlyMap<string, Cost>,
  textOf: (file: string) => string,
): string[][] {
  const isSmall = (file: string): boolean => {
    const cost = costs.get(file)
    return cost !== undefined && cost.cpuSeconds < SMALL_SECONDS && !sharesState(textOf(file))
  }
  const together = files.filter(isSmall)
  const groups = files.filter((file) => !together.includes(file)).map((file) => [file])
  for (let at = 0; at < together.length; at += MOST_TOGETHER) {
    groups.push(together.slice(at, at + MOST_TOGETHER))
  }
  return groups
}

function sharesState(text: string): boolean {
  return SHARED_STATE.some((pattern) => pattern.test(text))
}

/** The cost of files that run together, at most: the sum of their costs alone. */
export function costOfGroup(
  files: readonly string[],
  costs: ReadonlyMap<string, Cost>,
): Cost | undefined {
  const known = files.flatMap((file) => costs.get(file) ?? [])
  if (known.length < files.length) return undefined
  return {
    wallSeconds: known.reduce((sum, cost) => sum + cost.wallSeconds, 0),
    cpuSeconds: known.reduce((sum, cost) => sum + cost.cpuSeconds, 0),
  }
}
