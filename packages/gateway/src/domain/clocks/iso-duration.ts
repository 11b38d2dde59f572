/** A length of time by the calendar, as ISO 8601 writes it; every part is a whole number from 0. */
export interface IsoDuration {
  readonly months: number
  readonly days: number
  readonly seconds: number
}

const SHAPE =
  /^P(?=[\dT])(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/

/**
 * Null for what is no duration such as P1D, P1M, P1Y2M or PT36H, or is none longer than nothing.
 */
export function parseIsoDuration(text: string): IsoDuration | null {
  const match = SHAPE.exec(text)
  if (match === null) return null
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const duration = {
    months: years * 12 + months,
    days: weeks * 7 + days,
    seconds: hours * 3_600 + minutes * 60 + seconds,
  }
  return duration.months + duration.days + duration.seconds === 0 ? null : duration
}

/** In UTC; a month that is too short for the day gives its last one. Null after the year 9999. */
export function addDuration(at: Date, { days, months, seconds }: IsoDuration): Date | null {
  const month = at.getUTCFullYear() * 12 + at.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate()
  const moved = new Date(at)
  moved.setUTCFullYear(Math.floor(month / 12), month % 12, Math.min(at.getUTCDate(), lastDay))
  const sum = new Date(moved.getTime() + days * 86_400_000 + seconds * 1_000)
  return Number.isNaN(sum.getTime()) || sum.getUTCFullYear() > 9_999 ? null : sum
}
