import { invariant } from '../../../base/invariant.ts'
import { findCurrency, type Currency } from '../../../domain/currency.ts'

/** The currency of a stored code, which was known when the row was written. */
export function storedCurrency(code: string): Currency {
  const currency = findCurrency(code)
  invariant(currency !== null, 'a stored row has an unknown currency')
  return currency
}
