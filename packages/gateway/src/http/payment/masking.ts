import { maskCardNumber, maskText } from '../../base/card-masking.ts'
import { describeParameter } from './parameter-names.ts'
import { PARAMETERS, type Parameter } from './parameters.ts'

const REMOVED = '[removed]'
/** Longer texts, receipts for instance, are cut in the log; the order keeps them whole. */
const LOGGED = 255
/** Digits at the end of what was read, which may go on behind it. */
const CUT_NUMBER = /(?:\p{Nd}[^\p{L}\p{N}]{0,3})+$/u

/**
 * The parameters of a request as a JSON object text for the request log. Secrets are removed. Card
 * numbers and values that look like one are cut down: people paste card numbers into every field.
 * An unauthenticated user name is removed as well: it may be a password in the wrong field.
 * `warnings` are sentences of the gateway's own.
 */
export function maskParameters(
  params: ReadonlyMap<string, string>,
  unknown: readonly string[],
  isProved: boolean,
  warnings: readonly string[],
): string {
  const shown: Record<string, string | string[]> = {}
  for (const [name, value] of params) {
    const parameter = describeParameter(name)
    // Only a name that is none of the table can hold anything.
    shown[parameter === null ? maskText(name) : name] = maskValue(parameter, value)
  }
  if (!isProved && params.has('REQ_USERNAME')) shown['REQ_USERNAME'] = REMOVED
  if (unknown.length > 0) shown['UNKNOWN_PARAMETERS'] = unknown.map(maskText)
  if (warnings.length > 0) shown['WARNINGS'] = [...warnings]
  return JSON.stringify(shown)
}

function maskValue(parameter: Parameter | null, value: string): string {
  const secrecy = parameter?.secrecy ?? 'open'
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
 * A value that is shown. If pairs were separated by something other than `&`, such as line ends,
 * one value holds all that follow it, codes and passwords too. Nothing of such a value is shown.
 */
export function maskValueText(value: string): string {
  const read = value.slice(0, 2 * LOGGED)
  if (/[=:]/.test(read) && NAMED_SECRET.test(read)) return REMOVED
  // Cut after masking, so that no number is cut in two and slips through as something short.
  const whole = read.length < value.length ? read.replace(CUT_NUMBER, '') : read
  return maskText(whole).slice(0, LOGGED)
}
