import { setTimeout as pause } from 'node:timers/promises'

/**
 * The year, or, once it is no longer at least two years ahead, the next one that lies as it does
 * between leap years. Clocks of sites never go back, so a fixed year would pass one day.
 */
export function comingYear(year: number, now = new Date()): number {
  let coming = year
  while (coming < now.getUTCFullYear() + 2) coming += 4
  return coming
}

/** A card's expiry in December so many years from now, as PMT_EXPIRY is written. */
export function expiryIn(years: number): string {
  return `12${new Date().getUTCFullYear() + years}`
}

/**
 * The month in which a card expires soon, but not within the next day, as PMT_EXPIRY is written.
 */
export function expiryThisMonth(now = new Date()): string {
  const [year = '', month = ''] = new Date(now.getTime() + DAY_MS).toISOString().split('-')
  return `${month}${year}`
}

/** A month earlier in UTC, or the last day of that month where it is shorter. */
export function monthBefore(at: Date): Date {
  const before = new Date(at)
  before.setUTCMonth(before.getUTCMonth() - 1)
  // A shorter month has no such day, and the date ran over into the next one.
  if (before.getUTCDate() !== at.getUTCDate()) before.setUTCDate(0)
  return before
}

/**
 * Resolves when the day, in UTC, goes on for some minutes: at once, or a minute after midnight.
 * For tests of what is shown of today, and of this month.
 */
export async function untilMidnightIsFar(minutes = 5): Promise<void> {
  const left = msUntilMidnight(new Date())
  if (left < minutes * 60_000) await pause(left + 1_000)
}

export function msUntilMidnight(now: Date): number {
  return DAY_MS - (now.getTime() % DAY_MS)
}

const DAY_MS = 86_400_000
