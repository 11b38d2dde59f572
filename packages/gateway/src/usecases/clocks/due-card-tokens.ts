import type { DueRows } from './due-rows.ts'
import type { AgendaSource, ClockedSite, DueSource } from './due-source.ts'

/** Card tokens that expire by a site's clock: their numbers are erased. */
export function dueCardTokens(
  rows: DueRows,
  /** Gives how many there were. */
  erase: (site: ClockedSite, until: Date) => Promise<number>,
): DueSource {
  return {
    ...upcomingCardTokens(rows),
    nextDue: rows.nextDue,
    run: erase,
  }
}

/** The same, for readers of the agenda. */
export function upcomingCardTokens(rows: Pick<DueRows, 'upcoming'>): AgendaSource {
  return {
    name: 'card tokens',
    async upcoming(site, after, limit) {
      const found = await rows.upcoming(site, after, limit)
      return found.map(({ at, id }) => ({
        at,
        id,
        what: 'card token expires',
        object: `card token ${id}`,
      }))
    },
  }
}
