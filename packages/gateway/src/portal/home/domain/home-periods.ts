import type { ChartRange } from '@tollgate/portal-contract/chart-ranges'

/** From and until when, the end not included. */
export interface HomePeriod {
  readonly from: Date
  readonly to: Date
}

export interface ComparedPeriod extends HomePeriod {
  readonly key: 'today' | 'yesterday' | 'month'
  /** The period of comparison: as much of the day or month before. */
  readonly before: HomePeriod
}

export type ChartUnit = 'hour' | 'day' | 'month'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Today, yesterday and this month at `now`, each with a comparable period before. Today until now
 * is compared with yesterday until the same time. The month until now is compared with an equal
 * part of the month before, or all of that if it was shorter. Days are in UTC.
 */
export function periodsAt(now: Date): readonly ComparedPeriod[] {
  const today = startOfDay(now)
  const yesterday = daysBefore(today, 1)
  const month = startOfMonth(now, 0)
  const lastMonth = startOfMonth(now, -1)
  const sameTimeLastMonth = lastMonth.getTime() + (now.getTime() - month.getTime())
  return [
    { key: 'today', from: today, to: now, before: { from: yesterday, to: daysBefore(now, 1) } },
    {
      key: 'yesterday',
      from: yesterday,
      to: today,
      before: { from: daysBefore(today, 2), to: yesterday },
    },
    {
      key: 'month',
      from: month,
      to: now,
      before: { from: lastMonth, to: new Date(Math.min(sameTimeLastMonth, month.getTime())) },
    },
  ]
}

/** The starts of a chart's points, oldest first; the last is the one that is still filling. */
export function chartPoints(
  range: ChartRange,
  now: Date,
): { readonly unit: ChartUnit; readonly starts: readonly Date[] } {
  if (range === '12m') {
    return {
      unit: 'month',
      starts: Array.from({ length: 12 }, (_, at) => startOfMonth(now, at - 11)),
    }
  }
  if (range === '30d') {
    const today = startOfDay(now)
    return {
      unit: 'day',
      starts: Array.from({ length: 30 }, (_, at) => daysBefore(today, 29 - at)),
    }
  }
  const hours = range === '24h' ? 24 : 7 * 24
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return {
    unit: 'hour',
    starts: Array.from({ length: hours }, (_, at) => new Date(hour - (hours - 1 - at) * HOUR_MS)),
  }
}

function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS)
}

function startOfMonth(at: Date, offset: number): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset, 1))
}

function daysBefore(at: Date, days: number): Date {
  return new Date(at.getTime() - days * DAY_MS)
}
