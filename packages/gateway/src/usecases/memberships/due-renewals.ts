import { membershipAgenda } from '../../domain/memberships/agenda.ts'
import type {
  AgendaEntry,
  AgendaPlace,
  AgendaSource,
  ClockedSite,
  DueSource,
} from '../clocks/due-source.ts'
import type { SiteInMode } from '../merchants/merchant-directory.ts'
import type { StoredMembership } from './membership-store.ts'
import { renewMemberships, type RenewMembershipsDeps } from './renew-memberships.ts'
import type { RenewalStore } from './renewal-store.ts'

/** A reason that stops a moving clock; it is tried again soon. */
export class RenewalsHeldUpError extends Error {
  constructor(reason: string) {
    super(`The clock waits with the memberships that are due: ${reason}`)
    this.name = 'RenewalsHeldUpError'
  }
}

/** While one round waits for the bank, another is written. */
const ROUNDS_AT_ONCE = 2

/** The memberships that an agenda looks at, those that are due first. */
const LOOKED_AT = 500

/**
 * Memberships of a site that has a clock of its own: every step is taken, each as of its own
 * moment. While the bank cannot be asked, the clock waits; else ten years of charges would be tried
 * for nothing.
 */
export function createDueRenewals(deps: RenewMembershipsDeps): DueSource {
  return {
    ...upcomingRenewals(deps.store.findUpcoming),
    nextDue: (site, until) => deps.store.nextDue(inTest(site), until),
    async run(site, until, signal) {
      let done = 0
      const goThrough = async (): Promise<void> => {
        while (!signal.aborted) {
          const round = await renewMemberships(deps, inTest(site), until, 'each')
          done += round.done
          if (round.notSent) throw new RenewalsHeldUpError('the bank is not there.')
          if (!round.more) return
        }
      }
      await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, goThrough))
      // A site that had work in one round may have more due by now.
      if (done > 0) await goThrough()
      if (!signal.aborted && (await deps.store.nextDue(inTest(site), until)) !== null) {
        throw new RenewalsHeldUpError('the end of a charge is not known yet.')
      }
      return done
    },
  }
}

/** The same, for readers of the agenda. */
export function upcomingRenewals(findUpcoming: RenewalStore['findUpcoming']): AgendaSource {
  return {
    name: 'memberships',
    async upcoming(site, after, limit) {
      const found = await findUpcoming(inTest(site), LOOKED_AT)
      return found
        .flatMap((stored) => entriesOf(stored, after, limit))
        .toSorted(
          (left, right) => left.at.getTime() - right.at.getTime() || compare(left.id, right.id),
        )
        .slice(0, limit)
    },
  }
}

function inTest({ id }: ClockedSite): SiteInMode {
  return { id, mode: 'test' }
}

/** Far enough for a page of an agenda that was read to the end of the calendar. */
const STEPS_LOOKED_AT = 5_000

function entriesOf(
  { id, membership }: StoredMembership,
  after: AgendaPlace,
  limit: number,
): AgendaEntry[] {
  const isLater = (at: Date): boolean =>
    at > after.at || (at.getTime() === after.at.getTime() && id > after.id)
  for (let steps = limit; ; steps = Math.min(steps * 4, STEPS_LOOKED_AT)) {
    const all = membershipAgenda(membership, steps)
    const later = all.filter(({ at }) => isLater(at))
    if (later.length >= limit || all.length < steps || steps === STEPS_LOOKED_AT) {
      return later
        .slice(0, limit)
        .map(({ kind, at }) => ({ at, what: WHAT[kind], object: `membership ${id}`, id }))
    }
  }
}

const WHAT = {
  renewal: 'membership renews',
  retry: 'renewal is tried again',
  end: 'membership ends',
  cancel: 'membership is cancelled',
  give_up: 'membership is given up',
} as const

function compare(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0
}
