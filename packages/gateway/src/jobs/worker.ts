import type { Activity } from './activity.ts'

/** One kind of work that is never finished; true from `run` when there may be more right away. */
export interface Job {
  readonly name: string
  /** How long to wait before the next scan when nothing was found. */
  readonly everyMs: number
  /** The same while nothing happens anywhere; `IDLE_EVERY_MS` if absent. Never below `everyMs`. */
  readonly idleEveryMs?: number
  /**
   * How long it rests after each run, so that what comes meanwhile is done together; none if
   * absent.
   */
  readonly restMs?: number
  /**
   * `signal`: the process is stopping; who takes long leaves off, and leaves the rest to another
   * one.
   */
  readonly run: (signal: AbortSignal) => Promise<boolean>
}

export interface Worker {
  /** Looks at once rather than after the wait. */
  wake(jobName: string): void
  /** Finishes what is being done and stops. */
  stop(): Promise<void>
}

/** Bounds how late an idle process comes to what no request announces, such as a due renewal. */
export const IDLE_EVERY_MS = 30_000

/** For jobs whose work may wait, or whose work wakes them. */
export const LONG_IDLE_EVERY_MS = 60_000

/**
 * Runs each job by itself, for ever; a job that fails is logged and tried again. While nothing
 * happens the jobs look less often, and the end of that time wakes them.
 */
export function startWorker(
  jobs: readonly Job[],
  activity: Pick<Activity, 'isIdle' | 'onEnd' | 'touch'>,
  onError: (jobName: string, error: unknown) => void,
): Worker {
  const loops = new Map<string, Loop>()
  for (const job of jobs) loops.set(job.name, startLoop(job, activity, onError))
  return {
    wake: (jobName) => loops.get(jobName)?.wake(),
    async stop() {
      await Promise.all([...loops.values()].map((loop) => loop.stop()))
    },
  }
}

interface Loop {
  wake(): void
  stop(): Promise<void>
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function startLoop(
  job: Job,
  activity: Pick<Activity, 'isIdle' | 'onEnd' | 'touch'>,
  onError: (jobName: string, error: unknown) => void,
): Loop {
  const stopping = new AbortController()
  let woken = false
  let endWait: () => void = () => undefined

  async function wait(): Promise<void> {
    if (woken || stopping.signal.aborted) return
    const { everyMs, idleEveryMs = IDLE_EVERY_MS } = job
    const waitMs = activity.isIdle() ? Math.max(everyMs, idleEveryMs) : everyMs
    const wakened = Promise.withResolvers<void>()
    const timer = setTimeout(wakened.resolve, waitMs)
    endWait = wakened.resolve
    const forget = waitMs > everyMs ? activity.onEnd(wakened.resolve) : () => undefined
    await wakened.promise
    clearTimeout(timer)
    forget()
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      woken = false
      let more = false
      try {
        more = await job.run(stopping.signal)
      } catch (error) {
        onError(job.name, error)
      }
      if (more) activity.touch()
      else await wait()
      if (job.restMs !== undefined && !stopping.signal.aborted) await rest(job.restMs)
    }
  }
  const finished = loop()

  return {
    wake() {
      woken = true
      endWait()
    },
    async stop() {
      stopping.abort()
      endWait()
      await finished
    },
  }
}
