import { availableParallelism, totalmem } from 'node:os'

/** The size of the machine that the processes of a node share. */
export interface Machine {
  /** Bytes of memory that this machine, or the limit of this container, has. */
  readonly memoryBytes: number
  readonly cores: number
  /** Gateway processes on it. */
  readonly workers: number
}

/** The machine that this process runs on. */
export function thisMachine(workers: number): Machine {
  return { memoryBytes: memoryOf(totalmem()), cores: availableParallelism(), workers }
}

/** 0 of Node: no limit is set, and beyond the machine: none that holds. */
function memoryOf(machineBytes: number): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < machineBytes ? limit : machineBytes
}
