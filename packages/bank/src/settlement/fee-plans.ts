import type { FeeName } from './settlement-line.ts'

/** A share of the amount, and a fixed amount for each line. */
export interface FeePart {
  readonly rateMillionths: bigint
  /** Millionths of one unit of the settlement currency. */
  readonly fixedMillionths: bigint
}

/** The fees of one brand, which a sale is charged. */
export type BrandFees = Readonly<Partial<Record<FeeName, FeePart>>>

export interface FeePlan {
  /** The first business day on which the plan counts, `YYYY-MM-DD`. */
  readonly from: string
  /** By tag BR in small letters; `other` for every other brand. */
  readonly brands: Readonly<Record<string, BrandFees>> & { readonly other: BrandFees }
  /** For each refund. The interchange of its amount is returned, its other fees are not. */
  readonly refund: FeePart
  /** For each month, whole units of the settlement currency. */
  readonly monthly: bigint
  /** For each chargeback, whole units; it is kept when the case is won. */
  readonly dispute: bigint
}

const FROM_2020: FeePlan = {
  from: '2020-01-01',
  brands: {
    visa: plan(2_000n, 400n, 1_500n),
    mastercard: plan(3_000n, 500n, 1_500n),
    americanexpress: plan(12_000n, 1_000n, 3_000n),
    other: plan(5_000n, 800n, 2_500n),
  },
  refund: { rateMillionths: 0n, fixedMillionths: 100_000n },
  monthly: 10n,
  dispute: 15n,
}

/** The plans by their first days. A new price is a new plan: files of earlier days keep theirs. */
export const FEE_PLANS: readonly FeePlan[] = [
  FROM_2020,
  { ...FROM_2020, from: '2027-01-01', refund: { rateMillionths: 0n, fixedMillionths: 120_000n } },
]

/** The plan of a business day, `YYYY-MM-DD`; the first plan for the days before it. */
export function planOf(day: string, plans: readonly FeePlan[] = FEE_PLANS): FeePlan {
  const [first] = plans
  if (first === undefined) throw new RangeError('There is no fee plan.')
  return plans.findLast(({ from }) => from <= day) ?? first
}

function plan(interchange: bigint, scheme: bigint, acquirer: bigint): BrandFees {
  return {
    interchange: { rateMillionths: interchange, fixedMillionths: 0n },
    scheme: { rateMillionths: scheme, fixedMillionths: 0n },
    acquirer: { rateMillionths: acquirer, fixedMillionths: 100_000n },
  }
}
