import type { Currency } from '../../domain/currency.ts'
import type { IdempotencyKey } from '../../domain/payments/idempotency-key.ts'
import type { OrderSnapshot } from '../../domain/payments/order-snapshot.ts'
import type { Mode, SiteInTime } from '../merchants/merchant-directory.ts'
import type { MessageIdentity, NewAdvice } from './payment-store.ts'
import type { TransactionKind, TransactionOrigin, TransactionView } from './transaction-view.ts'

/** An order under lock, read after the lock was had. */
export interface LockedOrder {
  readonly id: bigint
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly currency: Currency
  readonly snapshot: OrderSnapshot
  /** Its card was taken away, so that no refund can name it. */
  readonly isCardRemoved: boolean
  /** The authorization: the message that the bank knows the order by, and its transaction. */
  readonly authorization: { readonly mti: string; readonly transactionId: bigint } & MessageIdentity
  readonly avsCode: string
  readonly cvvCode: string
  /** The capture message of each capture transaction. */
  readonly captureMessages: ReadonlyMap<bigint, MessageIdentity>
}

/** The changes of one adjustment, in one durable write. */
export interface AdjustmentPlan {
  /** Null without an answer to the merchant: an expired authorization is released quietly. */
  readonly transaction: {
    readonly id: bigint
    readonly requestId: bigint
    readonly origin: TransactionOrigin
    readonly apiUserId: bigint | undefined
    readonly kind: TransactionKind
    readonly valueMinor: bigint
    readonly orderLineId: bigint | null
    readonly avsCode: string
    readonly cvvCode: string
  } | null
  readonly capturedDelta: bigint
  readonly voidedDelta: bigint
  readonly refundedDelta: bigint
  readonly reversedWhole: boolean
  readonly releases: boolean
  readonly lines: readonly {
    readonly lineId: bigint
    /** The line's id in the merchant's answer. */
    readonly shownId: bigint
    readonly amountMinor: bigint
    readonly capturedDelta: bigint
    readonly voidedDelta: bigint
    readonly refundedDelta: bigint
  }[]
  /** The voided amount of each capture. */
  readonly captureVoids: readonly { readonly transactionId: bigint; readonly minor: bigint }[]
  /** The words of a test for the test bank, for each of the advices; absent or null: none. */
  readonly bankTest?: string | null | undefined
  /** In the sequence in which the bank shall get them. */
  readonly advices: readonly NewAdvice[]
  readonly at: Date
}

export interface AdjustmentStore {
  /**
   * Locks the order, lets `plan` decide, and writes the decision. Many orders share one commit, one
   * adjustment of each. The site's clock decides whether the order has expired. `plan` gets null
   * for an order that the site does not have in its mode; a plan of null writes nothing. `key` is
   * written with the decision; throws KeyTakenError, and writes nothing, if another request has it.
   * The view is the merchant's answer about the new transaction.
   */
  adjust(
    site: SiteInTime,
    orderId: bigint,
    plan: (order: LockedOrder | null) => Promise<AdjustmentPlan | null>,
    key: IdempotencyKey | null,
  ): Promise<TransactionView | null>
  /**
   * Resolves when no adjustment of the order that began earlier can still be written: what of it is
   * not there by then never will be.
   */
  waitForLock(site: SiteInTime, orderId: bigint): Promise<void>
}
