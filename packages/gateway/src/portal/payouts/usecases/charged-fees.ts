import type { StatementRange } from './payouts.ts'

/** The operator's fees of a statement: of sales and captures, of refunds, of months, and all. */
export const OPERATOR_FEES = ['sales', 'refunds', 'monthly', 'all'] as const
export type OperatorFee = (typeof OPERATOR_FEES)[number]

/** The place of a fee: its transaction, or behind all of these its month, such as 202611. */
export interface FeePlace {
  readonly of: 'transaction' | 'month'
  readonly id: bigint
}

/** A fee that the operator charged, in minor units; a monthly fee has no transaction. */
export interface ChargedFee {
  readonly place: FeePlace
  readonly transactionId: bigint | null
  readonly orderId: bigint | null
  readonly orderReference: string
  readonly kind: string | null
  readonly brand: string | null
  readonly batchId: bigint | null
  /** The day of the transaction, or the first day of the month, in ISO 8601. */
  readonly day: string
  readonly amountMinor: bigint | null
  readonly feeMinor: bigint
}

/** Which fees: those of one kind that were charged in a range. */
export interface ChargedFeesOf {
  readonly merchantId: bigint
  readonly accountId: bigint
  readonly currency: string
  readonly range: StatementRange
  readonly fee: OperatorFee
}

export interface ChargedFeeReader {
  /** Behind a place, in its sequence. */
  list(of: ChargedFeesOf, after: FeePlace, limit: number): Promise<readonly ChargedFee[]>
}
