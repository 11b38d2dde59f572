/** The planned steps of a void or refund, or the reason that keeps the order from one. */
export type VoidOrRefundPlan =
  | { readonly kind: 'planned'; readonly steps: readonly VoidOrRefundStep[] }
  | { readonly kind: 'refused'; readonly refusal: AdjustmentRefusal; readonly mostMinor: string }

/** One step of a void or refund: its kind, its amount, and the reason. */
export interface VoidOrRefundStep {
  readonly does: 'void' | 'capture_void' | 'refund'
  /** Minor units, above zero. */
  readonly minor: string
  /** The step takes all that there is of it, so it is sent without an amount. */
  readonly whole: boolean
  readonly why: string
}

/** The reason that keeps an order from a change. */
export type AdjustmentRefusal =
  /** Also for another merchant's order. */
  | 'order_not_found'
  /** Never authorized, or not yet; or there is no capture to void. */
  | 'order_not_adjustable'
  /** A refund needs the card's number, which was erased. */
  | 'card_removed'
  | 'charged_back'
  | 'already_reversed'
  | 'amount_not_positive'
  /** More than can be voided and refunded. */
  | 'amount_invalid'
  | 'capture_exceeds'
  | 'fully_captured'
  /** Nothing is left: it was voided, refunded or released. */
  | 'adjusted_to_zero'
  | 'batch_closed'
  | 'not_captured'
  | 'refund_exceeds'
  | 'fully_refunded'

/** Minor units of the order's currency. */
export interface OrderAllowance {
  readonly refundMinor: string
  /** Includes amounts that are authorized and not captured: they have no limit. */
  readonly voidOrRefundMinor: string
  /** The limit, with the way to return more unless it covers all. */
  readonly sentence: string
}
