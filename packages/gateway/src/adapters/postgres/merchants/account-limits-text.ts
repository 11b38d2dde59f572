import { findCurrency } from '../../../domain/currency.ts'
import {
  NO_LIMITS,
  type AccountLimits,
  type AmountLimit,
  type CountryRule,
} from '../../../domain/merchants/account-limits.ts'

/** The column `limits` of an account; amounts are digits of minor units. */
export interface StoredLimits {
  readonly amounts: Readonly<
    Record<string, { readonly payment: string | null; readonly day: string | null }>
  >
  readonly countries: CountryRule | null
}

/** The limits of a stored account; none for null. */
export function limitsOf(stored: StoredLimits | null): AccountLimits {
  if (stored === null) return NO_LIMITS
  const amounts = Object.entries(stored.amounts)
    .filter(([code]) => findCurrency(code) !== null)
    .map(([code, { payment, day }]): [string, AmountLimit] => [
      code,
      {
        paymentMinor: payment === null ? null : BigInt(payment),
        dayMinor: day === null ? null : BigInt(day),
      },
    ])
  return { amounts: new Map(amounts), countries: stored.countries }
}

/** Limits as they are stored, a JSON text. */
export function limitsText({ amounts, countries }: AccountLimits): string {
  const stored: StoredLimits = {
    amounts: Object.fromEntries(
      [...amounts].map(([code, { paymentMinor, dayMinor }]) => [
        code,
        { payment: paymentMinor?.toString() ?? null, day: dayMinor?.toString() ?? null },
      ]),
    ),
    countries,
  }
  return JSON.stringify(stored)
}
