/** The address of an account's holder. Postal codes are upper case, without spaces and dashes. */
export interface HomeAddress {
  /** The number at the start of the street. */
  readonly streetNumber: string
  /** For display; only the number is compared. */
  readonly street: string
  /** US: five digits, or nine where the issuer knows ZIP+4. */
  readonly postalCode: string
  readonly scheme: 'us' | 'international'
}

/** The content of DE 123. Empty where the customer gave none. */
export interface SentAddress {
  readonly postalCode: string
  readonly streetNumber: string
}

/** Results that the postal code alone decides, on test cards. */
export const SPECIAL_POSTAL_CODES: ReadonlyMap<string, string> = new Map([
  ['00001', 'R'],
  ['00002', 'U'],
  ['00003', 'S'],
  ['00004', 'G'],
  ['00005', 'E'],
])

/** Results that the security code alone decides, on test cards; Amex codes have a 9 in front. */
export const SPECIAL_SECURITY_CODES: ReadonlyMap<string, string> = new Map([
  ['901', 'P'],
  ['902', 'U'],
  ['903', 'S'],
  ['904', 'X'],
  ['9901', 'P'],
  ['9902', 'U'],
  ['9903', 'S'],
  ['9904', 'X'],
])

/** DE 44 for an absent result. */
export const NO_RESULT = '0' as const

/** Reads DE 123: nine characters of postal code filled with `-`, then up to 20 of street. */
export function readAddress(verification: string): SentAddress {
  const postalCode = verification.slice(0, 9).replace(/[- ]/g, '').toUpperCase()
  const street = verification.slice(9).trim()
  return { postalCode, streetNumber: /^\d+/.exec(street)?.[0] ?? '' }
}

/** The AVS result for a given address against the one that the issuer has. */
export function compareAddress(sent: SentAddress, home: HomeAddress): string {
  const special = SPECIAL_POSTAL_CODES.get(sent.postalCode)
  if (special !== undefined) return special
  return home.scheme === 'us' ? compareInUs(sent, home) : compareAbroad(sent, home)
}

function compareInUs(sent: SentAddress, home: HomeAddress): string {
  if (sent.postalCode === '' && sent.streetNumber === '') return 'U'
  const street = sent.streetNumber === home.streetNumber
  if (sent.postalCode.length === 9 && sent.postalCode === home.postalCode) {
    return street ? 'X' : 'W'
  }
  const postal = sent.postalCode.length >= 5 && sameFirstFive(sent.postalCode, home.postalCode)
  if (postal) return street ? 'Y' : 'Z'
  return street ? 'A' : 'N'
}

function sameFirstFive(sent: string, home: string): boolean {
  return sent.slice(0, 5) === home.slice(0, 5)
}

function compareAbroad(sent: SentAddress, home: HomeAddress): string {
  if (sent.postalCode === '' && sent.streetNumber === '') return 'I'
  const street = sent.streetNumber === home.streetNumber
  const postal = sent.postalCode === home.postalCode
  // D and M mean the same; British issuers here return D, so that both can be had.
  if (street && postal) return /^[A-Z]/.test(home.postalCode) ? 'D' : 'M'
  if (street) return 'B'
  return postal ? 'P' : 'C'
}

/**
 * The CVV result. `presence` is tag CP: no result where the code was withheld on purpose.
 * `expected` null means that any code matches.
 */
export function compareSecurityCode(
  presence: string | undefined,
  code: string | undefined,
  expected: string | null,
): string {
  if (presence === undefined || presence === '0') return NO_RESULT
  if (presence === '9') return 'S'
  if (presence !== '1' || code === undefined) return 'P'
  if (expected === null) return 'M'
  return SPECIAL_SECURITY_CODES.get(code) ?? (code === expected ? 'M' : 'N')
}
