import { replaceCardNumbers } from '../../base/card-number-text.ts'
import { withPlainDigits } from '../../base/plain-digits.ts'

/**
 * A user name as it may be digested. Callers send anything as a name, card numbers too, of which
 * not even a digest is kept: there are few enough of them to try them all.
 */
export function nameWithoutCards(name: string): string {
  return replaceCardNumbers(withPlainDigits(name), 'digits', () => '#')
}
