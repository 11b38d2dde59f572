import { retryAdvice, type RetryAdvice } from '../../domain/memberships/retry-advice.ts'
import type { Money } from '../../domain/money.ts'
import type { CardBrand } from '../../domain/payments/card.ts'
import type { CardUpdateResult } from '../../domain/payments/processor-outcome.ts'
import type { TransactionState } from '../../domain/payments/transaction-states.ts'

/** The reports of the account updater that the gateway keeps. */
export type KeptUpdate = Exclude<CardUpdateResult, 'P' | 'V'>

/** Facts of the answer to a payment for the card's next payment. */
export interface FollowUp {
  /** The merchant advice code as the bank sent it, two digits; '' where none came. */
  readonly merchantAdvice: string
  /** The account updater's report that came with the answer; null where none was kept. */
  readonly accountUpdate: KeptUpdate | null
  /** Null unless a payment was declined. */
  readonly retry: RetryAdvice | null
}

/** The follow-up of a transaction that says nothing about the next. */
export const NO_FOLLOW_UP: FollowUp = { merchantAdvice: '', accountUpdate: null, retry: null }

/** The facts of one transaction from which its follow-up is made. */
export interface FollowUpFacts {
  /** True for an authorization and a sale. No network has rules for refunds. */
  readonly isPayment: boolean
  readonly state: TransactionState
  readonly brand: CardBrand | null
  readonly amount: Money
  readonly at: Date
  readonly serviceCode: number
  readonly responseCode: string
  readonly merchantAdvice: string
  readonly accountUpdate: KeptUpdate | null
}

/** The follow-up of a transaction. */
export function followUpOf(facts: FollowUpFacts): FollowUp {
  const { accountUpdate, isPayment, merchantAdvice, state } = facts
  const retry = state === 'declined' && isPayment ? retryAdvice(facts) : null
  return { merchantAdvice, accountUpdate, retry }
}

/** The report that is kept of a card: nothing of one that is not saved, or has not changed. */
export function keptUpdate(result: CardUpdateResult | null, isSaved: boolean): KeptUpdate | null {
  return !isSaved || result === null || result === 'P' || result === 'V' ? null : result
}
