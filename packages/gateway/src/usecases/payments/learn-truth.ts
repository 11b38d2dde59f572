/**
 * The outcome of a write past the point of no return is unknown. The caller gets an internal error,
 * never a report that nothing happened; the jobs resolve it later.
 */
export class OutcomeUncertainError extends Error {
  constructor(cause: unknown) {
    super('What was being written when the database went away may or may not be there', { cause })
    this.name = 'OutcomeUncertainError'
  }
}

/** The database was not there to write to, or had no room: certainly nothing was written. */
export class NothingWrittenError extends Error {
  constructor(cause: unknown) {
    super('The database could not be reached, so nothing was written', { cause })
    this.name = 'NothingWrittenError'
  }
}

/** The answer to a write was lost: it may have been written, or be written yet. Ask again. */
export class CommitUnknownError extends Error {
  constructor(cause: unknown) {
    super('The connection was lost before the database said whether it wrote', { cause })
    this.name = 'CommitUnknownError'
  }
}

export interface Patience {
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs: () => number
  readonly pause: (ms: number) => Promise<void>
}

const TRY_EVERY_MS = 250

/**
 * Tries until the database answers; no try begins after `untilMs` of the patience's clock. `work`
 * must be harmless to repeat.
 */
export async function untilKnown<Result>(
  { monotonicMs, pause }: Patience,
  untilMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (monotonicMs() + TRY_EVERY_MS > untilMs) throw new OutcomeUncertainError(error)
      await pause(TRY_EVERY_MS)
    }
  }
}
