import { isDatabaseAway } from './database.ts'

/** The database could not be reached within the time limit; the message is for operators. */
export class DatabaseNotReachedError extends Error {
  constructor(reason: string, limitMs: number) {
    super(
      `The database at DATABASE_URL cannot be used: ${reason}. It was waited for ` +
        `${Math.round(limitMs / 1_000)} seconds. Check that it runs and that the address is right; ` +
        'DATABASE_WAIT_S says how long a start waits.',
    )
    this.name = 'DatabaseNotReachedError'
  }
}

export interface AwaitDatabaseOptions {
  /** Any question to the database. */
  readonly ask: () => Promise<unknown>
  readonly limitMs: number
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Called every few seconds with what the last try came to. */
  readonly onWaiting: (reason: string, waitedS: number) => void
}

const TRY_EVERY_MS = 500
const SAY_EVERY_MS = 3_000

/**
 * Waits for a database that is starting, full or away. Throws DatabaseNotReachedError at the limit,
 * and at once an error that waiting would not fix, such as a wrong password.
 */
export async function awaitDatabase({
  ask,
  limitMs,
  monotonicMs,
  pause,
  onWaiting,
}: AwaitDatabaseOptions): Promise<void> {
  const startedMs = monotonicMs()
  let saidMs = -Infinity
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      const waitedMs = monotonicMs() - startedMs
      const reason = reasonOf(error)
      if (waitedMs + TRY_EVERY_MS > limitMs) {
        throw new DatabaseNotReachedError(reason, limitMs)
      }
      if (waitedMs - saidMs >= SAY_EVERY_MS) {
        saidMs = waitedMs
        onWaiting(reason, Math.round(waitedMs / 1_000))
      }
    }
    await pause(TRY_EVERY_MS)
  }
}

/** A refused connection to several addresses of one host comes as one error without a text. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ')
  const text = error instanceof Error ? error.message || String(error) : String(error)
  return text.replace(/\.$/, '')
}
