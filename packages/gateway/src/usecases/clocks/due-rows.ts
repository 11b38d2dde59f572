import type { AgendaPlace, ClockedSite } from './due-source.ts'

/** Something that becomes due, and when. */
export interface DueRow {
  readonly at: Date
  readonly id: bigint
}

/** The rows of one kind that become due at a site, from the database. */
export interface DueRows {
  nextDue(site: ClockedSite, until: Date): Promise<Date | null>
  /** Due at or before `until`, the earliest first, some at a time. */
  find(site: ClockedSite, until: Date): Promise<readonly DueRow[]>
  upcoming(site: ClockedSite, after: AgendaPlace, limit: number): Promise<readonly DueRow[]>
}
