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
