/** A claim about the database that holds at every moment, under any load. */
export interface Invariant {
  readonly name: string
  /** The claim, as a sentence. */
  readonly sentence: string
  /** A query that gives a row for each breach, its id first. One statement, so one moment. */
  readonly sql: string
  /**
   * How a run that goes on from the last one checks it. `changed` reads the copies of changed rows
   * and tables that do not grow with payments. `whole` reads everything, which takes no time. `full
   * run` is left to full runs.
   */
  readonly since?: 'changed' | 'whole' | 'full run'
  /** A breach is worth a look, and no fault yet. */
  readonly isWarning?: boolean
  /**
   * The query's `$1`: how long, in milliseconds, a transaction may run, or the marks of this node
   * as a JSON object.
   */
  readonly takes?: 'longest run' | 'id marks'
}

export interface InvariantResult {
  readonly name: string
  readonly sentence: string
  readonly isWarning: boolean
  /** Rows that break it. */
  readonly count: number
  /** The first of them, by column. */
  readonly examples: readonly Readonly<Record<string, string | number | null>>[]
}

/** The result with the orders and transactions that its rows name, a few thousand at most. */
export interface FoundRows extends InvariantResult {
  readonly orderIds: readonly string[]
  readonly transactionIds: readonly string[]
}
