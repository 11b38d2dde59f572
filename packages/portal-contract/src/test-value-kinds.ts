/** Kinds of test values of the bundled bank, in words. */
export const TEST_VALUE_KINDS = {
  amount: 'Amount',
  fault: 'Fault amount',
  card: 'Card',
  three_ds: '3-D Secure card',
  postal_code: 'Postal code',
  security_code: 'Security code',
  challenge_code: 'Challenge code',
} as const

export type TestValueKind = keyof typeof TEST_VALUE_KINDS
