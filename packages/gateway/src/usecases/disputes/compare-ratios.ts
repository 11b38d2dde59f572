import {
  standings,
  type MonthCounts,
  type ProgrammeStanding,
} from '../../domain/disputes/monitoring.ts'

/** Counts of one brand of a merchant account in one month. */
export interface MonthOfBrand extends MonthCounts {
  readonly merchantId: bigint
  readonly merchantAccountId: bigint
  readonly brand: string
  /** The first day, ISO 8601. */
  readonly month: string
}

export interface RatioStore {
  /**
   * The months with a case or a report of fraud, the newest first. They are those of a merchant, or
   * of all for null, and at most so many back from the account's day.
   */
  readMonths(merchantId: bigint | null, now: Date, months: number): Promise<readonly MonthOfBrand[]>
}

/** A month with its standing in each programme of its brand. */
export interface RatioView extends MonthOfBrand {
  readonly standings: readonly ProgrammeStanding[]
}

/** Counts and ratios by month and brand, with the warnings before the limits of the networks. */
export async function readRatios(
  store: RatioStore,
  merchantId: bigint | null,
  now: Date,
  months: number,
): Promise<readonly RatioView[]> {
  const found = await store.readMonths(merchantId, now, months)
  return found.map((each) => ({ ...each, standings: standings(each.brand, each.month, each) }))
}
