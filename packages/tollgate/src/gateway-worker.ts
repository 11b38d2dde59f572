import type { GatewayConfig } from '@tollgate/gateway/config'
import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { NO_DEBUGGER } from './bundled-bank.ts'
import { closeWithWorker } from './handed-connections.ts'
import type { Log } from './log.ts'
import type { Machine } from './machine.ts'
import type { StartupError } from './startup-error.ts'
import { superviseProcess, type SupervisedProcess } from './supervised-process.ts'

const READY_DEADLINE_MS = 60_000
const MIB = 2 ** 20
const SMALLEST_NURSERY_MIB = 16
const LARGEST_NURSERY_MIB = 64
/** The part of a worker's memory: V8 keeps two of this size, and all else takes far more. */
const NURSERY_SHARE = 64

/** Sets the program and the options of all workers. @param entry the gateway's main file */
export function prepareWorkers(entry: string, machine: Machine): void {
  const nursery = nurseryMebibytes(machine)
  cluster.setupPrimary({
    exec: entry,
    args: [],
    execArgv: [
      ...process.execArgv,
      `--max-semi-space-size=${nursery}`,
      // V8 begins with a small one otherwise, and shrinks it when little is allocated.
      `--min-semi-space-size=${nursery}`,
      NO_DEBUGGER,
    ],
  })
}

/**
 * The nursery of each worker, V8's space for new objects. A payment that waits for database or bank
 * survives each collection of it, and a large one is collected less often.
 * @returns a power of two, as V8 rounds up to one.
 */
export function nurseryMebibytes({ memoryBytes, workers }: Machine): number {
  const share = memoryBytes / MIB / workers / NURSERY_SHARE
  const rounded = 2 ** Math.floor(Math.log2(share))
  return Math.max(SMALLEST_NURSERY_MIB, Math.min(LARGEST_NURSERY_MIB, rounded))
}

/** One worker of the gateway. The first also runs the jobs. */
export function superviseWorker(
  number: number,
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  { databaseWaitMs }: GatewayConfig,
  onGiveUp: (reason: StartupError) => void,
  onSpawn: (worker: ChildProcess) => void,
): SupervisedProcess {
  const workerEnv = {
    // glibc keeps a heap for each thread otherwise, and a third of a worker's memory is their
    // slack.
    MALLOC_ARENA_MAX: '2',
    ...env,
    TOLLGATE_RUN_JOBS: number === 1 ? '1' : '0',
  }
  return superviseProcess({
    name: `gateway worker ${number}`,
    spawn: () => {
      const worker = cluster.fork(workerEnv).process as ChildProcess
      closeWithWorker(worker)
      onSpawn(worker)
      return worker
    },
    log,
    // It waits for the database itself, and is the one who can say what it waits for.
    readyDeadlineMs: databaseWaitMs + READY_DEADLINE_MS,
    givesUp: 'always',
    onGiveUp,
  })
}
