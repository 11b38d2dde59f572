import type { Mode } from './shell.ts'

export interface CustomerList {
  readonly customers: readonly CustomerRow[]
  /**
   * The beginning of the next page; null: there is none. A short page may still have a next one.
   */
  readonly next: string | null
}

export interface CustomerRow {
  readonly id: string
  readonly mode: Mode
  readonly reference: string
  readonly name: string
  readonly email: string
  readonly createdAt: string
  /** Saved cards that are there. */
  readonly cards: number
  /** The one used last; null for none. */
  readonly latestCard: { readonly brand: string; readonly last4: string } | null
  /** Memberships that are not over. */
  readonly memberships: number
  readonly lastOrderAt: string | null
}

export interface CustomerView {
  readonly id: string
  readonly mode: Mode
  readonly reference: string
  readonly login: string
  readonly createdAt: string
  /** The moment at which the personal data were erased; null while they are there. */
  readonly erasedAt: string | null
  readonly contact: CustomerContact
  /** Further values that payments carried, by wire name. */
  readonly others: Readonly<Record<string, string>>
  readonly cards: readonly SavedCardView[]
  /** The newest ten. */
  readonly orders: readonly CustomerOrder[]
  readonly memberships: readonly CustomerMembership[]
  readonly similar: readonly SimilarCustomer[]
}

/** The contact details of a customer, which may be changed. */
export interface CustomerContact {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly billing: CustomerAddress
  readonly shipping: CustomerAddress
}

/** A postal address as payments bring it; '' for a part that is not known. */
export interface CustomerAddress {
  readonly street: string
  readonly street2: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
  readonly district: string
}

export interface SavedCardView {
  readonly id: string
  readonly mode: Mode
  readonly brand: string
  /** The first six digits; '' where the request that brought the card is not on record any more. */
  readonly bin: string
  readonly last4: string
  /** Null where it is not known. */
  readonly expiry: { readonly month: number; readonly year: number } | null
  /** `soon`: within 60 days. */
  readonly expires: 'past' | 'soon' | 'later' | 'unknown'
  readonly reference: string
  readonly firstUsedAt: string
  readonly lastUsedAt: string
  /** The account updater's latest result; null: none. */
  readonly update: { readonly description: string; readonly on: string | null } | null
  readonly removedAt: string | null
  /** Memberships that are not over and charge it. */
  readonly memberships: number
}

export interface CustomerOrder {
  readonly id: string
  readonly siteId: string
  readonly reference: string
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly state: string
  readonly requestedMinor: string
  readonly authorizedMinor: string
  readonly capturedMinor: string
  readonly refundedMinor: string
  readonly currency: string
  readonly createdAt: string
}

export interface CustomerMembership {
  readonly id: string
  readonly state: MembershipState
  readonly product: string
  readonly productName: string
  readonly nextAt: string | null
}

/**
 * `past_due`: a renewal was declined and is retried, or waits for another card. `cancel_scheduled`:
 * paid, and cancelled at the end of the period. `cancelled`: on request, or because renewals stayed
 * unpaid. `ended`: of a product that does not renew, once its period is over.
 */
export type MembershipState = 'active' | 'past_due' | 'cancel_scheduled' | 'cancelled' | 'ended'

/** Another customer of the merchant who may be the same person. */
export interface SimilarCustomer {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly because: readonly ('card' | 'email')[]
}

export interface Catalogue {
  readonly siteId: string
  /** `open` sells any product id; `strict` only those of the catalogue. */
  readonly rule: 'open' | 'strict'
  readonly products: readonly ProductView[]
  /** There are more than these. */
  readonly isCut: boolean
}

/** A product of a site's catalogue, with all of its parts. */
export interface ProductView {
  readonly siteId: string
  readonly productId: string
  readonly name: string
  readonly active: boolean
  /** Null for one that is sold once. */
  readonly terms: {
    readonly type: ProductType
    readonly period: Period
    readonly priceMinor: string
    readonly currency: string
  } | null
  readonly createdAt: string
  /** Memberships of it by state; those that are over together. */
  readonly memberships: {
    readonly active: number
    readonly pastDue: number
    readonly cancelScheduled: number
    readonly over: number
    /** Those that go over to it with their next renewal. */
    readonly coming: number
  }
}

/** `ends` (PROD_TYPE 1) runs for one period and is never charged again; `renews` is 2. */
export type ProductType = 'ends' | 'renews'

/** How long a membership runs before it is charged again, for example 3 months. */
export interface Period {
  readonly metric: PeriodMetric
  /** 1 to MAX_PERIOD_LENGTH. */
  readonly length: number
}

