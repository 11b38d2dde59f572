import { holdsCardNumber } from '../../../base/card-number-text.ts'

/** The fault of a portal user's name, a sentence; null for none. */
export function nameFault(name: string): string | null {
  if (name.trim() === '' || name.length > 100) return 'A name must have 1 to 100 characters.'
  if (/\p{C}/u.test(name)) return 'A name cannot contain line breaks or invisible characters.'
  return holdsCardNumber(name, 'digits')
    ? 'A name cannot contain 12 digits in a row, because they could be a card number.'
    : null
}
