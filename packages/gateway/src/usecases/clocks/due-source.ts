/** A site whose clock is looked after. */
export interface ClockedSite {
  readonly id: bigint
  readonly merchantId: bigint
}

/** One thing that will happen at a site. */
export interface AgendaEntry {
  readonly at: Date
  /** What happens, in the field's words: `authorization expires`. */
  readonly what: string
  /** To what, as kind and id: `order 600001`. */
  readonly object: string
  /** Tells entries of one source and moment apart, and puts them in a sequence. */
  readonly id: bigint
}

/**
 * A place in the agenda: entries of one source that come after it are later, or have a higher id.
 */
export interface AgendaPlace {
  readonly at: Date
  readonly id: bigint
}

/** What knows of things to come. */
export interface AgendaSource {
  /** As progress and agenda call it: `authorizations`. */
  readonly name: string
  /** What will happen after `after`, the earliest first, at most `limit` entries. */
  upcoming(site: ClockedSite, after: AgendaPlace, limit: number): Promise<readonly AgendaEntry[]>
}

/** A kind of work that becomes due by a site's clock. */
export interface DueSource extends AgendaSource {
  /**
   * The earliest moment at which something of the site is due, if that is at or before `until`,
   * else null. It may lie before what the clock shows.
   */
  nextDue(site: ClockedSite, until: Date): Promise<Date | null>
  /**
   * Does all that is due at or before `until`, what belongs together in sequence, each as of its
   * own due moment; gives how much that was. May be repeated: what was done is not due any more.
   * Ends early when
   * `signal` is aborted, because another process has taken over.
   */
  run(site: ClockedSite, until: Date, signal: AbortSignal): Promise<number>
}
