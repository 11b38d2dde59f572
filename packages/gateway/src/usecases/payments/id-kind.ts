/** The objects that payments and adjustments draw ids for; each kind has its own sequence. */
export type IdKind =
  | 'order'
  | 'line'
  | 'transaction'
  | 'customer'
  | 'paymentMethod'
  | 'advice'
  | 'message'
  | 'membership'
