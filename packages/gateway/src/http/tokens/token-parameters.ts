import { maskCardNumber, maskText } from '../../base/card-masking.ts'
import { readPan } from '../../domain/payments/card.ts'
import type { NameLookup } from '../payment/form.ts'
import { maskValueText } from '../payment/masking.ts'

/** One parameter of the token service. */
export interface TokenParameter {
  readonly name: string
  readonly required: boolean
  readonly sent: 'form' | 'header'
  /** In characters. */
  readonly min: number
  readonly max: number
  readonly kind: 'digits' | 'card_number' | 'letters_and_digits' | 'text'
  /**
   * How it appears in the request log: whole, a card number cut down, only if a time, or not at
   * all.
   */
  readonly secrecy: 'open' | 'card_number' | 'time' | 'removed'
  readonly meaning: string
}

/**
 * Required ones in the order in which a missing one is reported; docs/integrators/tokens.md lists
 * the same.
 */
export const TOKEN_PARAMETERS: readonly TokenParameter[] = [
  {
    name: 'SITE_ID',
    required: true,
    sent: 'form',
    min: 1,
    max: 18,
    kind: 'digits',
    secrecy: 'open',
    meaning: 'The site whose key signs the request. The token is valid for this site.',
  },
  {
    name: 'UNIQUE_ID',
    required: true,
    sent: 'form',
    min: 1,
    max: 32,
    kind: 'letters_and_digits',
    secrecy: 'open',
    meaning: 'An id that the client creates for this request only.',
  },
  {
    name: 'REQUEST_API_VERSION',
    required: true,
    sent: 'form',
    min: 1,
    max: 16,
    kind: 'text',
    secrecy: 'open',
    meaning: '4.14.',
  },
  {
    name: 'CARD_PAN',
    required: true,
    sent: 'form',
    min: 13,
    max: 19,
    kind: 'card_number',
    secrecy: 'card_number',
    meaning: 'The card number.',
  },
  {
    name: 'X-TIMESTAMP',
    required: true,
    sent: 'header',
    min: 14,
    max: 14,
    kind: 'digits',
    secrecy: 'time',
    meaning: 'The time in UTC as YYYYMMDDHHMMSS, at most 300 seconds off.',
  },
  {
    name: 'X-SIGNATURE',
    required: true,
    sent: 'header',
    min: 64,
    max: 64,
    kind: 'text',
    secrecy: 'removed',
    meaning: 'HMAC-SHA-256 of timestamp, unique id and site id as 64 hexadecimal digits.',
  },
  {
    name: 'CARD_CVV',
    required: false,
    sent: 'form',
    min: 3,
    max: 4,
    kind: 'digits',
    secrecy: 'removed',
    meaning: 'The card security code, kept for a payment within 14 minutes.',
  },
  {
    name: 'REQUEST_RESPONSE_FORMAT',
    required: false,
    sent: 'form',
    min: 1,
    max: 16,
    kind: 'text',
    secrecy: 'open',
    meaning: 'JSON (default) or XML.',
  },
]

const BY_NAME = new Map(TOKEN_PARAMETERS.map((parameter) => [parameter.name, parameter]))

/** Names in any case of letters. */
export const lookUpTokenName: NameLookup = (sent) => {
  const upper = sent.toUpperCase()
  return BY_NAME.has(upper) ? upper : null
}

export interface TokenFault {
  readonly name: 'parameter_missing' | 'not_numeric' | 'length_invalid' | 'value_invalid'
  readonly field: string
}

export function findMissing(params: ReadonlyMap<string, string>): TokenFault | null {
  const absent = TOKEN_PARAMETERS.find(({ name, required }) => required && !params.has(name))
  return absent === undefined ? null : { name: 'parameter_missing', field: absent.name }
}

/** The first value, in the order of the table, whose form is wrong. */
export function findFault(params: ReadonlyMap<string, string>): TokenFault | null {
  for (const parameter of TOKEN_PARAMETERS) {
    const value = params.get(parameter.name)
    const name = value === undefined ? null : faultOf(parameter, value)
    if (name !== null) return { name, field: parameter.name }
  }
  return null
}

function faultOf({ kind, min, max }: TokenParameter, value: string): TokenFault['name'] | null {
  if (kind === 'card_number') {
    const reading = readPan(value)
    if (reading.kind === 'refused') {
      return reading.reason === 'not_numeric' ? 'not_numeric' : 'length_invalid'
    }
    return reading.digits.length < min ? 'length_invalid' : null
  }
  if (kind === 'digits' && !/^[0-9]+$/.test(value)) return 'not_numeric'
  if (value.length < min || value.length > max) return 'length_invalid'
  return kind === 'letters_and_digits' && !/^[0-9A-Za-z]+$/.test(value) ? 'value_invalid' : null
}

/** A time of this century, as which no card number begins. */
const TIME = /^20[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{6}$/

/** The parameters as a JSON object text for the request log. */
export function maskTokenParameters(
  params: ReadonlyMap<string, string>,
  unknown: readonly string[],
): string {
  const shown: Record<string, string | string[]> = {}
  for (const [name, value] of params) {
    const secrecy = BY_NAME.get(name)?.secrecy ?? 'removed'
    if (secrecy === 'removed') shown[name] = '[removed]'
    else if (secrecy === 'card_number') shown[name] = maskCardNumber(value)
    else if (secrecy === 'time')
      shown[name] = TIME.test(value) ? value : '*'.repeat(Math.min(value.length, 19))
    else shown[name] = maskValueText(value)
  }
  if (unknown.length > 0) shown['UNKNOWN_PARAMETERS'] = unknown.map(maskText)
  return JSON.stringify(shown)
}
