import type { SoldMembership } from '../memberships/sold-memberships.ts'
import type { Recurring } from './three-ds-request.ts'

const WITHOUT_END = '99991231'
const SHORTEST_DAYS: Readonly<Record<string, number>> = { D: 1, M: 28, Y: 365 }
/** The most days that the protocol has digits for. */
const MOST_DAYS = 9_999

/** At least how many days lie between two payments; a period of unknown unit has days. */
export function recurringEvery(metric: string, length: number, renews: boolean): Recurring {
  const days = (SHORTEST_DAYS[metric] ?? 1) * length
  return { everyDays: Math.min(days, MOST_DAYS), until: renews ? WITHOUT_END : null }
}

/**
 * The issuer's data about products of the catalogue that renew: the one that is charged soonest.
 */
export function recurringOf(sells: readonly SoldMembership[]): Recurring | null {
  return sells
    .filter(({ product }) => product.type === 'renews')
    .map(({ product: { period } }) => recurringEvery(period.metric, period.length, true))
    .reduce<Recurring | null>(
      (soonest, each) => (soonest !== null && soonest.everyDays <= each.everyDays ? soonest : each),
      null,
    )
}
