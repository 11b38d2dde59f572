/** The reasons that keep a card from removal now, and the effects of a removal. */
export interface CardRemoval {
  /** A sentence each; none: it can be. */
  readonly standsAgainst: readonly string[]
  /** Sums captured with it that can still be refunded, by currency; after removal they cannot. */
  readonly refundable: readonly {
    readonly currency: string
    readonly minor: string
    readonly orders: number
  }[]
}

/** Facts against the erasure of a customer's data now, and its effects. */
export interface CustomerErasureView {
  readonly isErased: boolean
  /** A sentence each; none: it can be done. */
  readonly obstacles: readonly string[]
  /** Saved cards with their numbers. */
  readonly cards: number
  readonly orders: number
  /** Sums that can still be refunded, by currency; after the erasure they cannot. */
  readonly refundable: CardRemoval['refundable']
}
