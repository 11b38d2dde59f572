/** Limits of a merchant account in one currency, in minor units; null for no limit. */
export interface AmountLimit {
  /** The most of one payment. */
  readonly paymentMinor: bigint | null
  /** The most of all payments of one day, in the merchant's time zone. */
  readonly dayMinor: bigint | null
}

/** Billing countries as ISO 3166-1 alpha-2: the only ones that are taken, or those that are not. */
export interface CountryRule {
  readonly rule: 'allow' | 'refuse'
  /** At least one, sorted. */
  readonly codes: readonly string[]
}

/** An operator's limits for a merchant account. */
export interface AccountLimits {
  /** By currency; one that is not there has no limit. */
  readonly amounts: ReadonlyMap<string, AmountLimit>
  /** Null takes every country. */
  readonly countries: CountryRule | null
}

export const NO_LIMITS: AccountLimits = { amounts: new Map(), countries: null }

/** SERVICE codes of payments that a limit declines. */
export const LIMIT_SERVICE = {
  countryMissing: 201,
  day: 215,
  payment: 540,
  country: 601,
} as const

/** The facts of a payment that the limits are about. */
export interface LimitedPayment {
  readonly currency: string
  readonly amountMinor: bigint
  /** The billing country in capital letters; '' if none was sent. */
  readonly country: string
  /** Whether a missing country declines: not for saved cards, whose first payment had one. */
  readonly asksForCountry: boolean
}

/** The SERVICE code with which the limits decline a payment by itself; null lets it go on. */
export function declinedByLimits(
  { amounts, countries }: AccountLimits,
  { currency, amountMinor, country, asksForCountry }: LimitedPayment,
): number | null {
  const most = amounts.get(currency)?.paymentMinor ?? null
  if (most !== null && amountMinor > most) return LIMIT_SERVICE.payment
  if (countries === null) return null
  if (country === '') return asksForCountry ? LIMIT_SERVICE.countryMissing : null
  const isNamed = countries.codes.includes(country)
  return isNamed === (countries.rule === 'allow') ? null : LIMIT_SERVICE.country
}

/** The most that the account takes on one day in the currency; null for no limit. */
export function limitOfDay({ amounts }: AccountLimits, currency: string): bigint | null {
  return amounts.get(currency)?.dayMinor ?? null
}
