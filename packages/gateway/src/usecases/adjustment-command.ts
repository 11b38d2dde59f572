import type { AdjustmentRefusal } from '../domain/order.ts'
import type { Site } from './merchant-directory.ts'
import type { TransactionView } from './transaction-view.ts'

/** A request to capture, credit or undo part or all of an order. */
export interface AdjustmentCommand {
  readonly kind: 'capture' | 'credit' | 'void' | 'void_capture'
  readonly requestId: bigint
  readonly site: Site
  readonly orderId: bigint
  readonly lineId: bigint | null
  /** Decimal text; null: all there is (only where the action allows it). */
  readonly amount: string | null
  /** Alphabetic code as sent; null when absent. Must be the order's. */
  readonly currencyCode: string | null
  /** A void that can't be done becomes a credit. */
  readonly creditOnFail: boolean
}

export type AdjustmentResult =
  /** Malformed for this order: answered like any other validation error. */
  | { readonly kind: 'invalid'; readonly reason: 'line_mismatch' | 'currency_mismatch' | 'amount_not_numeric' | 'amount_too_long' }
  /** Understood and not allowed: answered DECLINED, without an order id. */
  | { readonly kind: 'refused'; readonly refusal: AdjustmentRefusal }
  | { readonly kind: 'done'; readonly transaction: TransactionView }

export type AdjustOrder = (command: AdjustmentCommand) => Promise<AdjustmentResult>
