import type { TransactionKind } from '../../../usecases/payments/transaction-view.ts'

export interface LedgerLine {
  readonly at: Date
  readonly transactionId: bigint
  readonly kind: string
  readonly debit: string
  readonly credit: string
  readonly amountMinor: bigint
}

/** A capture or refund that a settlement file has; amounts in minor units of its own currency. */
export interface OrderSettlement {
  readonly transactionId: bigint
  readonly kind: TransactionKind
  readonly state: 'settled' | 'rejected'
  /** The value date of the line, in ISO 8601. */
  readonly day: string
  readonly currency: string
  readonly grossMinor: bigint
  readonly netMinor: bigint
  /** The payout with the line; null before the acquirer has announced one. */
  readonly payoutId: bigint | null
}

/** The sums that a change of an order was decided by. */
export interface SeenSums {
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
}
