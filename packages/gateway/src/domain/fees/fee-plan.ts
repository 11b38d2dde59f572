import type { CardBrand } from '../payments/card.ts'

/** The kinds of transaction for which an operator charges a merchant; a capture is a sale here. */
export type FeeKind = 'sale' | 'refund'

/** The price of one kind of transaction, for cards of one brand or of all. */
export interface FeeRate {
  readonly kind: FeeKind
  /** Null: every brand that has no rate of its own. */
  readonly brand: CardBrand | null
  /** In millionths of the amount: 14,000 is 1.4 %. Below zero: the merchant receives it. */
  readonly millionths: bigint
  /** Minor units by currency; below zero, the merchant receives them. */
  readonly fixedMinor: ReadonlyMap<string, bigint>
}

/** The prices of a merchant from a day on, until the next plan starts. */
export interface FeePlan {
  /** A day of the merchant's time zone: `2026-12-01`. */
  readonly startsOn: string
  readonly rates: readonly FeeRate[]
  /** Minor units by currency, for each whole month. */
  readonly monthlyMinor: ReadonlyMap<string, bigint>
}

const MILLION = 1_000_000n

/** The plan in force on a day; null before the first one starts. */
export function planOn(plans: readonly FeePlan[], day: string): FeePlan | null {
  let found: FeePlan | null = null
  for (const plan of plans) {
    const isInForce = plan.startsOn <= day
    if (isInForce && (found === null || plan.startsOn > found.startsOn)) found = plan
  }
  return found
}

/** Whether a plan is over, in force, or starts later. `today`: in the merchant's time zone. */
export function planState(
  { startsOn }: FeePlan,
  plans: readonly FeePlan[],
  today: string,
): 'earlier' | 'in_force' | 'planned' {
  if (startsOn > today) return 'planned'
  return planOn(plans, today)?.startsOn === startsOn ? 'in_force' : 'earlier'
}

/** The rate of a transaction: its brand's own, else that of all brands; null where it is free. */
export function rateOf(plan: FeePlan, kind: FeeKind, brand: string): FeeRate | null {
  const rates = plan.rates.filter((rate) => rate.kind === kind)
  return (
    rates.find((rate) => rate.brand === brand) ?? rates.find((rate) => rate.brand === null) ?? null
  )
}

/**
 * The fee of one transaction in minor units; below zero, the merchant receives it. The percentage
 * and the fixed part are added exactly, and their sum is rounded once, half away from zero.
 *
 * @param amountMinor Of the transaction, above zero.
 */
export function feeMinor(rate: FeeRate, currency: string, amountMinor: bigint): bigint {
  const fixed = rate.fixedMinor.get(currency) ?? 0n
  return roundedMillionths(amountMinor * rate.millionths + fixed * MILLION)
}

function roundedMillionths(value: bigint): bigint {
  const size = value < 0n ? -value : value
  const rounded = (size + MILLION / 2n) / MILLION
  return value < 0n ? -rounded : rounded
}

/**
 * The months that are over and not yet charged, oldest first, as their first days. A plan that
 * starts within a month has its first monthly fee in the next one.
 *
 * @param after The last month that was charged; null for none.
 * @param today A day of the merchant's time zone.
 */
export function monthsToCharge(
  plans: readonly FeePlan[],
  after: string | null,
  today: string,
): readonly string[] {
  const first = plans.map(({ startsOn }) => startsOn).toSorted()[0]
  if (first === undefined) return []
  const months: string[] = []
  const begin = after === null ? monthOf(first) : nextMonth(after)
  for (let month = begin; nextMonth(month) <= today; month = nextMonth(month)) months.push(month)
  return months
}

function monthOf(day: string): string {
  return `${day.slice(0, 7)}-01`
}

function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  const next = number === 12 ? [year + 1, 1] : [year, number + 1]
  return `${String(next[0]).padStart(4, '0')}-${String(next[1]).padStart(2, '0')}-01`
}
