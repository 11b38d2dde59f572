import { findCurrency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import type { FeePlan } from './fee-plan.ts'

/** Millionths of an amount as a percentage: `1.4` for 14,000. */
export function percentText(millionths: bigint): string {
  return (Number(millionths) / 10_000).toString()
}

/** Minor units as an operator states them: `0.25` for 25 of USD. */
export function decimalText(minor: bigint, code: string): string {
  const currency = findCurrency(code)
  return currency === null ? minor.toString() : formatMinor(minor, currency)
}

/** The prices of a plan for a reader: a line for each rate, and one for the months. */
export function planLines({ rates, monthlyMinor }: FeePlan): readonly string[] {
  const monthly = amountTexts(monthlyMinor)
  return [
    ...rates.map(({ kind, brand, millionths, fixedMinor }) => {
      const name = brand === null ? kind : `${kind} of ${brand}`
      return `${name}: ${[`${percentText(millionths)} %`, ...amountTexts(fixedMinor)].join(', ')}`
    }),
    ...(monthly.length === 0 ? [] : [`each month: ${monthly.join(', ')}`]),
  ]
}

/** A plan in one line, with its day. Plans with the same text have the same prices. */
export function planText(plan: FeePlan): string {
  const lines = planLines(plan)
  return `from ${plan.startsOn}: ${lines.length === 0 ? 'free of charge' : lines.join('; ')}`
}

function amountTexts(amounts: ReadonlyMap<string, bigint>): string[] {
  return [...amounts].map(([code, minor]) => `${decimalText(minor, code)} ${code}`)
}
