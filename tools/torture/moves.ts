/** How often each move is made, in relation to the others. */
export const MOVES = {
  authorize: 18,
  sale: 16,
  saleWithSavedCard: 6,
  replay: 7,
  partialSale: 2,
  declinedSale: 2,
  // The bank opens a case for each of them.
  disputedSale: 0.3,
  refusedAddress: 3,
  unreferencedCredit: 2,
  capture: 18,
  refund: 7,
  void: 7,
  captureVoid: 4,
  race: 6,
  status: 2,
} as const

export type Move = keyof typeof MOVES
export type Adjustment = 'capture' | 'refund' | 'void' | 'captureVoid'

/** Public test numbers with unlimited money. */
export const CARDS = ['4111111111111111', '5555555555554444'] as const
/** A test card of the bank with a known address, so that a wrong one is found out. */
export const CARD_WITH_ADDRESS = '4012889000000012'
/** Amounts that the bank disputes once a settlement file has them. */
export const DISPUTED = [
  '9113.01',
  '9113.02',
  '9113.11',
  '9113.21',
  '9113.22',
  '9113.31',
  '9113.41',
] as const
export const EXPIRY = '122040'

/** The key as a parameter; '' for a request without one. */
export function keyed(key: string): { readonly more?: { readonly IDEMPOTENCY_KEY: string } } {
  return key === '' ? {} : { more: { IDEMPOTENCY_KEY: key } }
}
