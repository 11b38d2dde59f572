import type { IdempotencyKey } from '../../domain/payments/idempotency-key.ts'
import type { AdjustmentRefusal } from '../../domain/payments/order.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import type { LockedOrder } from './adjustment-store.ts'
import type { TransactionOrigin, TransactionView } from './transaction-view.ts'

/** A request to capture, refund or void part or all of an order. */
export interface AdjustmentCommand {
  readonly kind: 'capture' | 'refund' | 'void' | 'capture_void'
  readonly requestId: bigint
  readonly origin: Exclude<TransactionOrigin, 'resolver'>
  /** The API user whose request it is; absent for all others. */
  readonly apiUserId?: bigint
  readonly site: Site
  readonly orderId: bigint
  readonly lineId: bigint | null
  /** Decimal text; null: all there is (only where the action allows it). */
  readonly amount: string | null
  /** Alphabetic code as sent; null when absent. Must be the order's. */
  readonly currencyCode: string | null
  /** A void that cannot be done becomes a refund. */
  readonly refundOnFail: boolean
  /** The words of a test for the test bank, checked; absent or null: none. */
  readonly bankTest?: string | null
  /** A key of which `AdjustOrder` throws KeyTakenError if another request has it. */
  readonly key?: IdempotencyKey | null
  /**
   * Asked under the order's lock once the rules of the order allow it; other orders wait meanwhile.
   * `returnsMinor`: what goes back out of captured money, by refund or by void. Merchants' programs
   * are asked nothing.
   */
  readonly permit?: (order: LockedOrder, returnsMinor: bigint) => Promise<boolean>
}

export type AdjustmentResult =
  /** Malformed for this order: answered like any other validation error. */
  | {
      readonly kind: 'invalid'
      readonly reason:
        | 'line_mismatch'
        | 'currency_mismatch'
        | 'amount_not_numeric'
        | 'amount_too_long'
    }
  /** Understood and not allowed: answered DECLINED, without an order id. */
  | { readonly kind: 'refused'; readonly refusal: AdjustmentRefusal }
  /** `permit` said no. */
  | { readonly kind: 'not_permitted' }
  | { readonly kind: 'done'; readonly transaction: TransactionView }

export type AdjustOrder = (command: AdjustmentCommand) => Promise<AdjustmentResult>
