import { refused, type Result } from '../../base/refusal.ts'
import type { FeePlan } from './fee-plan.ts'

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
  const faults = plan.rates.flatMap(({ kind, brand, fixedMinor }) => {
    if (fixedMinor.size === 0) return []
    const missing = currencies.filter((currency) => !fixedMinor.has(currency))
    if (missing.length === 0) return []
    const rate = brand === null ? kind : `${kind} of ${brand}`
    return [
      `The rate ${rate} has a fixed part, but none in ${missing.join(', ')}. ` +
        "State one for each currency of the merchant's accounts; it may be 0.",
    ]
  })
  return faults.length === 0 ? { ok: true } : refused('invalid', faults)
}
