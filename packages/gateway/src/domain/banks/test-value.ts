import type { RetryAdvice } from '../memberships/retry-advice.ts'
import type { CardProduct } from '../payments/card-product.ts'

/** The payment that shows a test value. Absent parts are those of an ordinary payment. */
export interface TestValuePayment {
  /** Major units, as a merchant writes them. */
  readonly amount?: string | undefined
  readonly currency?: string | undefined
  readonly pan?: string | undefined
  /** YYMM. */
  readonly expiry?: string | undefined
  readonly securityCode?: string | undefined
  readonly address?: { readonly street: string; readonly postalCode: string } | undefined
  readonly acceptsPartial?: true | undefined
  readonly isMerchantInitiated?: true | undefined
  /** Base64. */
  readonly cavv?: string | undefined
}

/** A code with its text; both '' where there is none. */
export interface CodeWithText {
  readonly code: string
  readonly text: string
}

/** The answer of the gateway to such a payment, as far as the value decides it. */
export interface TestValueAnswer {
  readonly outcome: 'approved' | 'declined' | 'failed'
  /** DE 39; '' where the gateway gets none in time. */
  readonly responseCode: string
  /** Major units; null: the amount of the payment. */
  readonly approved: string | null
  readonly service: { readonly code: number; readonly text: string }
  readonly processor: CodeWithText
  readonly issuer: CodeWithText
  /** Null where the value does not decide it. */
  readonly avs: string | null
  readonly cvv: string | null
  readonly merchantAdvice: string
  /** Major units; null where the answer reports none for sure. */
  readonly balance: string | null
  /** The kind of the advice about the next attempt; null unless it is a decline. */
  readonly retry: RetryAdvice['kind'] | null
}

export interface TestTrial {
  /** The difference from an ordinary payment with the value; '' for none. */
  readonly when: string
  /** When it can be run: a key of the bank's explanations. */
  readonly runs: string
  /** Both are null for what one request cannot show. */
  readonly payment: TestValuePayment | null
  readonly answer: TestValueAnswer | null
}

/** A published test value of the bundled bank, with its outcome in all tiers. */
export interface PublishedTestValue {
  readonly kind: string
  readonly value: string
  readonly meaning: string
  readonly trials: readonly TestTrial[]
  /** The product that every answer of the card has; absent for what is no card of the bank. */
  readonly product?: CardProduct | undefined
}
