import type { CardProduct } from '../issuer/card-product.ts'
import type { ReportedCode } from './trigger-amounts.ts'

/** When a trial can be run. */
export const TRIAL_RUNS = {
  at_once: 'beside any other payment, as often as you like',
  timeout: 'beside any other payment; the answer waits for the timeout of the gateway',
  daily: 'the account has limits a day (UTC), which all sites but throwaway ones share',
  disturbing: 'other payments that wait at that moment fail too',
  membership: 'with a renewal of the gateway, by the clock of the site',
  browser: 'with the pages of 3-D Secure in a browser',
} as const

export type TrialRuns = keyof typeof TRIAL_RUNS

/** The payment of a trial. Absent parts are those of an ordinary payment. */
export interface TrialPayment {
  /** Major units, as a merchant writes them; absent: 12.50. */
  readonly amount?: string
  /** ISO 4217 code; absent: that of the site. */
  readonly currency?: string
  readonly pan?: string
  /** YYMM; absent: any that is not past. */
  readonly expiry?: string
  /** Absent: that of the card. A merchant-initiated payment has none. */
  readonly securityCode?: string
  /** Absent: the address is not checked. */
  readonly address?: { readonly street: string; readonly postalCode: string }
  /** The merchant accepts a partial approval. */
  readonly acceptsPartial?: true
  readonly isMerchantInitiated?: true
  /** The result of another 3-D Secure provider, in base64. */
  readonly cavv?: string
}

/** The bank's answer to a trial, as far as the value decides it. */
export interface TrialAnswer {
  readonly outcome: 'approved' | 'declined' | 'failed'
  /** DE 39; '' where the gateway gets none in time. */
  readonly responseCode: string
  /** Major units, where it is not the amount of the payment. */
  readonly approved?: string
  readonly processor?: ReportedCode
  readonly issuer?: ReportedCode
  readonly avs?: string
  readonly cvv?: string
  readonly merchantAdvice?: string
  /** The balance left that the answer reports, in major units. */
  readonly balance?: string
}

/** One payment with a test value. */
export interface Trial {
  /** The difference from an ordinary payment with the value; '' for none. */
  readonly when: string
  readonly runs: TrialRuns
  /** Both are null for what one request cannot show. */
  readonly payment: TrialPayment | null
  readonly answer: TrialAnswer | null
}

/** A test value with what it does, and payments that show it. */
export interface TestValue {
  readonly kind: TestValueKind
  readonly value: string
  readonly meaning: string
  readonly trials: readonly Trial[]
  /** The product that every answer of the card has. */
  readonly product?: CardProduct
}

export type TestValueKind =
  | 'amount'
  | 'fault'
  | 'dispute'
  | 'card'
  | 'public_card'
  | 'three_ds'
  | 'avs'
  | 'postal_code'
  | 'security_code'
  | 'cavv'
  | 'challenge_code'

/** The amount of a trial whose amount does not matter. */
export const PLAIN_AMOUNT = '12.50'

export function approved(parts: Partial<TrialAnswer> = {}): TrialAnswer {
  return { outcome: 'approved', responseCode: '00', ...parts }
}

export function declined(responseCode: string, parts: Partial<TrialAnswer> = {}): TrialAnswer {
  return { outcome: 'declined', responseCode, ...parts }
}

/** The gateway does not get the answer in time, or cannot use it. */
export const FAILED: TrialAnswer = { outcome: 'failed', responseCode: '' }

export function atOnce(when: string, payment: TrialPayment, answer: TrialAnswer): Trial {
  return { when, runs: 'at_once', payment, answer }
}

/** An effect that one request cannot show. */
export function elsewhere(when: string, runs: TrialRuns): Trial {
  return { when, runs, payment: null, answer: null }
}
