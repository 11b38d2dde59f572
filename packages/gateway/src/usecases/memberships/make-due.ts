import { withChargeNow } from '../../domain/memberships/charge-now.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import type { MembershipStore } from './membership-store.ts'

/** Makes a membership due now. Null: the site has none; false: nothing of it can be charged. */
export type MakeDue = (site: Site, membershipId: bigint) => Promise<boolean | null>

/** A concurrent change is read again, and decided again. */
export function createMakeDue(store: MembershipStore): MakeDue {
  return async (site, membershipId) => {
    for (;;) {
      const read = await store.find(site, membershipId)
      if (read === null || read.merchantId !== site.merchantId) return null
      const at = site.clock.now()
      const due = withChargeNow(read.membership, at)
      if (due === null) return false
      if (due === read.membership) return true
      const cause = { at, origin: 'api', actor: null } as const
      if (await store.change(read, due, cause)) return true
    }
  }
}
