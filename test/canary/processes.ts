import { readFileSync } from 'node:fs'

/** A process as everyone on the machine, or at least its own user, can see it. */
export interface ProcessFacts {
  readonly pid: number
  readonly commandLine: string
  readonly environment: string
}

/** What the system tells of processes; those that have ended meanwhile are left out. */
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
