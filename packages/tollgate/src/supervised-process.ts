import type { ChildProcess } from 'node:child_process'
import type { Log } from './log.ts'
import { StartupError } from './startup-error.ts'

const DEATHS_MAX = 5
const DEATHS_WINDOW_MS = 10_000
const RESTART_DELAY_MS = 100
const RESTART_DELAY_MAX_MS = 2_000
const ENDLESS_DELAY_MAX_MS = 60_000
const ENDLESS_FORGETS_MS = 10 * 60_000

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

/** Never has enough: each pause is twice the last, up to a minute, until ten minutes are quiet. */
export function createEndlessDeathCount(now: () => number = () => performance.now()): DeathCount {
  let deaths = 0
  let lastAt = -Infinity
  return {
    next() {
      const at = now()
      deaths = at - lastAt >= ENDLESS_FORGETS_MS ? 0 : deaths
      lastAt = at
      const pauseMs = Math.min(RESTART_DELAY_MS * 2 ** deaths, ENDLESS_DELAY_MAX_MS)
      deaths += 1
      return pauseMs
    },
  }
}

/**
 * When a process that dies again and again is given up: after five deaths in ten seconds, only
 * while it was never ready, or never.
 */
export type GivesUp = 'always' | 'before_ready' | 'never'

export interface SupervisedOptions {
  /** Its name in log lines and sentences, such as `the bank`. */
  readonly name: string
  /** Starts it; it must have a message channel. */
  readonly spawn: () => ChildProcess
  readonly log: Log
  readonly readyDeadlineMs: number
  readonly givesUp: GivesUp
  /** Called once, when restarting it makes no sense any more. */
  readonly onGiveUp: (reason: StartupError) => void
  /** Called each time that it is ready, and each time that it ends without a request. */
  readonly onChange?: (state: 'ready' | 'ended') => void
}

export interface SupervisedProcess {
  /** Settles when it first said that it is ready; rejects when it is given up before that. */
  readonly ready: Promise<void>
  /** SIGTERM, and SIGKILL to what is left at the deadline. No restart after this. */
  stop(deadlineMs: number): Promise<void>
  /** SIGKILL now. */
  kill(): void
  /** Its id; null while it does not run. */
  pid(): number | null
}

function isReady(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'ready'
  )
}

/** Runs a child process, and runs it again when it dies. */
export function superviseProcess(options: SupervisedOptions): SupervisedProcess {
  const { name, log, readyDeadlineMs } = options
  const few = createDeathCount()
  const endless = createEndlessDeathCount()
  const firstReady = Promise.withResolvers<void>()
  firstReady.promise.catch(() => {}) // Waited for by the start, and not at all after a stop.
  let child: ChildProcess | null = null
  let restart: NodeJS.Timeout | undefined
  let deadline: NodeJS.Timeout | undefined
  let stopping = false
  let mayGiveUp = options.givesUp !== 'never'
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
      options.onChange?.('ended')
      const pauseMs = (mayGiveUp ? few : endless).next()
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
      const late = `it was not ready within ${readyDeadlineMs / 1000} seconds`
      if (mayGiveUp) giveUp(`Giving up on ${name}: ${late}.`)
      else log.error(`${name} is killed: ${late}`)
      started.kill('SIGKILL')
    }, readyDeadlineMs)
    started.on('message', (message) => {
      if (!isReady(message)) return
      clearTimeout(deadline)
      if (options.givesUp === 'before_ready') mayGiveUp = false
      firstReady.resolve()
      options.onChange?.('ready')
    })
    started.once('error', (error) => onEnd(error.message))
    started.once('exit', (code, signal) => onEnd(signal ?? `exit code ${code}`))
  }
  start()

  return {
    ready: firstReady.promise,
    pid: () => child?.pid ?? null,
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
