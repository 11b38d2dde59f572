/** A site whose clock is looked after. */
export interface ClockedSite {
  readonly id: bigint
  readonly merchantId: bigint
}

/** One thing that will happen at a site. */
export interface AgendaEntry {
  readonly at: Date
  /** The event, in the field's words: `authorization expires`. */
  readonly what: string
  /** To what, as kind and id: `order 600001`. */
  readonly object: string
  /** Distinguishes entries of one source and moment, and sorts them. */
  readonly id: bigint
}

/**
 * A place in the agenda: entries of one source that come after it are later, or have a higher id.
 */
export interface AgendaPlace {
  readonly at: Date
  readonly id: bigint
}

/** A source of future events. */
export interface AgendaSource {
  /** As progress and agenda call it: `authorizations`. */
  readonly name: string
  /** The events after `after`, the earliest first, at most `limit` entries. */
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
   * Processes everything due at or before `until`, dependent rows in sequence, each as of its own
   * due moment; returns the number. May be repeated: a processed row is no longer due. Ends early
   * when `signal` is aborted, because another process has taken over.
   */
  run(site: ClockedSite, until: Date, signal: AbortSignal): Promise<number>
}
