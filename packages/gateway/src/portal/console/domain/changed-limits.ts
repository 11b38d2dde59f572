import type { FeePlan } from '../../../domain/fees/fee-plan.ts'
import { planText } from '../../../domain/fees/plan-text.ts'
import type { AmountLimit, CountryRule } from '../../../domain/merchants/account-limits.ts'

/** Whether a change gives an account a higher limit, or takes one away. */
export function raisesLimit(before: AmountLimit | undefined, after: AmountLimit): boolean {
  const raises = (old: bigint | null, next: bigint | null): boolean =>
    old !== null && (next === null || next > old)
  return (
    raises(before?.paymentMinor ?? null, after.paymentMinor) ||
    raises(before?.dayMinor ?? null, after.dayMinor)
  )
}

/** Whether a change lets in a country that was refused before. */
export function opensCountries(before: CountryRule | null, after: CountryRule | null): boolean {
  if (before === null) return false
  if (after === null) return true
  if (after.rule === 'allow') return after.codes.some((code) => !takesCountry(before, code))
  // A rule that refuses lets in all others, so only a rule of the same kind may be the tighter one.
  return before.rule === 'allow' || before.codes.some((code) => takesCountry(after, code))
}

function takesCountry({ rule, codes }: CountryRule, code: string): boolean {
  return codes.includes(code) === (rule === 'allow')
}

/** The countries on which a request rests, as text. */
export function countriesText(countries: CountryRule | null): string {
  if (countries === null) return 'every country'
  const codes = countries.codes.join(', ')
  return countries.rule === 'allow' ? `only ${codes}` : `all but ${codes}`
}

/** The limits on which a request rests, as text. */
export function seenLimits(limit: AmountLimit | undefined): string {
  return `payment ${limit?.paymentMinor ?? 'none'}, day ${limit?.dayMinor ?? 'none'}`
}

/** The setting of unreferenced credits on which a request rests, as text. */
export function unreferencedCreditsText(allowed: boolean): string {
  return allowed ? 'takes unreferenced credits' : 'refuses unreferenced credits'
}

/** The plans of fees on which a request rests, as text. */
export function seenPlans(plans: readonly FeePlan[]): string {
  return plans.length === 0 ? 'no plan' : plans.map(planText).join('\n')
}
