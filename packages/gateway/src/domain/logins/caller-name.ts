import { withPlainDigits } from '../../base/plain-digits.ts'

/** Twelve digits or more, with at most three other signs, but no letter, between any two. */
const MAY_BE_A_CARD = /[0-9](?:[^\p{L}\p{N}]{0,3}[0-9]){11,}/gu

/**
 * A user name as it may be digested. Callers send anything as a name, card numbers too, of which
 * not even a digest is kept: there are few enough of them to try them all.
 */
export function nameWithoutCards(name: string): string {
  return withPlainDigits(name).replace(MAY_BE_A_CARD, '#')
}

/** Whether a text has so many digits in a row that it could hold a card number. */
export function mayHoldCard(text: string): boolean {
  return withPlainDigits(text).search(MAY_BE_A_CARD) !== -1
}
