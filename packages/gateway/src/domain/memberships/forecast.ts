import { agendaUntil } from './agenda.ts'
import type { Membership } from './membership.ts'

/** The expected charges of one day by the site's clock, in UTC. */
export interface ForecastDay {
  /** YYYY-MM-DD */
  readonly day: string
  /** By the currency's code. */
  readonly charges: ReadonlyMap<string, ForecastSum>
  /** Memberships that end, or are cancelled then. */
  readonly ends: number
}

export interface ForecastSum {
  readonly renewals: number
  /** Charges of renewals that failed before. */
  readonly retries: number
  readonly minor: bigint
}

export interface Forecast {
  add(membership: Membership): void
  /** The days on which something happens, the earliest first. */
  days(): readonly ForecastDay[]
}

/**
 * Adds up the charges of memberships until `until` if every charge is approved. An overdue charge
 * counts for the day of `now`.
 */
export function createForecast(now: Date, until: Date): Forecast {
  const days = new Map<string, { charges: Map<string, ForecastSum>; ends: number }>()
  const dayOf = (at: Date): { charges: Map<string, ForecastSum>; ends: number } => {
    const day = (at.getTime() < now.getTime() ? now : at).toISOString().slice(0, 10)
    const found = days.get(day) ?? { charges: new Map(), ends: 0 }
    days.set(day, found)
    return found
  }
  return {
    add(membership) {
      for (const { kind, at, amount } of agendaUntil(membership, until)) {
        const day = dayOf(at)
        if (amount === null) {
          day.ends += 1
          continue
        }
        const { code } = amount.currency
        const sum = day.charges.get(code) ?? { renewals: 0, retries: 0, minor: 0n }
        const isRetry = kind === 'retry'
        day.charges.set(code, {
          renewals: sum.renewals + (isRetry ? 0 : 1),
          retries: sum.retries + (isRetry ? 1 : 0),
          minor: sum.minor + amount.minor,
        })
      }
    },
    days: () =>
      [...days]
        .map(([day, { charges, ends }]) => ({ day, charges, ends }))
        .toSorted((left, right) => (left.day < right.day ? -1 : 1)),
  }
}
