import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'

/** Whether the system still knows this id, even as a zombie. */
export function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process with this id runs, also one of another user. */
export function isAlive(pid: number): boolean {
  return isKnown(pid) && !isZombie(pid)
}

/** The fields of /proc/<pid>/stat after the program's name, which may itself hold spaces. */
function statFields(pid: number): readonly string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** Dead, but not yet collected by its parent, which may never happen: it holds nothing any more. */
function isZombie(pid: number): boolean {
  return statFields(pid)?.[0] === 'Z'
}

/**
 * The start time of a process, as the system prints it. It distinguishes processes that had the
 * same id one after the other. Null: no such process, or a zombie.
 */
export function startOf(pid: number): string | null {
  if (process.platform === 'linux') {
    const fields = statFields(pid)
    return fields === null || fields[0] === 'Z' ? null : (fields[19] ?? null)
  }
  const listed = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return listed.stdout?.trim() || null
}

/**
 * The processes that work inside a folder, which PostgreSQL's do: each changes into its cluster.
 * `folder` must be a real path. Empty where the system has no /proc.
 */
export function processesInside(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === folder && !isZombie(pid)
      } catch {
        return false // It ended meanwhile, or belongs to another user and cannot be ours.
      }
    })
}

/** The command line that a process was started with; empty if it cannot be read. */
export function commandOf(pid: number): string {
  const listed = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return listed.stdout?.trim() ?? ''
}

/** Waits until a claim holds; false when it still does not at the deadline. */
export async function waitUntil(holds: () => boolean, deadlineMs: number): Promise<boolean> {
  const end = performance.now() + deadlineMs
  while (!holds()) {
    if (performance.now() >= end) return false
    await new Promise((wake) => setTimeout(wake, 20))
  }
  return true
}
