const DAY_MS = 86_400_000
const EURO = 'EUR'

/**
 * Whether banks settle a currency on a day: not on Saturdays and Sundays, and euros not on the
 * closing days of the TARGET system. Holidays of other currencies count as bank days, so an age is
 * rather too high than too low.
 *
 * Source of the closing days: European Central Bank, TARGET calendar (since 2002).
 * @param day ISO 8601 date
 */
export function isBankDay(day: string, currency: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`)
  const weekday = new Date(at).getUTCDay()
  if (weekday === 0 || weekday === 6) return false
  return currency !== EURO || !isTargetClosed(at)
}

/**
 * The bank days after `from` until `to`, which counts itself. Zero where `to` is not later.
 * @param from ISO 8601 date
 * @param to ISO 8601 date
 */
export function bankDaysBetween(from: string, to: string, currency: string): number {
  let days = 0
  for (let day = shifted(from, 1); day <= to; day = shifted(day, 1)) {
    if (isBankDay(day, currency)) days += 1
  }
  return days
}

/** The latest day from which more than `days` bank days passed until `to`, as an ISO 8601 date. */
export function latestDayBefore(to: string, days: number, currency: string): string {
  let day = to
  for (let passed = 0; passed <= days; day = shifted(day, -1)) {
    if (isBankDay(day, currency)) passed += 1
  }
  return day
}

function shifted(day: string, by: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * DAY_MS).toISOString().slice(0, 10)
}

function isTargetClosed(at: number): boolean {
  const date = new Date(at)
  const monthAndDay = date.toISOString().slice(5, 10)
  if (['01-01', '05-01', '12-25', '12-26'].includes(monthAndDay)) return true
  const easter = easterSunday(date.getUTCFullYear())
  return at === easter - 2 * DAY_MS || at === easter + DAY_MS
}

/**
 * Easter Sunday of a year, as milliseconds of its midnight in UTC.
 * Source: the anonymous Gregorian computus (Nature, 1876).
 */
function easterSunday(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const ofCentury = year % 100
  const shift = Math.floor((8 * century + 13) / 25)
  const moon = (19 * golden + century - Math.floor(century / 4) - shift + 15) % 30
  const week = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - moon - (ofCentury % 4)) % 7
  const late = Math.floor((golden + 11 * moon + 22 * week) / 451)
  const month = Math.floor((moon + week - 7 * late + 114) / 31)
  const day = ((moon + week - 7 * late + 114) % 31) + 1
  return Date.UTC(year, month - 1, day)
}
