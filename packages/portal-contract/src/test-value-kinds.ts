/** Kinds of test values of the bundled bank, in words. */
export const TEST_VALUE_KINDS = {
  amount: 'Amount',
  fault: 'Fault amount',
  dispute: 'Disputed amount',
  card: 'Card',
  public_card: 'Public card',
  three_ds: '3-D Secure card',
  avs: 'AVS result',
  postal_code: 'Postal code',
  security_code: 'Security code',
  cavv: 'CAVV',
  challenge_code: 'Challenge code',
} as const

export type TestValueKind = keyof typeof TEST_VALUE_KINDS
