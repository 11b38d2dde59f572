import { readdirSync, readFileSync } from 'node:fs'

/** A process as everyone on the machine, or at least its own user, can see it. */
export interface ProcessFacts {
  readonly pid: number
  readonly commandLine: string
  readonly environment: string
}

/** The system's facts about processes; those that have ended meanwhile are left out. */
export function readProcesses(pids: readonly number[]): ProcessFacts[] {
  return pids.flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      return [{ pid, commandLine, environment }]
    } catch {
      return []
    }
  })
}

/** These processes and all that they started, by the system's own list. */
export function withChildren(pids: readonly number[]): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)] as const)
  const found = new Set(pids)
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid)
  }
  return [...found]
}

function parentOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return 0
  }
}
