import type { Money } from '../money.ts'
import type { CardBrand } from '../payments/card.ts'
import type { DeclineCodes } from './network-rules.ts'
import { decideRetry } from './next-attempt.ts'

/**
 * Whether and from when a declined card may be charged again without its holder. `new_data`: not
 * before the card's data change. `authenticate`: not before the cardholder was authenticated.
 */
export type RetryAdvice =
  | { readonly kind: 'after'; readonly at: Date }
  | { readonly kind: 'new_data' | 'authenticate' | 'never' }

/** A declined payment, and when it was made. */
export interface DeclinedPayment extends DeclineCodes {
  readonly brand: CardBrand | null
  readonly amount: Money
  readonly at: Date
}

/** SERVICE of a decline that wants the cardholder to be authenticated. */
const AUTHENTICATION_NEEDED = 670

/**
 * The consequence of one decline for the next attempt, by the rules of the gateway's own renewals.
 * Earlier declines of the card, and the networks' caps, may demand more.
 */
export function retryAdvice(declined: DeclinedPayment): RetryAdvice {
  const history = { brand: declined.brand, attempts: [], dataChangedAt: null }
  const next = decideRetry(history, { ...declined, outcome: 'declined' }, declined.at)
  if (next.kind === 'never' || next.kind === 'stopped') return { kind: 'never' }
  if (declined.serviceCode === AUTHENTICATION_NEEDED) return { kind: 'authenticate' }
  return next.kind === 'after_new_data' ? { kind: 'new_data' } : { kind: 'after', at: next.at }
}
