import { holdsCardNumber } from '../../../base/card-number-text.ts'

/** What is wrong with the name of a person, a sentence; null for nothing. */
export function nameFault(name: string): string | null {
  if (name.trim() === '' || name.length > 100) return 'A name has 1 to 100 characters.'
  if (/\p{C}/u.test(name)) return 'A name has no line breaks and no signs that can not be seen.'
  return holdsCardNumber(name, 'digits')
    ? 'A name has no 12 digits in a row, which could be a card number.'
    : null
}
