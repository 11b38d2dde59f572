import { readdirSync, readFileSync } from 'node:fs'

/** A process as `/proc` shows it. */
export interface SeenProcess {
  readonly pid: number
  readonly parent: number
  /** Ticks after boot; together with the pid, it names one process for ever. */
  readonly startedAt: number
  readonly cpuSeconds: number
}

const TICKS_PER_SECOND = 100
/** A look reads a file for each process of the machine. */
const EVERY_MS = 1_500

/**
 * Adds up what test files compute in processes without a waiting parent. A browser leaves its
 * renderers to init, so a file's own count of ended children does not have the largest part.
 * @param runner the process whose children run the test files
 * @param fileOf names the test file of such a child; null for any other child
 */
export function createCpuCount(runner: number, fileOf: (pid: number) => string | null) {
  const files = new Map<string, string>()
  const seen = new Map<string, { readonly file: string; readonly cpuSeconds: number }>()
  return {
    add(processes: readonly SeenProcess[]): void {
      const byPid = new Map(processes.map((each) => [each.pid, each]))
      for (const each of processes) {
        const file = fileAbove(each, byPid)
        // A process whose parent has ended stays with the file that it began with.
        const kept = file ?? seen.get(nameOf(each))?.file
        if (kept !== undefined) seen.set(nameOf(each), { file: kept, cpuSeconds: each.cpuSeconds })
      }
    },
    seconds(): Map<string, number> {
      const sums = new Map<string, number>()
      for (const { file, cpuSeconds } of seen.values()) {
        sums.set(file, (sums.get(file) ?? 0) + cpuSeconds)
      }
      return sums
    },
  }

  function fileAbove(from: SeenProcess, byPid: ReadonlyMap<number, SeenProcess>): string | null {
    for (let at: SeenProcess | undefined = from; at !== undefined; at = byPid.get(at.parent)) {
      if (at.parent !== runner) continue
      const known = files.get(nameOf(at)) ?? fileOf(at.pid)
      if (known !== null) files.set(nameOf(at), known)
      return known
    }
    return null
  }
}

function nameOf({ pid, startedAt }: SeenProcess): string {
  return `${pid} ${startedAt}`
}

/** Counts for the children of this process until it is stopped; only on Linux. */
export function watchCpu(): { stop(): Map<string, number> } {
  const count = createCpuCount(process.pid, fileOfProcess)
  const timer = setInterval(() => count.add(readProcesses()), EVERY_MS)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return count.seconds()
    },
  }
}

/** The test file that a process runs, or the first of several. */
function fileOfProcess(pid: number): string | null {
  const args = readOr(`/proc/${pid}/cmdline`).split('\0')
  return args.find((arg) => arg.endsWith('.test.ts')) ?? null
}

function readProcesses(): SeenProcess[] {
  try {
    return readdirSync('/proc').flatMap((name) => {
      const pid = Number(name)
      return Number.isInteger(pid) ? readProcess(pid) : []
    })
  } catch {
    return []
  }
}

function readProcess(pid: number): SeenProcess[] {
  const stat = readOr(`/proc/${pid}/stat`)
  if (stat === '') return []
  // The name, in parentheses, may hold spaces; the state and the parent come after it.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0, startedAt = 0] = [fields[1], fields[19]]
  const ticks = (fields[11] ?? 0) + (fields[12] ?? 0)
  return [{ pid, parent, startedAt, cpuSeconds: ticks / TICKS_PER_SECOND }]
}

/** The file's text; empty when the process that it is about has ended meanwhile. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
