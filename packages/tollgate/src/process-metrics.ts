import { readFileSync, realpathSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Gauge, type Registry } from 'prom-client'
import { processesInside } from './running-process.ts'
import type { SupervisedProcess } from './supervised-process.ts'

/** A process that the supervisor runs, or several that belong together. */
export interface WatchedProcess {
  /** Its name, which is a label. */
  readonly name: string
  /** The ids; empty while it does not run. */
  readonly pids: () => readonly number[]
}

export interface WatchedNode {
  readonly registry: Registry
  /** The processes at the moment. */
  readonly processes: () => readonly WatchedProcess[]
  readonly dataDir: string
}

/**
 * Registers the memory of each process of this node, and the room on the disk of its data. Both are
 * read when the metrics are requested. Without `/proc` there is no memory of processes.
 */
export function watchNode({ registry, processes, dataDir }: WatchedNode): void {
  const registers = [registry]
  void new Gauge({
    name: 'tollgate_process_memory_bytes',
    help: 'Resident memory of each process of this node; shared memory of PostgreSQL counts once.',
    labelNames: ['process'],
    registers,
    collect() {
      this.reset()
      for (const { name, pids } of processes()) {
        const bytes = memoryOf(pids())
        if (bytes !== null) this.set({ process: name }, bytes)
      }
    },
  })
  const disk = (name: string, help: string, blocks: 'bavail' | 'blocks'): void => {
    void new Gauge({
      name,
      help,
      registers,
      async collect() {
        try {
          const found = await statfs(dataDir)
          this.set(found[blocks] * found.bsize)
        } catch {
          // Unknown while the disk does not answer: the value before would be taken for true.
          this.remove()
        }
      },
    })
  }
  disk('tollgate_data_folder_free_bytes', 'Free bytes of the disk with DATA_DIR.', 'bavail')
  disk('tollgate_data_folder_size_bytes', 'All bytes of the disk with DATA_DIR.', 'blocks')
}

/** The processes of this node, by the names that its log has for them. */
export function processesOf(
  dataDir: string,
  { bank, vault }: Readonly<Record<'bank' | 'vault', Pick<SupervisedProcess, 'pid'> | null>>,
  workers: readonly Pick<SupervisedProcess, 'pid'>[],
): readonly WatchedProcess[] {
  const one = (name: string, pid: () => number | null | undefined): WatchedProcess => ({
    name,
    pids: () => [pid()].filter((each) => typeof each === 'number'),
  })
  return [
    one('supervisor', () => process.pid),
    one('bank', () => bank?.pid()),
    one('vault', () => vault?.pid()),
    ...workers.map((worker, index) => one(`gateway worker ${index + 1}`, worker.pid)),
    { name: 'PostgreSQL', pids: () => postgresProcesses(dataDir) },
  ]
}

/** The processes of the embedded PostgreSQL of a data folder. */
export function postgresProcesses(dataDir: string): readonly number[] {
  try {
    return processesInside(realpathSync(join(dataDir, 'postgres', 'cluster')))
  } catch {
    return [] // It has no cluster yet.
  }
}

/**
 * The resident bytes of processes; null if none can be read. Processes of PostgreSQL share a large
 * part: the largest share of one of them stands for all.
 */
export function memoryOf(pids: readonly number[]): number | null {
  const found = pids.map(readMemory).filter((each) => each !== null)
  if (found.length === 0) return null
  const own = found.reduce((sum, { resident, shared }) => sum + resident - shared, 0)
  return own + Math.max(...found.map(({ shared }) => shared))
}

function readMemory(pid: number): { readonly resident: number; readonly shared: number } | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const bytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1_024
    const resident = bytes('VmRSS')
    return resident === 0 ? null : { resident, shared: bytes('RssShmem') }
  } catch {
    return null // It has ended meanwhile, or the system has no /proc.
  }
}
