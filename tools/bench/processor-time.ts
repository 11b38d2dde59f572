import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processor time of a gateway's processes, in milliseconds since each of them began. */
export interface ProcessorTime {
  /** The workers and the vault process. */
  readonly gateway: number
  /** The embedded PostgreSQL with all its processes, those that ended included. */
  readonly database: number
  readonly bank: number
}

/** Linux counts in hundredths of a second for programs (proc(5), `sysconf(_SC_CLK_TCK)`). */
const TICK_MS = 10
const WORKER_PROGRAM = /gateway[/\\]dist[/\\](?:vault-)?main\.js/
const BANK_PROGRAM = /bank[/\\]dist[/\\]/

interface Process {
  readonly pid: number
  readonly parent: number
  readonly ownMs: number
  /** Of the children that have ended and were waited for. */
  readonly endedMs: number
}

/** One process as `/proc/PID/stat` has it; null if it has ended meanwhile. */
function readProcess(pid: number): Process | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  // The program's name stands in brackets and may hold spaces. The state follows.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const at = (index: number): number => Number(fields[index])
  return {
    pid,
    parent: at(1),
    ownMs: (at(11) + at(12)) * TICK_MS,
    endedMs: (at(13) + at(14)) * TICK_MS,
  }
}

function programOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/**
 * The processor time of a gateway by kind of process. Null where there is no `/proc`.
 * @param dataDir the gateway's folder; its embedded server's `postmaster.pid` has the process.
 */
export function processorTime(supervisorPid: number, dataDir: string): ProcessorTime | null {
  if (process.platform !== 'linux') return null
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0])

  const spent = { gateway: 0, database: 0, bank: 0 }
  for (const { pid, parent, ownMs, endedMs } of processes) {
    if (pid === postmaster) spent.database += ownMs + endedMs
    else if (parent === postmaster) spent.database += ownMs
    else if (parent === supervisorPid) {
      const program = programOf(pid)
      if (WORKER_PROGRAM.test(program)) spent.gateway += ownMs
      else if (BANK_PROGRAM.test(program)) spent.bank += ownMs
    }
  }
  return spent
}

/** Processor time of one request in microseconds, by kind of process. */
export interface RequestCost extends ProcessorTime {
  readonly load: number
}

/** The cost of each of these requests, from two readings around them. */
export function requestCost(
  before: ProcessorTime,
  after: ProcessorTime,
  load: { readonly requests: number; readonly processorMs: number },
): RequestCost {
  const each = (ms: number): number => (ms * 1_000) / load.requests
  return {
    gateway: each(after.gateway - before.gateway),
    database: each(after.database - before.database),
    bank: each(after.bank - before.bank),
    load: each(load.processorMs),
  }
}

/** Processor time of the programs that this process started, after their end; null if unknown. */
export function endedProgramsMs(): number | null {
  return process.platform === 'linux' ? (readProcess(process.pid)?.endedMs ?? null) : null
}
