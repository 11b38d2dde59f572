/** A claim about the database that holds at every moment, under any load. */
export interface Invariant {
  readonly name: string
  /** The claim, as a sentence. */
  readonly sentence: string
  /** A query that gives a row for each breach, its id first. One statement, so one moment. */
  readonly sql: string
  /** A breach is worth a look, and no fault yet. */
  readonly isWarning?: boolean
  /**
   * The query's `$1`: how long, in milliseconds, a transaction may run, or the marks of this node
   * as a JSON object.
   */
  readonly takes?: 'longest run' | 'id marks'
}
