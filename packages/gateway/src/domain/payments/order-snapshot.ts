import type { OrderState } from './order-states.ts'

/**
 * An order's money in minor units. Each cent of the authorized amount is either open, captured or
 * voided. A voided capture moves its amount from captured to voided: it cannot be captured again,
 * because the bank has received the reversal.
 */
export interface OrderMoney {
  /** The amount that the bank approved. */
  readonly authorizedMinor: bigint
  /** Captured and not voided. */
  readonly capturedMinor: bigint
  /** Open money that was voided or released, and voided captures. */
  readonly voidedMinor: bigint
  /** Returned to the card out of what was captured. */
  readonly refundedMinor: bigint
  /** The part of the captured money whose batch is closed. */
  readonly closedBatchCapturedMinor: bigint
}

/** One line of an order; its amounts add up to the order's over all lines. */
export interface OrderLine {
  readonly id: bigint
  /** 1 for the first line of the request. */
  readonly number: number
  /** The line's part of the authorized amount. */
  readonly amountMinor: bigint
  readonly capturedMinor: bigint
  readonly voidedMinor: bigint
  readonly refundedMinor: bigint
}

/** One capture; a sale has one from the start. */
export interface OrderCapture {
  readonly transactionId: bigint
  readonly amountMinor: bigint
  readonly voidedMinor: bigint
  readonly batchClosed: boolean
  /** A settlement file says that the bank rejected it: it has moved no money. */
  readonly rejected: boolean
  /** The line that it was made for; null when it took from any line with an amount left. */
  readonly lineId: bigint | null
}

/**
 * An order as the deciders see it. Only voids read the captures. An unreferenced credit is an order
 * too. It authorized nothing, even if its lines have amounts, and has nothing to capture, void or
 * refund.
 */
export interface OrderSnapshot {
  readonly state: OrderState
  /** The authorization's time is over, whether or not its rest has been released already. */
  readonly expired: boolean
  readonly money: OrderMoney
  /** By number. */
  readonly lines: readonly OrderLine[]
  /** Oldest first. */
  readonly captures: readonly OrderCapture[]
  /** One void took everything (see `VoidAllowed.reversesWhole`). */
  readonly reversedWhole: boolean
  /**
   * The money that issuers took or may keep, in minor units. It cannot be returned a second time.
   */
  readonly disputedMinor: bigint
}
