import { isDeepStrictEqual } from 'node:util'
import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import type { AccountLimits, AmountLimit, CountryRule } from './account-limits.ts'
import { namedById } from './site-settings.ts'

/** The account whose limits are changed. */
export interface LimitedAccount {
  readonly id: bigint
  readonly currencies: readonly string[]
  readonly limits: AccountLimits
}

/** There is no such account. */
export function noSuchAccount(id: bigint): Refusal {
  const sentence = `${namedById('Account', id)} does not exist; "tollgate accounts" lists them.`
  return refused('missing', sentence)
}

/** Sets the named amounts of a currency and leaves the others; null takes a limit away. */
export function decideAmounts(
  { id, currencies, limits }: LimitedAccount,
  currency: string,
  change: Partial<AmountLimit>,
): Result<{ readonly limits: AccountLimits }> {
  if (!currencies.includes(currency)) {
    const taken = currencies.join(', ')
    return refused('invalid', `Account ${id} does not take ${currency}. It takes ${taken}.`)
  }
  const before = limits.amounts.get(currency) ?? { paymentMinor: null, dayMinor: null }
  const after = { ...before, ...change }
  const { paymentMinor, dayMinor } = after
  if (paymentMinor === 0n || dayMinor === 0n) {
    return refused('invalid', 'A limit is an amount above zero. To stop all, disable the merchant.')
  }
  if (paymentMinor !== null && dayMinor !== null && paymentMinor > dayMinor) {
    return refused('invalid', 'The limit for one payment is above the limit for a day.')
  }
  const amounts = new Map(limits.amounts)
  if (paymentMinor === null && dayMinor === null) amounts.delete(currency)
  else amounts.set(currency, after)
  return changed(id, limits, { ...limits, amounts })
}

/** Sets the countries that an account takes or refuses; null takes every country. */
export function decideCountries(
  { id, limits }: LimitedAccount,
  countries: CountryRule | null,
): Result<{ readonly limits: AccountLimits }> {
  const wrong = countries?.codes.find((code) => !/^[A-Z]{2}$/.test(code))
  if (wrong !== undefined) {
    return refused('invalid', `${wrong} is no country; expected two capital letters such as DE.`)
  }
  const sorted =
    countries === null ? null : { ...countries, codes: [...new Set(countries.codes)].toSorted() }
  return changed(id, limits, { ...limits, countries: sorted })
}

function changed(
  id: bigint,
  before: AccountLimits,
  limits: AccountLimits,
): Result<{ readonly limits: AccountLimits }> {
  return isDeepStrictEqual(before, limits)
    ? refused('conflict', `Account ${id} has these limits already.`)
    : { ok: true, limits }
}
