const SHOWN = 24

/** The month of a day in ISO 8601 and those before it, newest first: `2026-11`. */
export function recentMonths(today: string): readonly string[] {
  const month = today.slice(0, 7)
  return Array.from({ length: SHOWN }, (_, back) => monthBeside(month, -back))
}

/** The month so many months later, or earlier: `2026-11`. */
export function monthBeside(month: string, later: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const place = year * 12 + number - 1 + later
  return `${Math.floor(place / 12)}-${String((place % 12) + 1).padStart(2, '0')}`
}
