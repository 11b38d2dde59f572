import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-postgres.ts'
import type { Log } from './log.ts'
import { sentenceOf, StartupError } from './startup-error.ts'
import { createDeathCount } from './supervised-process.ts'

export interface KeptPostgresOptions {
  readonly server: Omit<EmbeddedPostgresOptions, 'log' | 'signal'>
  readonly log: Log
  /** Aborted when everything stops: a server that ends then is not started again. */
  readonly signal: AbortSignal
  readonly onGiveUp: (reason: StartupError) => void
}

/** The embedded server, which is started again when it ends by itself. */
export interface KeptPostgres {
  /** Starts it; the address of its database. */
  start(): Promise<string>
  stop(how: 'fast' | 'immediate'): Promise<void>
  /** Ends it at once. */
  kill(): void
}

export function keepPostgres(options: KeptPostgresOptions): KeptPostgres {
  const { log, onGiveUp, signal } = options
  const deaths = createDeathCount()
  let postgres: EmbeddedPostgres | null = null
  let starting: Promise<unknown> = Promise.resolve()

  const run = async (): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ ...options.server, log, signal })
    postgres = server
    void server.exited.then(restart)
    return server
  }
  const restart = async (how: string): Promise<void> => {
    if (signal.aborted) return
    const pauseMs = deaths.next()
    if (pauseMs === null)
      return onGiveUp(new StartupError(`PostgreSQL ends repeatedly, last with ${how}.`))
    log.error(`PostgreSQL ended with ${how}; restarting it in ${pauseMs} ms`)
    await new Promise((wake) => setTimeout(wake, pauseMs))
    if (signal.aborted) return
    starting = run()
    await starting.catch((error: unknown) => onGiveUp(asStartupError(error)))
  }
  return {
    async start() {
      return (await run()).url
    },
    async stop(how) {
      await starting.catch(() => undefined) // So that a restart under way is stopped as well.
      await postgres?.stop(how)
    },
    kill: () => void postgres?.stop('immediate'),
  }
}

/** An internal error keeps its stack, because the operator will report it. */
export function asStartupError(error: unknown): StartupError {
  if (error instanceof StartupError) return error
  const stack = error instanceof Error ? error.stack : undefined
  return new StartupError(stack ?? sentenceOf(error))
}
