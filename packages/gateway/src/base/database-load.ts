/** The connections of one pool of a process. */
export interface PoolCount {
  /** As PostgreSQL names its connections, such as `tollgate by key`. */
  readonly pool: string
  readonly open: number
  readonly idle: number
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number
}

/** A server that follows the primary, as the primary sees it. */
export interface StandbyLag {
  /** Its application_name. */
  readonly standby: string
  /** The log that it has not replayed, in bytes. */
  readonly bytes: number
  /** The time from a commit to its replay, as the primary measured it last. */
  readonly seconds: number
}
