import type { MembershipCause } from '../../domain/memberships/membership-facts.ts'
import type { Membership } from '../../domain/memberships/membership.ts'
import type { Mode, SiteInMode } from '../merchants/merchant-directory.ts'

/** A membership as it stands in the database, with what it belongs to. */
export interface StoredMembership {
  readonly id: bigint
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly customerId: bigint
  readonly merchantAccountId: bigint
  /** The order and the line that began it. */
  readonly orderId: bigint
  readonly orderLineId: bigint
  /** The networks' reference of the first payment; '' if they gave none. */
  readonly networkTransactionId: string
  /** The merchant's own id for it, MBSHP_ID_XTL of that order; '' for none. */
  readonly reference: string
  readonly createdAt: Date
  /**
   * The version that was read: a change is written only if the membership has not changed since.
   */
  readonly version: bigint
  readonly membership: Membership
}

/** The part of what was read that a change needs. */
export type ReadMembership = Pick<
  StoredMembership,
  'id' | 'version' | 'merchantId' | 'siteId' | 'membership'
>

/** The store of membership changes. */
export interface MembershipStore {
  /** Null where the site has no such membership in this mode. */
  find(site: SiteInMode, membershipId: bigint): Promise<StoredMembership | null>
  /**
   * False: it was changed since it was read, and nothing was written. Throws CommitUnknownError
   * when it may have been written, and any other error when it was not.
   */
  change(read: ReadMembership, membership: Membership, cause: MembershipCause): Promise<boolean>
}