/** The unit of a period: days, months or years. */
export type PeriodMetric = 'D' | 'M' | 'Y'

export interface MembershipList {
  readonly memberships: readonly MembershipRow[]
  readonly next: MembershipPlace | null
}

export interface MembershipRow {
  readonly id: string
  readonly siteId: string
  readonly mode: Mode
  readonly state: MembershipState
  readonly customer: MembershipCustomer
  readonly product: string
  readonly productName: string
  readonly currency: string
  /** Null: nothing is planned. */
  readonly next: {
    readonly kind: NextStepKind
    readonly at: string
    readonly amountMinor: string | null
  } | null
  readonly overAt: string | null
  readonly lastCharge: Pick<ChargeView, 'at' | 'outcome' | 'reason'> | null
}

/**
 * The next step of a membership. `renewal`: charge the next period. `retry`: charge a renewal that
 * failed. `end`: the only period is over. `cancel`: the period ends after which it was to be
 * cancelled. `give_up`: the card allows no further attempt, and the last attempt is past.
 */
export type NextStepKind = 'renewal' | 'retry' | 'end' | 'cancel' | 'give_up'

export interface MembershipCustomer {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** A charge of a renewal. */
export interface ChargeView {
  readonly dueAt: string
  readonly attempt: number
  readonly at: string
  readonly outcome: ChargeResult | 'open'
  /** Why, in words. */
  readonly reason: string
  readonly amountMinor: string
  readonly currency: string
  readonly card: { readonly id: string; readonly brand: string; readonly last4: string }
  /** Null where nothing was asked of the bank. */
  readonly orderId: string | null
}

export type ChargeResult = 'approved' | 'declined' | 'unknown' | 'not_sent' | 'forbidden'

/** The end of a page of a list. */
export interface MembershipPlace {
  /** Of a list by when something happens next. */
  readonly at: string | null
  readonly id: string
}

/** A saved card of the customer. */
export interface MembershipCard {
  readonly id: string
  readonly brand: string
  readonly last4: string
  readonly expiry: { readonly month: number; readonly year: number } | null
}

/** A membership as its page shows it. */
export interface MembershipView {
  readonly id: string
  readonly version: string
  readonly siteId: string
  readonly mode: Mode
  readonly state: MembershipState
  readonly customer: MembershipCustomer
  /** The order that began it. */
  readonly orderId: string
  readonly createdAt: string
  readonly currency: string
  readonly product: TermsView
  /** Applies from the next renewal; null: none. */
  readonly nextProduct: TermsView | null
  readonly cardId: string
  /** Null: it was taken away. */
  readonly card: MembershipCard | null
  readonly cards: readonly MembershipCard[]
  /** The period that is paid; null: the first of its product is not. */
  readonly paid: { readonly from: string; readonly until: string | null } | null
  readonly next: {
    readonly kind: string
    readonly at: string
    readonly amountMinor: string | null
  } | null
  /** When it is over, or was; null where it renews. */
  readonly overAt: string | null
  readonly isCharging: boolean
  /** A renewal that is due and not paid. */
  readonly open: {
    readonly dueAt: string
    readonly attempts: number
    readonly amountMinor: string
    /** The days of the site's plan, counted from the first failure. */
    readonly retries: readonly { readonly at: string; readonly isPast: boolean }[]
    /** Whether a portal user may start a retry now, and if not why and from when. */
    readonly now: { readonly allowed: boolean; readonly reason: string; readonly at: string | null }
  } | null
  /** Charges of the next year if each is approved, at most twelve. */
  readonly agenda: readonly {
    readonly kind: string
    readonly at: string
    readonly amountMinor: string | null
  }[]
  readonly charges: readonly ChargeView[]
  readonly operations: readonly MembershipOperationView[]
  /** The time of the site's clock. */
  readonly now: string
}

/** An operation of a portal user. */
export interface MembershipOperationView {
  readonly at: string
  readonly actor: string
  readonly what: string
}

export interface TermsView {
  readonly productId: string
  readonly name: string
  readonly type: ProductType
  readonly period: Period
  readonly priceMinor: string
}

/** Charges of a site's memberships to come if each is approved. */
export interface SiteForecast {
  readonly siteId: string
  readonly mode: Mode
  /** The time of the site's clock; its days, in UTC, are the forecast's. */
  readonly now: string
  readonly until: string
  /** Days on which something happens. */
  readonly days: readonly {
    readonly day: string
    readonly charges: readonly {
      readonly currency: string
      readonly renewals: number
      readonly retries: number
      readonly minor: string
    }[]
    readonly ends: number
  }[]
}
