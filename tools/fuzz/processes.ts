import { readFileSync, readdirSync } from 'node:fs'

/** Ids of everything below a process, in no special sequence. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name))
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const below = (from: number): number[] =>
    (children.get(from) ?? []).flatMap((child) => [child, ...below(child)])
  return below(pid)
}

/** Ids of the Node processes below a process: bank and gateways, but not PostgreSQL's. */
export function nodeProcessesBelow(pid: number): number[] {
  return descendantsOf(pid).filter((process) => roleOf(process) !== 'PostgreSQL')
}

/** The role of a process of Tollgate, by its command line. */
export function roleOf(pid: number): 'bank' | 'gateway' | 'PostgreSQL' | 'supervisor' {
  const command = commandOf(pid)
  if (/\/bank\/(?:src|dist)\/main\./.test(command)) return 'bank'
  if (/\/gateway\/(?:src|dist)\/main\./.test(command)) return 'gateway'
  return /\/cli\.[jt]s/.test(command) ? 'supervisor' : 'PostgreSQL'
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Null for a process that has ended, or is dead and not yet collected. */
function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' ? null : Number(parent)
  } catch {
    return null
  }
}
