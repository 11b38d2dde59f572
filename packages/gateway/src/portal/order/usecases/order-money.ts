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

/** A fee of the operator for a transaction, in minor units; plus is a charge. */
export interface OrderFee {
  readonly transactionId: bigint
  readonly kind: TransactionKind
  readonly fee: 'sales' | 'refunds'
  readonly currency: string
  readonly feeMinor: bigint
  /** The month in which it was charged, by the days of the merchant: `2026-11`. */
  readonly month: string
  /** The source whose statement has it; null before the first settlement file. */
  readonly sourceId: bigint | null
}

/** The money of an order in the books. */
export interface OrderMoney {
  readonly ledger: readonly LedgerLine[]
  readonly settlements: readonly OrderSettlement[]
  readonly operatorFees: readonly OrderFee[]
}

/** The sums that a change of an order was decided by. */
export interface SeenSums {
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
}
