import type { Currency } from '../../domain/currency.ts'
import type { CardProduct } from '../../domain/payments/card-product.ts'
import { serviceAdvice } from '../../domain/payments/service-codes.ts'
import type { TransactionState } from '../../domain/payments/transaction-states.ts'
import type { FollowUp } from './follow-up.ts'

/** The operation of a transaction, in the field's words. */
export type TransactionKind =
  | 'authorization'
  | 'sale'
  | 'capture'
  | 'refund'
  | 'void'
  | 'capture_void'

/**
 * The cause of a transaction: a merchant's program, a portal user or a renewal. `resolver`: the
 * process that ran it died, and the job "resolve transactions" ended it.
 */
export type TransactionOrigin = 'api' | 'portal' | 'rebill' | 'resolver'

/** The merchant's codes beside the state; 0 and '' where there is nothing to say. */
export interface ResultCodes {
  readonly service: number
  readonly serviceAdvice: string
  /** The acquirer's own code: digits mostly, but letters occur. */
  readonly processor: string
  readonly processorAdvice: string
  /** The issuer's own code. */
  readonly industry: string
  readonly industryAdvice: string
}

export interface LineView {
  readonly id: bigint
  readonly count: number
  /** Signed, in minor units of the transaction's currency: negative for refunds and voids. */
  readonly amountMinor: bigint
  readonly product: string
  /** The membership that the line began or renewed; null: none. */
  readonly membershipId: bigint | null
}

/**
 * Everything a merchant may see of one transaction; what a repeat of the request is answered with.
 */
export interface TransactionView {
  readonly kind: TransactionKind
  readonly state: TransactionState
  readonly transactionId: bigint
  readonly orderId: bigint
  readonly customerId: bigint | null
  readonly customerReference: string
  readonly orderReference: string
  readonly batchId: bigint | null
  /** Empty when the request never went to a processor. */
  readonly processorName: string
  readonly merchantAccountId: bigint
  readonly currency: Currency
  /** Signed, in minor units. For an approval the approved amount, which may be lower than asked. */
  readonly valueMinor: bigint
  /** Set when the bank converted: the exact product of value and rate, and what was booked. */
  readonly conversion: {
    readonly currency: Currency
    readonly bookedMinor: bigint
    /** The exact settled value as decimal text, for example 5.686415. */
    readonly exact: string
    /** The rate as decimal text, for example 0.812345. */
    readonly rate: string
  } | null
  readonly card: CardView
  readonly processorUdf1: string
  readonly processorUdf2: string
  readonly authCode: string
  readonly retrievalReference: string
  readonly processorReference: string
  readonly avsCode: string
  readonly cvvCode: string
  readonly networkTransactionId: string
  readonly codes: ResultCodes
  readonly followUp: FollowUp
  readonly lines: readonly LineView[]
  /** Null where 3-D Secure was not requested, or was skipped. */
  readonly threeDs: ThreeDsView | null
  readonly createdAt: Date
}

/** An authentication as answers describe it; '' for what is not known. */
export interface ThreeDsView {
  /** P3DS_RESPONSE: the status letter, C while the challenge is open. */
  readonly response: string
  readonly eci: string
  readonly procTransId: string
  /** For example 2.2.0. */
  readonly version: string
  /** The Directory Server's id, P3DS_TRANSID. */
  readonly dsTransId: string
  /** The issuer's text for the cardholder. */
  readonly cardholderInfo: string
  /** While the challenge is open: where the browser goes, and the JWT that it posts there. */
  readonly challenge: { readonly url: string; readonly payload: string } | null
}

export interface CardView extends CardProduct {
  readonly brand: string
  /** The balance of a prepaid card, as decimal text; else ''. */
  readonly balance: string
  readonly last4: string
  readonly paymentMethodId: bigint | null
  readonly paymentMethodReference: string
  /** Account updater: YYYY-MM-DD and a description; '' when nothing was updated. */
  readonly updatedOn: string
  readonly updateDescription: string
}

export function cardView(card: {
  readonly product: CardProduct
  readonly balance: string
  readonly brand: string
  readonly last4: string
  readonly paymentMethodId: bigint
  readonly reference: string
  /** The last change by the account updater, up to this transaction; absent where there is none. */
  readonly update?: { readonly on: string; readonly description: string } | null
}): CardView {
  return {
    ...card.product,
    brand: card.brand,
    balance: card.balance,
    last4: card.last4,
    paymentMethodId: card.paymentMethodId,
    paymentMethodReference: card.reference,
    updatedOn: card.update?.on ?? '',
    updateDescription: card.update?.description ?? '',
  }
}

/** The codes of an answer beside the state. Those of an approval never differ. */
export function resultCodes(
  state: TransactionState,
  serviceCode: number,
  bank: {
    readonly processorCode: string
    readonly processorAdvice: string
    readonly industryCode: string
    readonly industryAdvice: string
  },
): ResultCodes {
  if (state === 'approved') return APPROVED_CODES
  return {
    service: serviceCode,
    // Before the decision, the text of code 0 would report a decline while money may be held.
    serviceAdvice: isDecided(state) ? serviceAdvice(serviceCode) : '',
    processor: bank.processorCode || '0',
    processorAdvice: bank.processorAdvice,
    industry: bank.industryCode || '0',
    industryAdvice: bank.industryAdvice,
  }
}

function isDecided(state: TransactionState): boolean {
  return state !== 'pending' && state !== 'running'
}

const APPROVED_CODES: ResultCodes = {
  service: 100,
  serviceAdvice: '',
  processor: '0',
  processorAdvice: '',
  industry: '0',
  industryAdvice: '',
}

/**
 * The settled amount when the bank converted. The shown value is the exact product of value and
 * rate; the booked one is the bank's, rounded to its currency.
 */
export function conversionView(
  valueMinor: bigint,
  currency: Currency,
  settled: { readonly minor: bigint; readonly currency: Currency; readonly rate: string } | null,
): TransactionView['conversion'] {
  if (settled === null) return null
  const [whole = '0', fraction = ''] = settled.rate.split('.')
  const product = valueMinor * BigInt(whole + fraction)
  const decimals = fraction.length + currency.digits
  const digits = (product < 0n ? -product : product).toString().padStart(decimals + 1, '0')
  const exact =
    decimals === 0
      ? digits
      : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
  return {
    currency: settled.currency,
    bookedMinor: valueMinor < 0n ? -settled.minor : settled.minor,
    exact: product < 0n ? `-${exact}` : exact,
    rate: settled.rate,
  }
}
