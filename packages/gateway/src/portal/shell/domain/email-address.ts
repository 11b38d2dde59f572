import { holdsCardNumber } from '../../../base/card-number-text.ts'

/** The fault of an e-mail address, a sentence; null for none. It is in lower case. */
export function emailFault(email: string): string | null {
  if (!/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9.-]{3,169}$/.test(email)) {
    return 'This is not a valid e-mail address. Enter one such as anna@shop.example.'
  }
  return holdsCardNumber(email, 'digits')
    ? 'An e-mail address cannot have 12 digits in a row, because they could be a card number.'
    : null
}
