const DAY_S = 86_400
/** No offset from UTC is larger, in either direction. */
const LARGEST_OFFSET_S = 15 * 3_600

const formats = new Map<string, Intl.DateTimeFormat>()

/** Calendar and digits are fixed: the language of the machine must not change a file. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(zone, made)
  return made
}

/** The seconds since 1970 that a clock in the zone shows, if it is read as UTC. */
function wallSeconds(zone: string, seconds: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {}
  for (const { type, value } of formatOf(zone).formatToParts(seconds * 1_000))
    parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1_000
}

/** Whether a text is the IANA name of a time zone that this program knows: `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 are accepted by some programs and have no daylight saving time.
  if (!/^[A-Z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false
  try {
    return formatOf(name).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** All time zones to choose from, UTC first. */
export function timeZones(): readonly string[] {
  return ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
}

/** The day of a moment in the zone: `2026-11-21`. */
export function dayIn(zone: string, at: Date): string {
  return wallText(zone, at).slice(0, 10)
}

/** The time of a moment in the zone, to the second: `2026-11-21 16:03:12`. */
export function timeIn(zone: string, at: Date): string {
  return wallText(zone, at).replace('T', ' ').slice(0, 19)
}

/** The distance of the zone from UTC at a moment: `+01:00`. */
export function offsetIn(zone: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000)
  const minutes = Math.round((wallSeconds(zone, seconds) - seconds) / 60)
  const two = (part: number): string => String(part).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** A time as people read it, with its zone: `2026-11-21 16:03:12 +01:00`; UTC is named. */
export function timeWithZone(zone: string, at: Date): string {
  return `${timeIn(zone, at)} ${zone === 'UTC' ? 'UTC' : offsetIn(zone, at)}`
}

/** ISO 8601 with the offset, to the millisecond: `2026-11-21T16:03:12.345+01:00`; UTC has `Z`. */
export function isoIn(zone: string, at: Date): string {
  return zone === 'UTC' ? at.toISOString() : `${wallText(zone, at)}${offsetIn(zone, at)}`
}

/**
 * The moment at which clocks in the zone show a time or, if they leave it out, a later one. Of a
 * time that they show twice it is one of both. By whole seconds. `wall`: `2026-11-21T16:03`, of a
 * day that exists.
 */
export function momentIn(zone: string, wall: string): Date {
  const wanted = Math.floor(Date.parse(`${wall}Z`) / 1_000)
  // The moment is after `before`, and at `from` at the latest.
  let before = wanted - LARGEST_OFFSET_S
  let from = wanted + LARGEST_OFFSET_S
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (wallSeconds(zone, middle) < wanted) before = middle
    else from = middle
  }
  return new Date(from * 1_000)
}

/**
 * The first moment of a day in the zone. A day whose midnight is left out begins later; a day that
 * is left out begins with the next one. `day`: `2026-11-21`.
 */
export function startOfDay(zone: string, day: string): Date {
  return momentIn(zone, `${day}T00:00`)
}

/** The first moment of the month of `day`, moved by whole months. */
export function startOfMonth(zone: string, day: string, months: number): Date {
  const [year = 0, month = 1] = day.split('-').map(Number)
  const first = new Date(Date.UTC(year, month - 1 + months, 1))
  return startOfDay(zone, first.toISOString().slice(0, 10))
}

/** `day` moved by whole days; both as `2026-11-21`. */
export function dayAfter(day: string, days: number): string {
  const at = Date.parse(`${day}T00:00:00Z`) + days * DAY_S * 1_000
  return new Date(at).toISOString().slice(0, 10)
}

/** ISO 8601 without a zone, to the millisecond. */
function wallText(zone: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000)
  const wall = wallSeconds(zone, seconds) * 1_000 + (at.getTime() - seconds * 1_000)
  return new Date(wall).toISOString().slice(0, -1)
}
