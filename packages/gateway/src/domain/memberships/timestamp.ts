const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/**
 * An instant in UTC as membership answers show it, `June, 28 2024 22:00:59` for instance. Day,
 * hour, minute and second have two digits (`June, 03 2024`), which suits readers that want two and
 * readers that take either. Parts of a second are dropped, never rounded up.
 */
export function formatMembershipTimestamp(at: Date): string {
  const month = MONTHS[at.getUTCMonth()] ?? ''
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(twoDigits).join(':')
  return `${month}, ${twoDigits(at.getUTCDate())} ${at.getUTCFullYear()} ${time}`
}

function twoDigits(value: number): string {
  return value.toString().padStart(2, '0')
}
