const DAY_MS = 86_400_000

/** The day so many days later; days are `YYYY-MM-DD`. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
}

/** The next day that is no Saturday and no Sunday. */
export function nextBankDay(day: string): string {
  const next = addDays(day, 1)
  const weekday = new Date(next).getUTCDay()
  return weekday === 0 || weekday === 6 ? nextBankDay(next) : next
}
