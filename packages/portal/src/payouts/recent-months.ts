const SHOWN = 24

/** The month of a day in ISO 8601 and those before it, newest first: `2026-11`. */
export function recentMonths(today: string): readonly string[] {
  const [year = 0, month = 1] = today.split('-').map(Number)
  return Array.from({ length: SHOWN }, (_, back) => {
    const place = year * 12 + month - 1 - back
    return `${Math.floor(place / 12)}-${String((place % 12) + 1).padStart(2, '0')}`
  })
}
