import { dayAfter, dayIn, startOfDay, startOfMonth } from '@tollgate/kernel/time-zone'
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

/**
 * Today, yesterday and this month at `now`, each with a comparable period before. The day or
 * month until now is compared with an equal part of the one before, or all of it if it was shorter.
 * Days and months are those of the zone: a day may have 23 or 25 hours.
 */
export function periodsAt(now: Date, timeZone: string): readonly ComparedPeriod[] {
  const day = dayIn(timeZone, now)
  const daysAgo = (days: number): Date => startOfDay(timeZone, dayAfter(day, -days))
  const today = daysAgo(0)
  const yesterday = daysAgo(1)
  const month = startOfMonth(timeZone, day, 0)
  return [
    { key: 'today', from: today, to: now, before: asMuchOf(yesterday, today, now) },
    {
      key: 'yesterday',
      from: yesterday,
      to: today,
      before: { from: daysAgo(2), to: yesterday },
    },
    {
      key: 'month',
      from: month,
      to: now,
      before: asMuchOf(startOfMonth(timeZone, day, -1), month, now),
    },
  ]
}

/** As much of what began at `before` as there is of what began at `start`, and no more of it. */
function asMuchOf(before: Date, start: Date, now: Date): HomePeriod {
  const to = before.getTime() + (now.getTime() - start.getTime())
  return { from: before, to: new Date(Math.min(to, start.getTime())) }
}

/**
 * The starts of a chart's points, oldest first; the last is the one that is still filling. Days and
 * months are those of the zone.
 */
export function chartPoints(
  range: ChartRange,
  now: Date,
  timeZone: string,
): { readonly unit: ChartUnit; readonly starts: readonly Date[] } {
  const day = dayIn(timeZone, now)
  if (range === '12m') {
    return {
      unit: 'month',
      starts: Array.from({ length: 12 }, (_, at) => startOfMonth(timeZone, day, at - 11)),
    }
  }
  if (range === '30d') {
    return {
      unit: 'day',
      starts: Array.from({ length: 30 }, (_, at) => startOfDay(timeZone, dayAfter(day, at - 29))),
    }
  }
  const hours = range === '24h' ? 24 : 7 * 24
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return {
    unit: 'hour',
    starts: Array.from({ length: hours }, (_, at) => new Date(hour - (hours - 1 - at) * HOUR_MS)),
  }
}
