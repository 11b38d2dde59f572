/** A line of a locked order. */
export interface LineRow {
  readonly id: string
  readonly order_id: string
  readonly number: number
  readonly amount_minor: string
  readonly captured_minor: string
  readonly voided_minor: string
  readonly refunded_minor: string
  readonly card_removed: boolean
  /** Of its whole order. */
  readonly disputed_minor: string
}

/** An approved authorization, sale or capture of a locked order. */
export interface PartRow {
  readonly id: string
  readonly order_id: string
  readonly kind: 'authorization' | 'sale' | 'capture'
  readonly value_minor: string
  readonly voided_minor: string
  readonly order_line_id: string | null
  readonly batch_closed: boolean
  readonly rejected: boolean
  readonly avs_code: string
  readonly cvv_code: string
  readonly advice_number: string | null
  readonly advice_at: Date | null
}
