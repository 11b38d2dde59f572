import { isLuhnValid } from './check-digit.ts'
import { withPlainDigits } from './plain-digits.ts'

const CODE_LENGTH = /\p{Nd}{3}/u
/**
 * A security code by its name, as people write it into a remark: `CVV 123`, `security code: 1234`.
 */
const NAMED_CODE =
  /\b((?:cv[vn]2?|c[vs]c2?|(?:security|card)[ _-]?code)(?![\p{L}\p{N}])[^\p{L}\p{N}]{0,4}(?:is\s)?)(\p{Nd}{3,4})(?!\p{Nd})/giu
/**
 * A number as a magnetic stripe has it, with what follows: expiry, service code and the issuer's
 * data.
 */
const TRACK_1 = /(\p{Nd}{12,19})(\^[^^]{0,30}\^)(\p{Nd}{4}[^?]*)/gu
const TRACK_2 = /(\p{Nd}{12,19})([=D])(\p{Nd}{4,})/giu

/**
 * A text without security codes that stand behind their name, and without what a card's magnetic
 * stripe holds behind its number. Both may never be stored; the number itself stays as it is.
 */
export function withoutPastedSecrets(text: string): string {
  // Most texts have nothing that could be one.
  if (!CODE_LENGTH.test(text)) return text
  const withoutCodes = text.replace(
    NAMED_CODE,
    (_, name: string, code: string) => name + '*'.repeat(code.length),
  )
  return withoutCodes.replace(TRACK_1, withoutTail).replace(TRACK_2, withoutTail)
}

function withoutTail(track: string, number: string, separator: string, tail: string): string {
  if (!isLuhnValid(withPlainDigits(number))) return track
  return number + separator + '*'.repeat(tail.length)
}
