/** The days after its first failure on which a renewal is retried, unless a site sets others. */
export const DEFAULT_RETRY_DAYS: readonly number[] = [1, 3, 5, 7]

/** The networks' caps look back as far. */
const MAX_RETRY_DAY = 30
const MAX_RETRIES = 15

const DAY_MS = 86_400_000

/** The fault in a site's list of days, as a sentence for its operator; null for a valid list. */
export function retryDaysFault(days: readonly number[]): string | null {
  if (days.length > MAX_RETRIES) {
    return `There are ${days.length} retries; at most ${MAX_RETRIES} are possible.`
  }
  const wrong = days.find((day) => !Number.isInteger(day) || day < 1 || day > MAX_RETRY_DAY)
  if (wrong !== undefined) {
    return `A retry is after ${wrong} days; use whole days from 1 to ${MAX_RETRY_DAY}.`
  }
  const late = days.find((day, index) => index > 0 && day <= (days[index - 1] ?? 0))
  if (late === undefined) return null
  return `The retry after ${late} days is not after the one before it; put the days in sequence.`
}

/** The retries of a plan that are still to come. */
export interface RetriesLeft {
  /** Always after the moment that was asked about. */
  readonly nextAt: Date
  readonly lastAt: Date
}

/**
 * The retries left after a failure at `at`; null: none. Days count from the first failure. A late
 * retry, or one in between with another card, therefore moves none of the others.
 */
export function retriesLeft(
  days: readonly number[],
  firstFailedAt: Date,
  at: Date,
): RetriesLeft | null {
  const instants = days.map((day) => new Date(firstFailedAt.getTime() + day * DAY_MS))
  const nextAt = instants.find((instant) => instant.getTime() > at.getTime())
  const lastAt = instants.at(-1)
  return nextAt === undefined || lastAt === undefined ? null : { nextAt, lastAt }
}
