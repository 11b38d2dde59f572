import type { ChildProcess } from 'node:child_process'
import type { Log } from './log.ts'
import { StartupError } from './startup-error.ts'

const DEATHS_MAX = 5
const DEATHS_WINDOW_MS = 10_000
const RESTART_DELAY_MS = 100
const RESTART_DELAY_MAX_MS = 2_000

/** Counts deaths that come close together. */
export interface DeathCount {
  /** Notes a death now; the pause before the next start, or null when it is enough. */
  next(): number | null
}

/** Five deaths within ten seconds are enough; until then each pause is twice the last. */
export function createDeathCount(now: () => number = () => performance.now()): DeathCount {
  let deaths: number[] = []
  return {
    next() {
      const at = now()
      deaths = [...deaths.filter((death) => at - death < DEATHS_WINDOW_MS), at]
      if (deaths.length >= DEATHS_MAX) return null
      return Math.min(RESTART_DELAY_MS * 2 ** (deaths.length - 1), RESTART_DELAY_MAX_MS)
    },
  }
}

export interface SupervisedOptions {
  /** Its name in log lines and sentences, such as `the bank`. */
  readonly name: string
  /** Starts it; it must have a message channel. */
  readonly spawn: () => ChildProcess
  readonly log: Log
  readonly readyDeadlineMs: number
  /** Called once, when restarting it makes no sense any more. */
  readonly onGiveUp: (reason: StartupError) => void
}

export interface SupervisedProcess {
  /** Settles when it first said that it is ready; rejects when it is given up before that. */
  readonly ready: Promise<void>
  /** SIGTERM, and SIGKILL to what is left at the deadline. No restart after this. */
  stop(deadlineMs: number): Promise<void>
  /** SIGKILL now. */
  kill(): void
}

function isReady(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'ready'
  )
}

/** Runs a child process, and runs it again when it dies. */
export function superviseProcess(options: SupervisedOptions): SupervisedProcess {
  const { name, log, readyDeadlineMs } = options
  const deaths = createDeathCount()
  const firstReady = Promise.withResolvers<void>()
  firstReady.promise.catch(() => {}) // Waited for by the start, and not at all after a stop.
  let child: ChildProcess | null = null
  let restart: NodeJS.Timeout | undefined
  let deadline: NodeJS.Timeout | undefined
  let stopping = false
  let ended = Promise.withResolvers<void>()

  const giveUp = (sentence: string): void => {
    stopping = true
    const reason = new StartupError(sentence)
    firstReady.reject(reason)
    options.onGiveUp(reason)
  }

  const start = (): void => {
    ended = Promise.withResolvers<void>()
    const started = options.spawn()
    child = started
    let over = false
    const onEnd = (how: string): void => {
      if (over) return
      over = true
      clearTimeout(deadline)
      child = null
      ended.resolve()
      if (stopping) return
      const pauseMs = deaths.next()
      if (pauseMs === null) {
        giveUp(
          `Giving up on ${name}: it ended ${DEATHS_MAX} times within ` +
            `${DEATHS_WINDOW_MS / 1000} seconds, last with ${how}.`,
        )
        return
      }
      log.error(`${name} ended with ${how}; restarting it in ${pauseMs} ms`)
      restart = setTimeout(start, pauseMs)
    }
    deadline = setTimeout(() => {
      giveUp(`Giving up on ${name}: it was not ready within ${readyDeadlineMs / 1000} seconds.`)
      started.kill('SIGKILL')
    }, readyDeadlineMs)
    started.on('message', (message) => {
      if (!isReady(message)) return
      clearTimeout(deadline)
      firstReady.resolve()
    })
    started.once('error', (error) => onEnd(error.message))
    started.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`))
  }
  start()

  return {
    ready: firstReady.promise,
    async stop(deadlineMs) {
      stopping = true
      clearTimeout(restart)
      clearTimeout(deadline)
      if (child === null) return
      child.kill('SIGTERM')
      const force = setTimeout(() => {
        log.warn(`${name} did not stop within ${deadlineMs / 1000} seconds; killing it`)
        child?.kill('SIGKILL')
      }, deadlineMs)
      await ended.promise
      clearTimeout(force)
    },
    kill() {
      stopping = true
      clearTimeout(restart)
      clearTimeout(deadline)
      child?.kill('SIGKILL')
    },
  }
}
