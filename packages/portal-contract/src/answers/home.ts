import type { ChartRange } from '../chart-ranges.ts'

export interface HomeFigures {
  readonly now: string
  readonly leftOut: readonly SiteLeftOut[]
  readonly periods: readonly PeriodSums[]
  /** Whether anything was ever paid, or tried, at the sites. */
  readonly hasPayments: boolean
}

/** A site with a clock of its own, which has another today and so is in no sum of all sites. */
export interface SiteLeftOut {
  readonly id: string
  readonly name: string
  readonly now: string
}

export interface PeriodSums extends ComparedPeriod {
  readonly sums: PaymentSums
  readonly sumsBefore: PaymentSums
}

export interface ComparedPeriod extends HomePeriod {
  readonly key: 'today' | 'yesterday' | 'month'
  /** The comparison: as much of the day or month before. */
  readonly before: HomePeriod
}

/** From and until when, the end not included. */
export interface HomePeriod {
  readonly from: string
  readonly to: string
}

/** Payments of a period, by arrival. docs/portal/home.md says which count. */
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

/** An amount of one currency; amounts of several are never added. */
export interface CurrencyAmount {
  readonly currency: string
  readonly minor: string
}

export interface HomeChart {
  readonly range: ChartRange
  readonly unit: ChartUnit
  readonly from: string
  readonly now: string
  readonly points: readonly ChartPoint[]
  /** The most frequent first; no more than eight. */
  readonly declines: readonly DeclineReason[]
  readonly declined: number
}

export type ChartUnit = 'hour' | 'day' | 'month'

export interface ChartPoint extends PaymentSums {
  readonly from: string
}

export interface DeclineReason {
  readonly serviceCode: number
  /** In words. */
  readonly reason: string
  readonly payments: number
}

/** Work that waits for a portal user. */
export interface HomeWork {
  readonly now: string
  /** Those that expire within three days. */
  readonly expiring: OpenAuthorizations
  readonly advices: { readonly count: number; readonly oldestAt: string | null }
  readonly pastDue: number
  /** All of the merchant for an owner, and oneself for any other user. */
  readonly heldUsers: readonly HeldUser[]
  readonly links: readonly LinkState[]
}

/** A user who came in by another user's reset link, and is held back for a day. */
export interface HeldUser {
  readonly id: string
  readonly name: string
  readonly email: string
  /** The e-mail address of the user who made the link. */
  readonly cameInBy: string
  readonly cameInAt: string
  readonly heldUntil: string
}

/** Authorizations with something left to capture. */
export interface OpenAuthorizations {
  readonly count: number
  readonly amounts: readonly CurrencyAmount[]
  /** The one that expires first. */
  readonly firstExpiresAt: string | null
}

/** A processor link as one gateway process sees it now. */
export interface LinkState {
  readonly name: string
  readonly state: 'down' | 'signing_on' | 'up'
  /** Null while it is not up. */
  readonly signedOnSince: string | null
  /** Why it was down last; kept when it is up again. */
  readonly lastError: string | null
}

export interface OpenAuthorizationPage {
  readonly now: string
  readonly leftOut: readonly SiteLeftOut[]
  readonly authorizations: readonly OpenAuthorization[]
  readonly next: { readonly expiresAt: string; readonly orderId: string } | null
}

export interface OpenAuthorization {
  readonly orderId: string
  readonly siteId: string
  readonly reference: string
  readonly brand: string
  readonly last4: string
  readonly currency: string
  readonly authorizedMinor: string
  readonly capturedMinor: string
  readonly voidedMinor: string
  readonly refundedMinor: string
  readonly leftMinor: string
  readonly authorizedAt: string
  readonly expiresAt: string
}
