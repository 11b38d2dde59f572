/** The facts that an issuer authenticated; the payment that uses the answer must have the same. */
export interface AuthenticatedPayment {
  readonly amountMinor: bigint
  /** ISO 4217 letters; '' for a code that is no currency. */
  readonly currency: string
  /** Hexadecimal. */
  readonly fingerprint: string
  readonly expiry: { readonly month: number; readonly year: number } | null
  /** Digest of the line items, hexadecimal. */
  readonly linesDigest: string
  /** '' if none was sent. */
  readonly orderReference: string
}

/**
 * The differences between the authenticated payment and the one to be made. A final call may leave
 * its order reference out; another reference is another order.
 */
export function findMismatch(
  authenticated: AuthenticatedPayment,
  payment: AuthenticatedPayment,
): 'amount' | 'currency' | 'card' | 'lines' | 'reference' | null {
  if (authenticated.currency !== payment.currency) return 'currency'
  if (authenticated.amountMinor !== payment.amountMinor) return 'amount'
  if (authenticated.fingerprint !== payment.fingerprint) return 'card'
  const [was, is] = [authenticated.expiry, payment.expiry]
  if (was?.month !== is?.month || was?.year !== is?.year) return 'card'
  if (authenticated.linesDigest !== payment.linesDigest) return 'lines'
  const { orderReference } = payment
  if (orderReference !== '' && orderReference !== authenticated.orderReference) return 'reference'
  return null
}

/** So many final calls about something else, and the authentication is spoilt. */
export const MISMATCHES_ALLOWED = 2
