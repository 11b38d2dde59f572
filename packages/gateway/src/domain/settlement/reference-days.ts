const DAY_MS = 86_400_000

/**
 * The days of orders with these beginnings of DE 37, each with the days before and after it. An
 * order may be older than its message. A beginning is the last digit of the year and the day of the
 * year. The year is the latest that is not after the file.
 *
 * @param businessDate ISO 8601 date of the file
 * @returns ISO 8601 dates, each once
 */
export function daysOfReferences(beginnings: readonly string[], businessDate: string): string[] {
  const latest = Date.parse(`${businessDate}T00:00:00Z`) + DAY_MS
  const days = new Set<string>()
  for (const beginning of beginnings) {
    const digit = Number(beginning.slice(0, 1))
    const dayOfYear = Number(beginning.slice(1))
    const year = new Date(latest).getUTCFullYear()
    const near = year - ((((year - digit) % 10) + 10) % 10)
    const at = Date.UTC(near, 0, dayOfYear)
    const day = at > latest ? Date.UTC(near - 10, 0, dayOfYear) : at
    for (const shift of [-1, 0, 1]) {
      days.add(new Date(day + shift * DAY_MS).toISOString().slice(0, 10))
    }
  }
  return [...days].toSorted()
}
