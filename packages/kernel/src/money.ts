import type { Currency } from './currency.ts'

export type AmountReading =
  | { readonly kind: 'amount'; readonly minor: bigint }
  | { readonly kind: 'refused'; readonly reason: 'not_numeric' | 'too_long' }

/** The amount field of a bank message (ISO 8583 DE 4) has twelve digits of minor units. */
const MAX_MINOR_DIGITS = 12

/**
 * Whether amounts that were added up, in minor units, still fit that field together.
 *
 * @param minor Not negative.
 */
export function fitsAmountField(minor: bigint): boolean {
  return minor < AMOUNT_LIMIT
}

const AMOUNT_LIMIT = 10n ** BigInt(MAX_MINOR_DIGITS)

/** Digits with at most one point, and at least one digit: 15, 1.25, .53 and 5. are amounts. */
const AMOUNT = /^(?=\.?\d)(\d*)(?:\.(\d*))?$/

const NOT_NUMERIC: AmountReading = Object.freeze({ kind: 'refused', reason: 'not_numeric' })
const TOO_LONG: AmountReading = Object.freeze({ kind: 'refused', reason: 'too_long' })

/**
 * Reads a decimal amount. No sign, no blanks, no separators, and no more decimals than the currency
 * has, not even zeros: rounding is never guessed. Leading zeros don't count towards the length.
 */
export function parseAmount(text: string, currency: Currency): AmountReading {
  const match = AMOUNT.exec(text)
  if (match === null) return NOT_NUMERIC
  const whole = match[1] ?? ''
  const fraction = match[2] ?? ''
  if (fraction.length > currency.digits) return NOT_NUMERIC

  const digits = whole + fraction.padEnd(currency.digits, '0')
  // Cut before the conversion, which takes ever longer for ever longer texts.
  const significant = digits.length > MAX_MINOR_DIGITS ? digits.replace(/^0+/, '') : digits
  if (significant.length > MAX_MINOR_DIGITS) return TOO_LONG
  return { kind: 'amount', minor: BigInt(significant) }
}

/** Decimal text with all decimals of the currency: '12.50', '-0.05', in JPY '1000'. */
export function formatMinor(minor: bigint, currency: Currency): string {
  const { digits } = currency
  if (digits === 0) return minor.toString()
  const sign = minor < 0n ? '-' : ''
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0')
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`
}

/** The shortest exact decimal text, which is also a JSON number: '12.5', '7', '0.01'. */
export function formatShortest(minor: bigint, currency: Currency): string {
  const text = formatMinor(minor, currency)
  if (currency.digits === 0) return text
  let end = text.length
  while (text.charCodeAt(end - 1) === ZERO) end -= 1
  if (text.charCodeAt(end - 1) === POINT) end -= 1
  return text.slice(0, end)
}

const ZERO = '0'.charCodeAt(0)
const POINT = '.'.charCodeAt(0)
