/**
 * Sentences for reasons that the portal and `tollgate recon` explain alike. The others differ: a
 * merchant can do other things about a difference than an operator.
 */
export const UNKNOWN_ORDER = {
  unknown_to_gateway: 'The bank knows this order, and the gateway does not.',
  unknown_to_bank: 'The bank does not know this order.',
} as const

/** How often an advice was sent, as the end of a sentence: 'once', '3 times'. */
export function howOften(tries: number): string {
  return tries === 1 ? 'once' : `${tries} times`
}
