import { fixedClock } from '../../base/clock.ts'
import type { AuthenticationStore, StoredAuthentication } from '../three-ds/authentication-store.ts'
import { expireAuthentication } from '../three-ds/expire-authentications.ts'
import type { DueRows } from './due-rows.ts'
import type { AgendaSource, ClockedSite, DueSource } from './due-source.ts'

/** Payments whose customer never comes back from 3-D Secure, by a site's clock. */
export function dueAuthentications(
  rows: Pick<DueRows, 'nextDue' | 'upcoming'>,
  findExpired: (site: ClockedSite, until: Date) => Promise<readonly StoredAuthentication[]>,
  store: Pick<AuthenticationStore, 'decline'>,
): DueSource {
  return {
    ...upcomingAuthentications(rows),
    nextDue: rows.nextDue,
    async run(site, until, signal) {
      for (let count = 0; ;) {
        const due = await findExpired(site, until)
        if (due.length === 0 || signal.aborted) return count
        for (const one of due)
          await expireAuthentication({ store, clock: fixedClock(one.expiresAt) }, one)
        count += due.length
      }
    },
  }
}

/** The same, for readers of the agenda. */
export function upcomingAuthentications(rows: Pick<DueRows, 'upcoming'>): AgendaSource {
  return {
    name: '3-D Secure',
    async upcoming(site, after, limit) {
      const found = await rows.upcoming(site, after, limit)
      return found.map(({ at, id }) => ({
        at,
        id,
        what: '3-D Secure payment is given up',
        object: `transaction ${id}`,
      }))
    },
  }
}
