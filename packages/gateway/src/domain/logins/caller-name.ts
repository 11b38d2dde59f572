import { replaceCardNumbers } from '../../base/card-number-text.ts'
import { withPlainDigits } from '../../base/plain-digits.ts'

/**
 * A user name as it may be digested. Callers send anything as a name, including card numbers. Not
 * even a digest of a card number is kept, since an attacker can try them all.
 */
export function nameWithoutCards(name: string): string {
  return replaceCardNumbers(withPlainDigits(name), 'digits', () => '#')
}
