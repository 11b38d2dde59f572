import { readdirSync, readFileSync } from 'node:fs'

/** A process as everyone on the machine, or at least its own user, can see it. */
export interface ProcessFacts {
  readonly pid: number
  readonly commandLine: string
  readonly environment: string
}

/** All processes that a started program's mark is in the environment of; empty without /proc. */
export function readProcesses(mark: string): ProcessFacts[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'latin1')
        if (!environment.includes(mark)) return []
        const commandLine = readFileSync(`/proc/${name}/cmdline`, 'latin1')
        return [{ pid: Number(name), commandLine, environment }]
      } catch {
        return [] // It ended meanwhile.
      }
    })
}
