import type { TransactionKind } from '../payments/transaction-view.ts'

/** A portal user's request, as the request log shows it. */
export interface RequestedOperation {
  readonly kind: TransactionKind
  readonly siteId: bigint
  /** The order to act on; null: a payment, which makes one. */
  readonly orderId: bigint | null
  readonly lineId: bigint | null
  /** Decimal texts, one a line; empty: all that there is. */
  readonly amounts: readonly string[]
  readonly currency: string
  /** The merchant's own reference of the order, '' for none. */
  readonly reference: string
  readonly accountId: bigint | null
  readonly card:
    | { readonly kind: 'token' }
    | { readonly kind: 'saved'; readonly customerId: bigint; readonly paymentMethodId: bigint }
    | null
}

/** The same as a merchant's program would have sent it. */
export type DescribeOperation = (operation: RequestedOperation) => {
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
}
