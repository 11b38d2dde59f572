import { withPlainDigits } from '../../base/plain-digits.ts'
import { isLuhnValid } from '../../domain/payments/card.ts'
import { describeParameter } from './parameter-names.ts'
import { PARAMETERS } from './parameters.ts'
import { withoutPastedSecrets } from './pasted-secrets.ts'

const REMOVED = '[removed]'
/** Longer texts, receipts for instance, are cut in the log; the order keeps them whole. */
const LOGGED = 255

/**
 * The parameters of a request as a JSON object text for the request log. Card numbers are cut down,
 * secrets are gone, and whatever else looks like a card number is cut down too: people paste card
 * numbers into every field there is. The user name of somebody who did not prove to have it is gone
 * as well: it may be a password in the wrong field. `warnings` are sentences of the gateway's own.
 */
export function maskParameters(
  params: ReadonlyMap<string, string>,
  unknown: readonly string[],
  isProved = true,
  warnings: readonly string[] = [],
): string {
  const shown: Record<string, string | string[]> = {}
  for (const [name, value] of params) shown[maskText(name)] = maskValue(name, value)
  if (!isProved && params.has('REQ_USERNAME')) shown['REQ_USERNAME'] = REMOVED
  if (unknown.length > 0) shown['UNKNOWN_PARAMETERS'] = unknown.map(maskText)
  if (warnings.length > 0) shown['WARNINGS'] = [...warnings]
  return JSON.stringify(shown)
}

function maskValue(name: string, value: string): string {
  const secrecy = describeParameter(name)?.secrecy ?? 'open'
  if (secrecy === 'removed') return REMOVED
  if (secrecy === 'card_number') return maskCardNumber(value)
  return maskValueText(value)
}

/**
 * Names of parameters whose values are not shown, with what stands between a name and its value.
 */
const NAMED_SECRET = new RegExp(
  `(?:${[
    ...PARAMETERS.filter(({ secrecy }) => secrecy !== 'open').flatMap(({ name, aliases }) => [
      name,
      ...aliases,
    ]),
    'CARD_PAN',
    'CARD_CVV',
    'PASSWORD',
    'CV[VC]2?',
  ].join('|')})["'\\s]*[=:]`,
  'i',
)

/**
 * A value that is shown. Where pairs were separated by something else than `&`, by line ends for
 * instance, one value holds all that follow it, codes and passwords too: then nothing is shown of
 * it.
 */
export function maskValueText(value: string): string {
  const read = value.slice(0, 2 * LOGGED)
  if (/[=:]/.test(read) && NAMED_SECRET.test(read)) return REMOVED
  // Cut after masking, so that no number is cut in two and slips through as something short.
  const whole = read.length < value.length ? read.replace(CUT_NUMBER, '') : read
  return maskText(whole).slice(0, LOGGED)
}

/**
 * First six and last four of a number that is long enough to keep its middle a secret, the last
 * four of a shorter one, and nothing of what is no card number at all.
 */
export function maskCardNumber(value: string): string {
  const digits = value.replace(/[ -]/g, '')
  if (!/^[0-9]{12,19}$/.test(digits)) return '*'.repeat(Math.min(value.length, 19))
  const last4 = digits.slice(-4)
  if (digits.length < 15) return '*'.repeat(digits.length - 4) + last4
  return digits.slice(0, 6) + '*'.repeat(digits.length - 10) + last4
}

/** Twelve digits or more, with at most three other signs, but no letter, between any two. */
const DIGIT_RUN = /[0-9](?:[^\p{L}\p{N}]{0,3}[0-9]){11,}/gu
/** Digits at the end of what was read, which may go on behind it. */
const CUT_NUMBER = /(?:\p{Nd}[^\p{L}\p{N}]{0,3})+$/u
// oxlint-disable-next-line no-control-regex -- ASCII is exactly this range
const ASCII = /^[\u0000-\u007f]*$/

/** A text with everything in it that may be a card number cut down. */
export function maskText(sent: string): string {
  const text = withoutPastedSecrets(sent)
  if (text.length < 12) return text
  // Full-width and Arabic digits are digits to whoever reads the log.
  const readable = ASCII.test(text) ? text : withPlainDigits(text)
  const masked = readable.replace(DIGIT_RUN, maskRun)
  return masked === readable ? text : masked
}

function maskRun(run: string): string {
  const digits = run.replace(/[^0-9]/g, '')
  if (!mayHoldCardNumber(digits)) return run
  if (digits.length <= 19) return maskCardNumber(digits)
  return '*'.repeat(digits.length - 4) + digits.slice(-4)
}

/**
 * Whether the whole run is a number with a right check digit, or a part of it is one that starts as
 * card numbers do. A run that is wrongly taken for one costs a reader of the log a few digits.
 */
function mayHoldCardNumber(digits: string): boolean {
  if (digits.length <= 19 && isLuhnValid(digits)) return true
  for (let start = 0; start + 13 <= digits.length; start += 1) {
    const first = digits[start] ?? ''
    if (first < '2' || first > '6') continue
    for (let length = 13; length <= 19 && start + length <= digits.length; length += 1) {
      if (isLuhnValid(digits.slice(start, start + length))) return true
    }
  }
  return false
}

/**
 * An error's text for the operators' log. Messages of the database can quote the values that it
 * choked on, so no number longer than two digits is left in it.
 */
export function maskFaultText(message: string): string {
  return message.replace(/[0-9](?:[^\p{L}\p{N}]{0,2}[0-9]){2,}/gu, '###').slice(0, 500)
}
