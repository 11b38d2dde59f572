/** Days, both ends included: 2026-11-21. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const
const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const

const ISO = /^\d{4}-\d{2}-\d{2}$/
const MONTH_NAME = String.raw`([a-z]{3,9})\.?`
const DAY_FIRST = new RegExp(
  String.raw`^(\d{1,2})(?:st|nd|rd|th)?\.? ${MONTH_NAME}(?:,? (\d{4}))?$`,
)
const MONTH_FIRST = new RegExp(String.raw`^${MONTH_NAME} (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$`)
const WHOLE_MONTH = new RegExp(String.raw`^${MONTH_NAME} (\d{4})$`)
const SLASHES = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?$/
const DOTS = /^(\d{1,2})\.(\d{1,2})\.(\d{4}|\d{2})?$/
const BETWEEN = /^(.+?)(?: to | ?\.\. ?| ?– ?| - )(.+)$/
const TWO_ISO = /^(\d{4}-\d{2}-\d{2}) (\d{4}-\d{2}-\d{2})$/

/**
 * The days that a text means as a whole; null where it means none. `today` is the day by the clock
 * that the list follows. A text without a year means the latest such day that is not after today.
 */
export function readDays(text: string, today: string): DayRange | null {
  const words = text.toLowerCase()
  const range = readStretch(words, today)
  if (range !== null) return range
  const one = readDay(words, today)
  if (one !== null) return { from: one, to: one }
  const [, first = '', last = ''] = BETWEEN.exec(words) ?? TWO_ISO.exec(words) ?? []
  const from = readDay(first, today)
  const to = readDay(last, today)
  return from !== null && to !== null && from <= to ? { from, to } : null
}

function readStretch(words: string, today: string): DayRange | null {
  const monthOf = (day: string): DayRange => ({
    from: `${day.slice(0, 8)}01`,
    to: addDays(`${addDays(`${day.slice(0, 8)}01`, 31).slice(0, 8)}01`, -1),
  })
  // Weeks begin on Monday.
  const monday = addDays(today, -((weekdayOf(today) + 6) % 7))
  switch (words) {
    case '7 days':
    case 'last 7 days':
      return { from: addDays(today, -6), to: today }
    case 'this week':
      return { from: monday, to: today }
    case 'last week':
      return { from: addDays(monday, -7), to: addDays(monday, -1) }
    case 'this month':
      return { from: `${today.slice(0, 8)}01`, to: today }
    case 'last month':
      return monthOf(addDays(`${today.slice(0, 8)}01`, -1))
    default: {
      const [, name = '', year = ''] = WHOLE_MONTH.exec(words) ?? []
      const first = dayOf(year, monthNumber(name), '1')
      return first === null ? null : monthOf(first)
    }
  }
}

/** One day, in any of the forms in which it is written. */
function readDay(words: string, today: string): string | null {
  if (words === 'today') return today
  if (words === 'yesterday') return addDays(today, -1)
  if (ISO.test(words)) return isDay(words) ? words : null
  return readWeekday(words, today) ?? readNumbers(words, today) ?? readMonthName(words, today)
}

/** `tuesday` may be today; `last tuesday` is before today. */
function readWeekday(words: string, today: string): string | null {
  const [, isLast, name = ''] = /^(last )?([a-z]+day)$/.exec(words) ?? []
  const weekday = WEEKDAYS.findIndex((known) => known === name)
  if (weekday < 0) return null
  const ago = (weekdayOf(today) - weekday + 7) % 7
  return addDays(today, ago === 0 && isLast !== undefined ? -7 : -ago)
}

/** `17.11.2026` has the day first; `11/17/2026` the month, unless that number is above 12. */
function readNumbers(words: string, today: string): string | null {
  const [, day = '', month = '', year] = DOTS.exec(words) ?? []
  if (day !== '') return latest(year, Number(month), day, today)
  const [, first = '', second = '', slashYear] = SLASHES.exec(words) ?? []
  if (first === '') return null
  return Number(first) > 12
    ? latest(slashYear, Number(second), first, today)
    : latest(slashYear, Number(first), second, today)
}

function readMonthName(words: string, today: string): string | null {
  const [, day = '', name = '', year] = DAY_FIRST.exec(words) ?? []
  if (day !== '') return latest(year, monthNumber(name), day, today)
  const [, month = '', dayBehind = '', yearBehind] = MONTH_FIRST.exec(words) ?? []
  return latest(yearBehind, monthNumber(month), dayBehind, today)
}

/** 1 to 12; 0 for no month. Three letters are enough. */
function monthNumber(name: string): number {
  if (name.length < 3) return 0
  return (
    MONTHS.findIndex(
      (month) => month.startsWith(name) || (name === 'sept' && month === 'september'),
    ) + 1
  )
}

/** The day in that year; without a year the latest one up to today. */
function latest(
  year: string | undefined,
  month: number,
  day: string,
  today: string,
): string | null {
  if (year !== undefined) return dayOf(year.length === 2 ? `20${year}` : year, month, day)
  const thisYear = Number(today.slice(0, 4))
  // 29 February may be up to eight years ago.
  for (let back = 0; back <= 8; back += 1) {
    const found = dayOf(String(thisYear - back), month, day)
    if (found !== null && found <= today) return found
  }
  return null
}

function dayOf(year: string, month: number, day: string): string | null {
  const text = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  return ISO.test(text) && isDay(text) ? text : null
}

/** 0 is Sunday. */
function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay()
}

/** `day` moved by whole days; both as 2026-11-21. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** Whether there is such a day, of a time in which there may be payments: 2026-11-21. */
export function isDay(text: string): boolean {
  if (text < '1900-01-01' || text > '9998-12-31') return false
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
