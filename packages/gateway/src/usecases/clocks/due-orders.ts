import { fixedClock } from '../../base/clock.ts'
import type { ExpiringOrders } from '../events/expiring-orders.ts'
import {
  releaseOrders,
  type ReleaseAuthorizationsDeps,
} from '../payments/release-authorizations.ts'
import type { DueRows } from './due-rows.ts'
import type { AgendaSource, DueSource } from './due-source.ts'

/** Authorizations that expire by a site's clock. */
export function dueAuthorizations(
  rows: DueRows,
  deps: Omit<ReleaseAuthorizationsDeps, 'findExpired'>,
  expiring: Pick<ExpiringOrders, 'announceOf' | 'nextOf'>,
): DueSource {
  return {
    ...upcomingAuthorizations(rows),
    async nextDue(site, until) {
      const [announced, due] = [
        await expiring.nextOf(site.id, until),
        await rows.nextDue(site, until),
      ]
      return announced === null || (due !== null && due < announced) ? due : announced
    },
    async run(site, until, signal) {
      // Announced before it is released, however far the clock moves at once.
      await expiring.announceOf(site.id, until)
      for (let count = 0; ;) {
        const due = await rows.find(site, until)
        if (due.length === 0 || signal.aborted) return count
        await releaseOrders(
          deps,
          due.map(({ at, id }) => ({
            site: { id: site.id, mode: 'test', clock: fixedClock(at) },
            orderId: id,
          })),
        )
        count += due.length
      }
    },
  }
}

/** The same, for readers of the agenda. */
export function upcomingAuthorizations(rows: Pick<DueRows, 'upcoming'>): AgendaSource {
  return {
    name: 'authorizations',
    async upcoming(site, after, limit) {
      const found = await rows.upcoming(site, after, limit)
      return found.map(({ at, id }) => ({
        at,
        id,
        what: 'authorization expires',
        object: `order ${id}`,
      }))
    },
  }
}
