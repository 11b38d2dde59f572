import { withChargeNow } from '../../domain/memberships/charge-now.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import type { MembershipStore, ReadMembership } from './membership-store.ts'

/**
 * Makes a membership due now, and has its next charge obey the words of a test; null: none.
 * Null: the site has no such membership; false: nothing of it can be charged.
 */
export type MakeDue = (
  site: Site,
  membershipId: bigint,
  bankTest: string | null,
) => Promise<boolean | null>

/** Keeps the words for the next charge; false: the membership was changed since it was read. */
export type PlanTest = (
  read: Pick<ReadMembership, 'id' | 'version'>,
  bankTest: string,
) => Promise<boolean>

/** A concurrent change is read again, and decided again. */
export function createMakeDue(store: MembershipStore, planTest: PlanTest): MakeDue {
  return async (site, membershipId, bankTest) => {
    for (;;) {
      const read = await store.find(site, membershipId)
      if (read === null || read.merchantId !== site.merchantId) return null
      const at = site.clock.now()
      const due = withChargeNow(read.membership, at)
      if (due === null) return false
      // Before it is due: the job of any process may take it right then.
      if (bankTest !== null && !(await planTest(read, bankTest))) continue
      if (due === read.membership) return true
      const cause = { at, origin: 'api', actor: null } as const
      if (await store.change(read, due, cause)) return true
    }
  }
}
