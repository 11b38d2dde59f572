import type { CardBrand } from '../payments/card.ts'
import { feeMinor, planOn, rateOf, type FeeKind, type FeePlan } from './fee-plan.ts'

/** The fee of one sample transaction, by a new plan and by the one that it follows or replaces. */
export interface SampleFee {
  readonly kind: FeeKind
  /** Null: every brand without a rate of its own. */
  readonly brand: CardBrand | null
  /** In minor units; below zero, the merchant receives it. */
  readonly feeMinor: bigint
  /** By the plan that is in force on that day without the new one; 0 without a plan. */
  readonly beforeMinor: bigint
}

const KINDS = ['sale', 'refund'] as const

/**
 * Prices one transaction of each kind and brand that a rate names.
 *
 * @param plans Of the merchant, without the new one.
 * @param amountMinor Of the sample, above zero.
 */
export function sampleFees(
  plan: FeePlan,
  plans: readonly FeePlan[],
  currency: string,
  amountMinor: bigint,
): readonly SampleFee[] {
  const before = planOn(plans, plan.startsOn)
  return KINDS.flatMap((kind) => {
    const rates = [...plan.rates, ...(before?.rates ?? [])].filter((rate) => rate.kind === kind)
    const brands = new Set(rates.flatMap(({ brand }) => (brand === null ? [] : [brand])))
    return [null, ...brands].map((brand) => {
      const feeOf = (by: FeePlan | null): bigint => {
        const rate = by === null ? null : rateOf(by, kind, brand ?? '')
        return rate === null ? 0n : feeMinor(rate, currency, amountMinor)
      }
      return { kind, brand, feeMinor: feeOf(plan), beforeMinor: feeOf(before) }
    })
  })
}
