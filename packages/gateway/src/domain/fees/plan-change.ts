import { refused, type Result } from '../../base/refusal.ts'
import { planState, type FeePlan } from './fee-plan.ts'

/** The merchant whose plan changes. */
export interface PlanFacts {
  /** Today in the merchant's time zone. */
  readonly today: string
  /** Currencies of its accounts. */
  readonly currencies: readonly string[]
}

/** Whether a plan may start: a charged transaction keeps its price, and no price is guessed. */
export function decidePlan(plan: FeePlan, { today, currencies }: PlanFacts): Result {
  if (plan.startsOn <= today) {
    return refused(
      'conflict',
      `The plan starts on ${plan.startsOn}, and it is ${today} in the merchant's time zone. ` +
        'A plan starts tomorrow or later, because transactions of today have their prices.',
    )
  }
  const faults = unpricedRates(plan, currencies).map(
    ({ rate, missing }) =>
      `The rate ${rate} has a fixed part, but none in ${missing.join(', ')}. ` +
      "State one for each currency of the merchant's accounts; it may be 0.",
  )
  return faults.length === 0 ? { ok: true } : refused('invalid', faults)
}

/** The plans of a merchant. */
export interface PlansInForce {
  /** Today in the merchant's time zone. */
  readonly today: string
  readonly plans: readonly FeePlan[]
}

/** A sentence for each plan of today or later that states no price in one of the currencies. */
export function unpricedCurrencies(
  { plans, today }: PlansInForce,
  currencies: readonly string[],
): readonly string[] {
  return plans.flatMap((plan) => {
    if (planState(plan, plans, today) === 'earlier') return []
    const missing = new Set(unpricedRates(plan, currencies).flatMap((rate) => rate.missing))
    if (missing.size === 0) return []
    const codes = [...missing].join(', ')
    return [
      `The fee plan that starts on ${plan.startsOn} has fixed parts, but none in ${codes}. Set a ` +
        'plan with them first. The currency can be added from the day on which it starts.',
    ]
  })
}

function unpricedRates({ rates }: FeePlan, currencies: readonly string[]) {
  return rates.flatMap(({ kind, brand, fixedMinor }) => {
    if (fixedMinor.size === 0) return []
    const missing = currencies.filter((currency) => !fixedMinor.has(currency))
    if (missing.length === 0) return []
    return [{ rate: brand === null ? kind : `${kind} of ${brand}`, missing }]
  })
}
