import type { OperatorFee } from './payouts.ts'

export interface LedgerLine {
  readonly at: string
  readonly transactionId: string
  readonly kind: string
  readonly debit: string
  readonly credit: string
  readonly amountMinor: string
}

/** A capture or refund that a settlement file has; amounts in minor units of its own currency. */
export interface OrderSettlement {
  readonly transactionId: string
  readonly kind: string
  readonly state: 'settled' | 'rejected'
  /** The value date of the line, in ISO 8601. */
  readonly day: string
  readonly currency: string
  readonly grossMinor: string
  readonly netMinor: string
  /** The payout with the line; null before the acquirer has announced one. */
  readonly payoutId: string | null
}

/** A fee of the operator for a transaction, in minor units; plus is a charge. */
export interface OrderFee {
  readonly transactionId: string
  readonly kind: string
  readonly fee: OperatorFee
  readonly currency: string
  readonly feeMinor: string
  /** The month in which it was charged, `2026-11`. */
  readonly month: string
  /** The source whose statement has it; null before the first settlement file. */
  readonly sourceId: string | null
}

/** The money of an order in the books. */
export interface OrderMoney {
  readonly ledger: readonly LedgerLine[]
  readonly settlements: readonly OrderSettlement[]
  readonly operatorFees: readonly OrderFee[]
}
