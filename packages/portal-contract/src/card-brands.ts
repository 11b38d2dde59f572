/** The card brands that an order can have, as lists name them. */
export const CARD_BRANDS = [
  'Visa',
  'Mastercard',
  'American Express',
  'Discover',
  'Diners Club',
  'JCB',
  'UnionPay',
  'Maestro',
  'Mir',
  'Elo',
  'RuPay',
  'Troy',
  'Verve',
] as const
