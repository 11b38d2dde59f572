import { invariant } from '../../base/invariant.ts'

/** The unit of a period: days, months or years. */
export type PeriodMetric = 'D' | 'M' | 'Y'

/** How long a membership runs before it is charged again, for example 3 months. */
export interface Period {
  readonly metric: PeriodMetric
  /** 1 to MAX_PERIOD_LENGTH. */
  readonly length: number
}

/** As much as the payment interface lets PROD_REBILL_PERIOD say. */
export const MAX_PERIOD_LENGTH = 9_999

const DAY_MS = 86_400_000

/** The last instant that a Date can hold (13 September 275760); the calendar ends there. */
const CALENDAR_END_MS = 8_640_000_000_000_000

/**
 * The instant at which period `n` begins, in UTC; period 0 begins at the anchor. Null after the end
 * of the calendar. No anchor of the next ten thousand years reaches it in less than twenty-six of
 * the longest periods.
 *
 * Always counted from the anchor and never from the instant before. A month that is too short gives
 * its last day. The next one that is long enough gives the anchor's day again (31 January, 28
 * February, 31 March). Days are 24 hours, because UTC has no daylight saving.
 */
export function instantOfPeriod(anchor: Date, { metric, length }: Period, n: number): Date | null {
  invariant(
    Number.isInteger(length) && length >= 1 && length <= MAX_PERIOD_LENGTH,
    `A period has a length from 1 to ${MAX_PERIOD_LENGTH}.`,
  )
  invariant(Number.isSafeInteger(n) && n >= 0, 'Periods are counted from 0.')
  invariant(!Number.isNaN(anchor.getTime()), 'The anchor of a membership is an instant.')

  if (metric === 'D') return inCalendar(anchor.getTime() + n * length * DAY_MS)
  return monthsLater(anchor, n * length * (metric === 'Y' ? 12 : 1))
}

/** The period under way at an instant: 0 until the first renewal is due, and before the anchor. */
export function periodAt(anchor: Date, period: Period, at: Date): number {
  const n = Math.max(0, mostPeriods(anchor, period, at))
  const begins = instantOfPeriod(anchor, period, n)
  return begins !== null && begins.getTime() <= at.getTime() ? n : Math.max(0, n - 1)
}

function monthsLater(anchor: Date, months: number): Date | null {
  const month = anchor.getUTCFullYear() * 12 + anchor.getUTCMonth() + months
  const year = Math.floor(month / 12)
  const day = Math.min(anchor.getUTCDate(), lastDayOf(year, month % 12))

  // Not Date.UTC, which takes the years 0 to 99 for the twentieth century.
  const date = new Date(0).setUTCFullYear(year, month % 12, day)
  return inCalendar(date + timeOfDay(anchor))
}

function timeOfDay(at: Date): number {
  const rest = at.getTime() % DAY_MS
  return rest < 0 ? rest + DAY_MS : rest
}

/** Day 0 of the month after it; 28 February where the year is a hundredth and no four-hundredth. */
function lastDayOf(year: number, month: number): number {
  const last = new Date(0)
  last.setUTCFullYear(year, month + 1, 0)
  return last.getUTCDate()
}

function inCalendar(ms: number): Date | null {
  return ms <= CALENDAR_END_MS ? new Date(ms) : null
}

/** How many periods fit, or one more where the last month is not full. */
function mostPeriods(anchor: Date, { metric, length }: Period, at: Date): number {
  if (metric === 'D') return Math.floor((at.getTime() - anchor.getTime()) / (length * DAY_MS))
  const years = at.getUTCFullYear() - anchor.getUTCFullYear()
  const months = years * 12 + at.getUTCMonth() - anchor.getUTCMonth()
  return Math.floor(months / (length * (metric === 'Y' ? 12 : 1)))
}
