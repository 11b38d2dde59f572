/**
 * How a site uses the result of an address (AVS) or security code (CVV) check.
 * T: approve only a result of the accepted set. F: no check at all. I: check, report, ignore.
 * C: like T, but the result is ignored when the other of the two checks matches.
 */
export type CheckMode = 'T' | 'F' | 'C' | 'I'

/** Reads a check mode, in either case. Null for anything else: the site's default stays. */
export function readCheckMode(text: string): CheckMode | null {
  switch (text) {
    case 'T':
    case 't':
      return 'T'
    case 'F':
    case 'f':
      return 'F'
    case 'C':
    case 'c':
      return 'C'
    case 'I':
    case 'i':
      return 'I'
    default:
      return null
  }
}

/** AVS results: the match of street, postal code and, for American Express, the name. */
export const AVS_CODES: Readonly<Record<string, string>> = {
  A: 'Street matches, postal code does not',
  B: 'Street matches, postal code was not checked',
  C: 'Neither street nor postal code matches (international)',
  D: 'Street and postal code match (international)',
  E: 'The address was unusable, or the card does not support AVS',
  F: 'Postal code matches, name does not',
  G: 'The foreign issuer does not support AVS',
  H: 'Street and postal code match, name does not',
  I: 'Address not verified (international)',
  J: 'Name, street and postal code match',
  K: 'Name matches, street and postal code do not',
  L: 'Name and postal code match, street does not',
  M: 'Street and postal code match',
  N: 'Neither street nor postal code matches',
  O: 'Name and street match, postal code does not',
  P: 'Postal code matches, street was not checked',
  Q: 'Name, street and postal code match',
  R: 'The AVS system is unavailable',
  S: 'The issuer does not support AVS',
  T: 'Street matches, name does not',
  U: 'No address information available',
  V: 'Name, street and postal code match',
  W: 'Nine-digit postal code matches, street does not',
  X: 'Street and nine-digit postal code match',
  Y: 'Street and five-digit postal code match',
  Z: 'Five-digit postal code matches, street does not',
}

/** The meaning of each CVV result. */
export const CVV_CODES: Readonly<Record<string, string>> = {
  M: 'The security code matches',
  N: 'The security code does not match',
  P: 'The security code was not checked',
  S: 'The card should have a security code, but the merchant reported none',
  U: 'The issuer does not support the check',
  X: 'The network returned no result',
}

export interface VerificationRequest {
  readonly avsMode: CheckMode
  readonly cvvMode: CheckMode
  /** Accepted results in a row, in either case. */
  readonly avsSet: string
  readonly cvvSet: string
  /** The bank's canonical result, '' when it gave none. */
  readonly avsCode: string
  readonly cvvCode: string
}

/**
 * Whether an approval may stand. The address is judged first, so that the answer to a payment that
 * fails both checks names the address.
 *
 * A missing result is in no set: a site that approves only on a match did not get its match.
 * T therefore refuses it, and so does C unless the other check matches. A result that came although
 * the check was switched off (F) does not count as a match either.
 */
export function decideVerification(
  request: VerificationRequest,
): 'passed' | 'avs_failed' | 'cvv_failed' {
  const { avsMode, cvvMode } = request
  if (!isEnforced(avsMode) && !isEnforced(cvvMode)) return 'passed'

  const avsMatches = avsMode !== 'F' && isInSet(request.avsCode, request.avsSet)
  const cvvMatches = cvvMode !== 'F' && isInSet(request.cvvCode, request.cvvSet)
  if (isEnforced(avsMode) && !avsMatches && !(avsMode === 'C' && cvvMatches)) return 'avs_failed'
  if (isEnforced(cvvMode) && !cvvMatches && !(cvvMode === 'C' && avsMatches)) return 'cvv_failed'
  return 'passed'
}

function isEnforced(mode: CheckMode): boolean {
  return mode === 'T' || mode === 'C'
}

function isInSet(code: string, set: string): boolean {
  return code.length === 1 && (set.includes(code) || set.toUpperCase().includes(code))
}
