import { LONGEST_CARD_NUMBER, replaceCardNumbers } from './card-number-text.ts'
import { withoutPastedSecrets } from './pasted-secrets.ts'

/**
 * Keeps the first six and last four digits of a number whose middle stays long enough to be
 * secret. A shorter number keeps its last four; anything that is no card number keeps nothing.
 */
export function maskCardNumber(value: string): string {
  const digits = value.replace(/[ -]/g, '')
  if (!/^[0-9]{12,19}$/.test(digits)) return '*'.repeat(Math.min(value.length, LONGEST_CARD_NUMBER))
  const last4 = digits.slice(-4)
  if (digits.length < 15) return '*'.repeat(digits.length - 4) + last4
  return digits.slice(0, 6) + '*'.repeat(digits.length - 10) + last4
}

/**
 * A text as it may be logged. Possible card numbers are cut down. Security codes behind their name
 * and the contents of magnetic stripes are removed.
 */
export function maskText(sent: string): string {
  return maskNumbers(withoutPastedSecrets(sent))
}

/** A text with everything in it that may be a card number cut down. */
export function maskNumbers(text: string): string {
  return replaceCardNumbers(text, 'inside', (digits) =>
    digits.length <= LONGEST_CARD_NUMBER
      ? maskCardNumber(digits)
      : '*'.repeat(digits.length - 4) + digits.slice(-4),
  )
}

/** Whether a text holds what may be a card number, or a security code behind its name. */
export function holdsCardSecret(text: string): boolean {
  return maskText(text) !== text
}

/**
 * An error's text for the operators' log. Messages of the database can quote the values that it
 * choked on, so no number longer than two digits is left in it.
 */
export function maskFaultText(message: string): string {
  return message.replace(/[0-9](?:[^\p{L}\p{N}]{0,2}[0-9]){2,}/gu, '###').slice(0, 500)
}
