import { findCurrency } from '@tollgate/kernel/currency'
import { formatMinor, parseAmount } from '@tollgate/kernel/money'

export type FieldReading =
  | { readonly minor: bigint; readonly fault: null }
  | { readonly minor: null; readonly fault: string }

/** Reads what was typed by the decimals of the currency, and by what there is. Minor units. */
export function readAmount(text: string, currencyCode: string, most: bigint | null): FieldReading {
  const currency = findCurrency(currencyCode)
  const fault = (sentence: string): FieldReading => ({ minor: null, fault: sentence })
  if (currency === null) return fault(`${currencyCode} is not a valid currency.`)
  if (text.trim() === '') return fault('Enter an amount.')
  const reading = parseAmount(text.trim(), currency)
  if (reading.kind === 'refused') {
    if (reading.reason === 'too_long') return fault('The amount is too large.')
    const decimals =
      currency.digits === 0 ? 'no decimals' : `at most ${currency.digits} decimals after a point`
    const example = formatMinor(123_400n, currency)
    return fault(
      `Enter an amount in ${currency.code} with digits and ${decimals}, such as ${example}.`,
    )
  }
  if (reading.minor === 0n) return fault('The amount must be above zero.')
  if (most !== null && reading.minor > most)
    return fault(`Enter at most ${formatMinor(most, currency)} ${currency.code}.`)
  return { minor: reading.minor, fault: null }
}

/** Decimal text of an amount, as it is typed. */
export function amountInput(minor: bigint | string, currencyCode: string): string {
  const currency = findCurrency(currencyCode)
  return currency === null ? String(minor) : formatMinor(BigInt(minor), currency)
}
