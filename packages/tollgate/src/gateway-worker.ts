import type { GatewayConfig } from '@tollgate/gateway/config'
import type { ChildProcess } from 'node:child_process'
import cluster from 'node:cluster'
import { NO_DEBUGGER } from './bundled-bank.ts'
import { closeWithWorker } from './handed-connections.ts'
import type { Log } from './log.ts'
import type { StartupError } from './startup-error.ts'
import { superviseProcess, type SupervisedProcess } from './supervised-process.ts'

const READY_DEADLINE_MS = 60_000
/** A payment leaves little behind that lives long: a larger nursery only takes memory. */
const WORKER_OPTIONS = ['--max-semi-space-size=16', NO_DEBUGGER]

/** Sets the program and the options of all workers. @param entry the gateway's main file */
export function prepareWorkers(entry: string): void {
  cluster.setupPrimary({
    exec: entry,
    args: [],
    execArgv: [...process.execArgv, ...WORKER_OPTIONS],
  })
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
