import { isDeepStrictEqual } from 'node:util'
import { refused, type Result } from '../../base/refusal.ts'
import { unpricedCurrencies, type PlansInForce } from '../fees/plan-change.ts'

/** The business of an account, as banks and card networks see it, and the currencies it takes. */
export interface AccountDetails {
  /** Four digits of ISO 18245 (DE 18). */
  readonly categoryCode: string
  /** At most 25 characters (DE 43). */
  readonly name: string
  /** At most 13 characters (DE 43). */
  readonly city: string
  /** Two letters of ISO 3166 (DE 43). */
  readonly country: string
  /** Codes of ISO 4217, at least one. */
  readonly currencies: readonly string[]
}

type Place = Pick<AccountDetails, 'name' | 'city' | 'country'>

const NAME_LENGTH = 25
const CITY_LENGTH = 13

/** DE 43: name, city and country, each padded to its length. */
export function nameAndLocationOf({ name, city, country }: Place): string {
  return name.padEnd(NAME_LENGTH) + city.padEnd(CITY_LENGTH) + country
}

/** The parts of DE 43. */
export function placeOf(nameAndLocation: string): Place {
  const cityEnd = NAME_LENGTH + CITY_LENGTH
  return {
    name: nameAndLocation.slice(0, NAME_LENGTH).trim(),
    city: nameAndLocation.slice(NAME_LENGTH, cityEnd).trim(),
    country: nameAndLocation.slice(cityEnd).trim(),
  }
}

/** The facts that depend on the currencies of an account. */
export interface CurrencyFacts extends PlansInForce {
  /** Default currencies of its sites that no other account of the same site and mode takes. */
  readonly defaultCurrencies: readonly string[]
}

/** Refuses details that the account has already, and currencies that break a site or a fee. */
export function decideDetails(
  id: bigint,
  before: AccountDetails,
  wanted: AccountDetails,
  facts: CurrencyFacts,
): Result {
  if (isDeepStrictEqual(before, wanted)) {
    return refused('conflict', `Account ${id} has these details already.`)
  }
  const added = wanted.currencies.filter((code) => !before.currencies.includes(code))
  const faults = [
    ...strandedDefaults(facts, before.currencies, wanted.currencies),
    ...unpricedCurrencies(facts, added),
  ]
  return faults.length === 0
    ? { ok: true }
    : refused('conflict', faults.join(' '), { field: 'currencies' })
}

/** A sentence for each default currency of a site that the account, its only one, would lose. */
export function strandedDefaults(
  { defaultCurrencies }: Pick<CurrencyFacts, 'defaultCurrencies'>,
  before: readonly string[],
  wanted: readonly string[],
): readonly string[] {
  return defaultCurrencies
    .filter((code) => before.includes(code) && !wanted.includes(code))
    .map((code) => `${code} is the default currency of a site that has no other account for it.`)
}

/** Details as text, for requests and the audit log. */
export function detailsText(details: AccountDetails): string {
  const { categoryCode, city, country, currencies, name } = details
  return `${name}, ${city}, ${country}; category ${categoryCode}; ${currencies.join(', ')}`
}
