/**
 * It could not be found out whether something was written down, after the point of no return. The
 * caller is told of a fault, never that nothing happened; the jobs find the truth later.
 */
export class OutcomeUncertainError extends Error {
  constructor(cause: unknown) {
    super('What was being written when the database went away may or may not be there', { cause })
    this.name = 'OutcomeUncertainError'
  }
}

export interface Patience {
  /** Waits a little before the next try; false when it has been long enough. */
  readonly waitForDatabase: (waitedTimes: number) => Promise<boolean>
}

/** Tries until the database answers. `work` must be harmless to repeat. */
export async function untilKnown<Result>(
  { waitForDatabase }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let waited = 0; ; waited++) {
    try {
      return await work()
    } catch (error) {
      if (!(await waitForDatabase(waited))) throw new OutcomeUncertainError(error)
    }
  }
}
