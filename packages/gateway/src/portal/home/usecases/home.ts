import type { Role } from '@tollgate/portal-contract/rights'
import type { LinkStateView } from '../../../usecases/banks/processor-links.ts'
import type { ComparedPeriod } from '../domain/home-periods.ts'

/** An amount of one currency; amounts of several are never added. */
export interface CurrencyAmount {
  readonly currency: string
  readonly minor: bigint
}

/** Payments of a period, by when they came in. docs/portal/home.md says what counts. */
export interface PaymentSums {
  readonly approved: number
  readonly declined: number
  /** No answer could be had from the bank; in no rate. */
  readonly failed: number
  readonly refunded: number
  readonly approvedAmounts: readonly CurrencyAmount[]
  readonly declinedAmounts: readonly CurrencyAmount[]
  readonly refundedAmounts: readonly CurrencyAmount[]
}

/** Which sites a page sums up, and the time it is there. */
export interface SiteScope {
  readonly merchantId: bigint
  readonly siteIds: readonly bigint[]
  readonly now: Date
  /** Sites of the merchant with a clock of their own, which have another today. */
  readonly leftOut: readonly { readonly id: bigint; readonly name: string; readonly now: Date }[]
}

export interface PeriodSums extends ComparedPeriod {
  readonly sums: PaymentSums
  readonly sumsBefore: PaymentSums
}

export interface ChartPoint extends PaymentSums {
  readonly from: Date
}

/** Authorizations with something left to capture. */
export interface OpenAuthorizations {
  readonly count: number
  readonly amounts: readonly CurrencyAmount[]
  /** The one that expires first. */
  readonly firstExpiresAt: Date | null
}

export interface OpenAuthorization {
  readonly orderId: bigint
  readonly siteId: bigint
  readonly reference: string
  readonly brand: string
  readonly last4: string
  readonly currency: string
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
  readonly leftMinor: bigint
  readonly authorizedAt: Date
  readonly expiresAt: Date
}

/** A user who came in by another user's reset link, and is held back for a day. */
export interface HeldUser {
  readonly id: bigint
  readonly name: string
  readonly email: string
  /** The e-mail address of the user who made the link. */
  readonly cameInBy: string
  readonly cameInAt: Date
  readonly heldUntil: Date
}

/** Every owner sees who is held; other users see only themselves. */
export function heldUsersFor(
  reader: { readonly id: bigint; readonly role: Role },
  held: readonly HeldUser[],
): readonly HeldUser[] {
  return reader.role === 'owner' ? held : held.filter(({ id }) => id === reader.id)
}

/** The open work. */
export interface HomeWork {
  readonly now: Date
  /** Those that expire within three days. */
  readonly expiring: OpenAuthorizations
  readonly advices: { readonly count: number; readonly oldestAt: Date | null }
  readonly pastDue: number
  readonly heldUsers: readonly HeldUser[]
  readonly links: readonly Pick<LinkStateView, 'name' | 'state' | 'signedOnSince' | 'lastError'>[]
}

/** Authorizations by their expiry. */
export interface OpenAuthorizationRange {
  /** The last expiry; null for any. */
  readonly until: Date | null
  /** The last one of the page before. */
  readonly after: { readonly expiresAt: Date; readonly orderId: bigint } | null
}

export const EXPIRING_WITHIN_DAYS = 3

export interface HomeStore {
  /** Null for a site that is not the merchant's; `siteId` null: all of them. */
  scope(merchantId: bigint, siteId: bigint | null): Promise<SiteScope | null>
  periods(scope: SiteScope, periods: readonly ComparedPeriod[]): Promise<PeriodSums[]>
  /** Sums by point, the empty ones included, and declines by code. */
  chart(
    scope: SiteScope,
    starts: readonly Date[],
  ): Promise<{
    readonly points: readonly ChartPoint[]
    readonly declines: readonly { readonly serviceCode: number; readonly payments: number }[]
  }>
  hasPayments(scope: SiteScope): Promise<boolean>
  expiring(scope: SiteScope, until: Date): Promise<OpenAuthorizations>
  openAuthorizations(
    scope: SiteScope,
    range: OpenAuthorizationRange,
    limit: number,
  ): Promise<OpenAuthorization[]>
  waitingAdvices(merchantId: bigint): Promise<HomeWork['advices']>
  /** The latest first. */
  heldUsers(merchantId: bigint): Promise<readonly HeldUser[]>
  pastDueMemberships(scope: SiteScope): Promise<number>
  /** Links that the merchant's accounts use; null stands for the bundled bank. */
  linksInUse(merchantId: bigint): Promise<readonly (bigint | null)[]>
}
