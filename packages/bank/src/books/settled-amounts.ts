import { decimalsOf } from '../issuer/currencies.ts'
import type { RecordDraft } from './journal-record.ts'
import type { Movement } from './order.ts'

/** The id of a line: no other line of the bank ever has it. */
export function lineId(
  { currency, merchant }: { readonly merchant: string; readonly currency: string },
  seq: number,
  line: number | string,
): string {
  return `${merchant}-${currency}-${seq}-${line}`
}

/** Minor units of an order's currency in the settlement currency, rounded half up. */
export function inCurrencyOf(currency: string, { balance, order }: Movement, minor: bigint) {
  return converted(minor, order?.conversion ?? '', balance.currency, currency)
}

/** Minor units of one currency in another one by an order's conversion, rounded half up. */
export function converted(minor: bigint, conversion: string, from: string, to: string): bigint {
  const rate = rateOf(conversion)
  if (rate === null) return minor
  const scale = 10n ** BigInt(6 + decimalsOf(from))
  const scaled = minor * rate * 10n ** BigInt(decimalsOf(to))
  return (scaled + scale / 2n) / scale
}

/** The currency that a movement settles in, ISO 4217 numeric. */
export function settlementCurrency({ balance, order }: Movement): string {
  return settledIn(order?.conversion ?? '', balance.currency)
}

/** The settlement currency of a conversion; the order's own currency where there is none. */
export function settledIn(conversion: string, currency: string): string {
  const [other = ''] = conversion.split('/')
  return other || currency
}

/** The conversion that the answer of an authorization states in DE 50 and DE 9; '' for none. */
export function conversionOf({ answer = {} }: RecordDraft): string {
  const { 9: rate, 50: currency } = answer
  if (rate === undefined || currency === undefined) return ''
  // The first digit of DE 9 is the number of decimals, of which this bank uses six.
  return `${currency}/${rate.slice(1)}`
}

/** The millionths in a conversion; null for none. */
export function rateOf(conversion: string): bigint | null {
  return conversion === '' ? null : BigInt(conversion.slice(4))
}
