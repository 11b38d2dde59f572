import type { MembershipCause } from '../../domain/memberships/membership-facts.ts'
import type { Membership } from '../../domain/memberships/membership.ts'
import type { CardHistory } from '../../domain/memberships/next-attempt.ts'
import type { DueDecision, RenewalCharge } from '../../domain/memberships/renewal.ts'
import type { SiteInMode } from '../merchants/merchant-directory.ts'
import type { RenewalIdentity } from '../payments/payment-command.ts'
import type { ReadMembership, StoredMembership } from './membership-store.ts'

/** The scope of memberships: one site's, or those of all sites on the machine's clock. */
export type RenewalScope = SiteInMode | 'sites without a clock of their own'

/** A charge that is written and not concluded, under the lease of this process. */
export interface OpenCharge {
  /** As written, so that its version is the one to compare with. */
  readonly stored: StoredMembership
  readonly charge: RenewalCharge
  readonly identity: RenewalIdentity
  readonly history: CardHistory
  /** The site's plan; null: the usual one. */
  readonly retryDays: readonly number[] | null
  /** An earlier try may exist: search for it first. */
  readonly isTakenOver: boolean
  /** The words of a test for the test bank; null: none. */
  readonly bankTest: string | null
  /** The merchant is disabled: what was sent is concluded, and nothing new is. */
  readonly isStopped: boolean
}

export interface Begun {
  readonly charges: readonly OpenCharge[]
  /** How many ended, because their time was over. */
  readonly over: number
}

/** The stored outcome of a charge's payment. */
export interface ChargeAnswer {
  readonly state: 'running' | 'pending' | 'approved' | 'declined' | 'failed'
  readonly serviceCode: number
  readonly responseCode: string
  readonly merchantAdvice: string
  /** Null for what changes nothing. */
  readonly update: 'A' | 'C' | 'E' | 'Q' | null
}

export type ChargeResult = 'approved' | 'declined' | 'unknown' | 'not_sent' | 'forbidden'

export interface ChargeConclusion {
  readonly read: ReadMembership
  readonly membership: Membership
  readonly identity: RenewalIdentity
  /** The charge's moment by the site's clock, and its number in the renewal. */
  readonly charge: Pick<RenewalCharge, 'at' | 'attempt'>
  readonly outcome: ChargeResult
  readonly reason: string
}

/** The store of membership charges. */
export interface RenewalStore {
  /**
   * Takes the next steps of memberships that are due at `until`, at most `limit` and one for each
   * card. Writes each with its charge in one transaction. Skips those that another process holds.
   */
  begin(due: {
    readonly scope: RenewalScope
    readonly until: Date
    readonly limit: number
    readonly decide: (membership: Membership) => DueDecision
  }): Promise<Begun>
  /** Started charges whose lease is over: the process that held them is gone, or very slow. */
  takeOver(scope: RenewalScope, limit: number): Promise<readonly OpenCharge[]>
  /** Null: it was never intended. */
  findAnswer(transactionId: bigint): Promise<ChargeAnswer | null>
  /** False: the membership was changed since it was read, and nothing was written. */
  conclude(conclusion: ChargeConclusion): Promise<boolean>
  find(membershipId: bigint): Promise<StoredMembership | null>
  /** Those of the card that are not over, but for one. */
  findOthersOfCard(cardId: bigint, but: bigint): Promise<readonly StoredMembership[]>
  change(read: ReadMembership, membership: Membership, cause: MembershipCause): Promise<boolean>
  /** When the next of a site is due, or is to be taken over; null: nothing by `until`. */
  nextDue(site: SiteInMode, until: Date): Promise<Date | null>
  /** How long the one is due that has waited longest, of sites without a clock of their own. */
  overdueSeconds(now: Date): Promise<number>
  /** Those that do something next, the earliest first, at most `limit`. */
  findUpcoming(site: SiteInMode, limit: number): Promise<readonly StoredMembership[]>
}
