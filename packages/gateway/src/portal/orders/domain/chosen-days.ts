import { dayAfter, startOfDay } from '@tollgate/kernel/time-zone'
import { readDays, type DayRange } from '@tollgate/portal-contract/search-days'
import type { TimeRange } from './order-filter.ts'

const EARLIEST = new Date('2000-01-01T00:00:00Z')
const LATEST = new Date('2099-12-31T00:00:00Z')

/** The days of a list's address: a word such as `last month`, or days of which one may be open. */
interface DayChoice {
  readonly time?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The moments of a list's address, of which one may be open. */
interface MomentChoice {
  readonly since?: Date | undefined
  readonly until?: Date | undefined
}

/** The moments that an address chooses, the second not included; undefined for any. */
export function chosenMoments({ since, until }: MomentChoice): TimeRange | undefined {
  if (since === undefined && until === undefined) return undefined
  return { from: since ?? EARLIEST, until: until ?? LATEST }
}

/** Days, both included, as moments of the zone. */
export function momentsOf({ from, to }: DayRange, timeZone: string): TimeRange {
  return { from: startOfDay(timeZone, from), until: startOfDay(timeZone, dayAfter(to, 1)) }
}

/** The days that an address chooses; null for any. `today`: the day by the clock of the list. */
export function chosenDays({ time, from, to }: DayChoice, today: string): DayRange | null {
  if (time !== undefined) return readDays(time, today)
  if (from === undefined && to === undefined) return null
  return { from: from ?? '2000-01-01', to: to ?? '2099-12-31' }
}
