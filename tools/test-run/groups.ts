import { UNMEASURED, type Cost } from './schedule.ts'

/** A file that computes for as long as this, with the start of its process, runs alone. */
const LONE_SECONDS = 12
/** The files of one process, so that all cores have some, and a failure concerns few. */
const MOST_TOGETHER = 25
/** The computing of the files of one process, each measured alone. */
const MOST_SECONDS_TOGETHER = 40

/** Files that make promises by the million: their processes follow none. */
const MANY_PROMISES = /\btest\/simulation\/(?:dispute-crashes|every-crash|simulation)\.test\.ts$/

/**
 * Whether Node's test runner shall not follow the promises of a file. Such a file runs alone: with
 * others, it would not find the suite that it belongs to.
 */
export function makesManyPromises(file: string): boolean {
  return MANY_PROMISES.test(file)
}

/**
 * Signs of a file that changes what a process has once: mocks, modules, environment and signals.
 * Other programs may outlive a test.
 */
const SHARED_STATE = [
  /\bmock\b|configureGlobal|registerHooks|node:(?:worker_threads|child_process)/,
  /Object\.assign\((?:globalThis|process\.env)|\bdelete process\./,
  /\bprocess\.env(?:\[[^\]]*\])? (?:\?\?)?= /,
  /\bprocess\.(?:on|once|exit|kill|chdir|argv|title|umask)\b/,
]

/**
 * Puts files together that run in one process. The start of a process, and the modules that they
 * all load, compute longer than most files themselves.
 * @param files in the sequence in which neighbours share most modules: sorted by path
 * @param textOf the text of a file, which decides whether it has a process to itself
 * @returns each file once
 */
export function groupFiles(
  files: readonly string[],
  costs: ReadonlyMap<string, Cost>,
  textOf: (file: string) => string,
): string[][] {
  const groups: string[][] = []
  let group: string[] = []
  let seconds = 0
  for (const file of files) {
    const { cpuSeconds } = costs.get(file) ?? UNMEASURED
    if (cpuSeconds >= LONE_SECONDS || makesManyPromises(file) || sharesState(textOf(file))) {
      groups.push([file])
      continue
    }
    if (group.length === MOST_TOGETHER || seconds + cpuSeconds > MOST_SECONDS_TOGETHER) {
      group = []
      seconds = 0
    }
    if (group.length === 0) groups.push(group)
    group.push(file)
    seconds += cpuSeconds
  }
  return groups
}

function sharesState(text: string): boolean {
  return SHARED_STATE.some((pattern) => pattern.test(text))
}

/** The cost of files that run together, at most: the sum of their costs alone. */
export function costOfGroup(files: readonly string[], costs: ReadonlyMap<string, Cost>): Cost {
  const each = files.map((file) => costs.get(file) ?? UNMEASURED)
  return {
    wallSeconds: each.reduce((sum, cost) => sum + cost.wallSeconds, 0),
    cpuSeconds: each.reduce((sum, cost) => sum + cost.cpuSeconds, 0),
  }
}
