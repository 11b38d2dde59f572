const DAY_MS = 86_400_000
/** The acquirer and the network need some days of their own. */
const BEFORE_NETWORK_DAYS = 7
const AT_LEAST_DAYS = 3

/**
 * The day until which a merchant should answer. It is seven days before the network's limit, and at
 * least three days after the receipt. It is never later than the limit.
 * @param networkDue ISO 8601 date
 * @param receivedOn ISO 8601 date
 */
export function respondBy(networkDue: string, receivedOn: string): string {
  const early = shifted(networkDue, -BEFORE_NETWORK_DAYS)
  const atLeast = shifted(receivedOn, AT_LEAST_DAYS)
  const wanted = early > atLeast ? early : atLeast
  return wanted < networkDue ? wanted : networkDue
}

/** The days from one day to another; below zero where it passed. Both are ISO 8601 dates. */
export function daysUntil(day: string, today: string): number {
  return Math.round((Date.parse(`${day}T00:00:00Z`) - Date.parse(`${today}T00:00:00Z`)) / DAY_MS)
}

function shifted(day: string, by: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + by * DAY_MS).toISOString().slice(0, 10)
}
