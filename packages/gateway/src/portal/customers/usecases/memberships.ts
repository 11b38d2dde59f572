import type { MembershipState, NextStep } from '../../../domain/memberships/membership.ts'
import type { Membership } from '../../../domain/memberships/membership.ts'
import type { CardHistory } from '../../../domain/memberships/next-attempt.ts'
import type { StoredMembership } from '../../../usecases/memberships/membership-store.ts'
import type { ChargeResult } from '../../../usecases/memberships/renewal-store.ts'
import type { Mode, SiteInMode } from '../../../usecases/merchants/merchant-directory.ts'
import type { CustomerRequester } from './customers.ts'

/** The end of a page of a list. */
export interface MembershipPlace {
  /** Of a list by when something happens next. */
  readonly at: Date | null
  readonly id: bigint
}

/** Which memberships a list shows. Null: no such filter. */
export interface MembershipFilter {
  readonly merchantId: bigint
  readonly siteId: bigint | null
  /** Empty: all. */
  readonly states: readonly MembershipState[]
  readonly product: string | null
  readonly customerId: bigint | null
  /** The next event is not before `dueFrom`, and before `dueUntil`. */
  readonly dueFrom: Date | null
  readonly dueUntil: Date | null
  /** The newest first, or those first that do something next. */
  readonly order: 'newest' | 'due'
  readonly after: MembershipPlace | null
}

/** A charge of a renewal. */
export interface ChargeView {
  readonly dueAt: Date
  readonly attempt: number
  readonly at: Date
  readonly outcome: ChargeResult | 'open'
  /** Why, in words. */
  readonly reason: string
  readonly amountMinor: bigint
  readonly currency: string
  readonly card: { readonly id: bigint; readonly brand: string; readonly last4: string }
  /** Null where nothing was asked of the bank. */
  readonly orderId: bigint | null
}

export interface MembershipRowView {
  readonly id: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly state: MembershipState
  readonly customer: { readonly id: bigint; readonly name: string; readonly email: string }
  readonly product: string
  readonly productName: string
  readonly currency: string
  /** Null: nothing is planned. */
  readonly next: {
    readonly kind: NextStep['kind']
    readonly at: Date
    readonly amountMinor: bigint | null
  } | null
  readonly overAt: Date | null
  readonly lastCharge: Pick<ChargeView, 'at' | 'outcome' | 'reason'> | null
}

export interface MembershipList {
  readonly memberships: readonly MembershipRowView[]
  readonly next: MembershipPlace | null
}

/** An operation of a portal user. */
export interface MembershipOperationView {
  readonly at: Date
  readonly actor: string
  readonly what: string
}

/** A membership with all that belongs to it, as it is stored. */
export interface MembershipRecord {
  readonly stored: StoredMembership
  readonly customer: { readonly id: bigint; readonly name: string; readonly email: string }
  readonly productNames: Readonly<Record<string, string>>
  readonly cards: readonly MembershipCard[]
  readonly charges: readonly ChargeView[]
  readonly operations: readonly MembershipOperationView[]
  /** The site's plan; null: the usual one. */
  readonly retryDays: readonly number[] | null
}

/** A saved card of the customer. */
export interface MembershipCard {
  readonly id: bigint
  readonly brand: string
  readonly last4: string
  readonly expiry: { readonly month: number; readonly year: number } | null
}

/** Memberships as the portal reads them, always those of one merchant. */
export interface MembershipBook {
  list(filter: MembershipFilter, limit: number): Promise<MembershipList>
  read(merchantId: bigint, membershipId: bigint): Promise<MembershipRecord | null>
  /** The known history of the card that a membership charges, at `at`. */
  readCardHistory(stored: StoredMembership, at: Date): Promise<CardHistory>
  /**
   * All that do something until `until` or are being charged, piece by piece: what a forecast is
   * made of.
   */
  readUpcoming(
    site: SiteInMode & { readonly merchantId: bigint },
    until: Date,
  ): AsyncIterable<readonly StoredMembership[]>
}

/** Something that a portal user does to a membership, to be written with it. */
export interface MembershipOperation {
  /** Made by the page for one opened dialogue. */
  readonly key: string
  /** The request under it, as JSON. */
  readonly request: string
  readonly requester: CustomerRequester
  readonly operation: 'membership.changed' | 'membership.cancelled' | 'membership.retried'
  /** A sentence. */
  readonly what: string
}

/** The operation stored under a key. */
export interface EarlierOperation {
  readonly membershipId: bigint
  readonly request: string
  readonly what: string
}

/** Stores users' operations, each in one transaction with the membership and the audit log. */
export interface MembershipOperationStore {
  find(site: SiteInMode, membershipId: bigint): Promise<StoredMembership | null>
  /** The earlier operation under that key; null: none. */
  findOperation(merchantId: bigint, key: string): Promise<EarlierOperation | null>
  /** False: the membership was changed since it was read, or the key was used meanwhile. */
  change(
    read: StoredMembership,
    membership: Membership,
    operation: MembershipOperation,
    at: Date,
  ): Promise<boolean>
  /** The users' operations since a version, the newest last. */
  operationsSince(
    membershipId: bigint,
    version: bigint,
  ): Promise<readonly MembershipOperationView[]>
}
