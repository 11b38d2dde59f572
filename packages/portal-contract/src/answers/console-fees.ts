import type { ConsoleRequest } from './console.ts'

/** Decimal amounts by currency, such as `{ "USD": "0.25" }`. */
export type DecimalAmounts = Readonly<Record<string, string>>

/** A rate as the file of a plan states it. */
export interface ConsoleFeeRate {
  readonly kind: 'sale' | 'refund'
  /** Null: every brand without a rate of its own. */
  readonly brand: string | null
  readonly percent: string
  readonly fixed: DecimalAmounts
}

/** A plan of fees of a merchant. */
export interface ConsoleFeePlan {
  /** A day of the merchant's time zone. */
  readonly startsOn: string
  readonly state: 'earlier' | 'in_force' | 'planned'
  readonly rates: readonly ConsoleFeeRate[]
  readonly monthly: DecimalAmounts
  /** The actor in the audit log. */
  readonly by: string
  readonly at: string
}

/** The plans of a merchant, the latest first. */
export interface ConsoleFees {
  readonly merchant: { readonly id: string; readonly name: string }
  /** In the merchant's time zone. */
  readonly today: string
  /** Of its accounts. */
  readonly currencies: readonly string[]
  readonly brands: readonly string[]
  /** Whether a second operator confirms a plan. */
  readonly needsSecond: boolean
  readonly plans: readonly ConsoleFeePlan[]
  /** Open requests about the fees. */
  readonly requests: readonly ConsoleRequest[]
}

/** A plan that is not stored yet, and its price of one payment. */
export interface FeePreview {
  /** Sentences about the plan or the sample; none if the plan can be set. */
  readonly faults: readonly string[]
  /** None with a fault. In minor units; below zero, the merchant receives it. */
  readonly samples: readonly {
    readonly kind: 'sale' | 'refund'
    /** Null: every brand without a rate of its own. */
    readonly brand: string | null
    readonly feeMinor: string
    /** By the plan that would be in force on that day otherwise. */
    readonly beforeMinor: string
  }[]
  readonly startsOn: string | null
  readonly monthly: DecimalAmounts
}
