import type { DayRange } from '@tollgate/portal-contract/search-days'
import { CURRENCIES } from '../../../domain/currency.ts'

/** From a moment until another one, which is not included. */
export interface TimeRange {
  readonly from: Date
  readonly until: Date
}

/** The filters of a list. Several values of one filter are alternatives; absent: all. */
export interface ListFilter {
  readonly status?: readonly string[] | undefined
  readonly action?: readonly string[] | undefined
  readonly brand?: readonly string[] | undefined
  readonly avs?: readonly string[] | undefined
  readonly cvv?: readonly string[] | undefined
  /** Status letters; `none` for payments without 3-D Secure. */
  readonly threeDs?: readonly string[] | undefined
  readonly reason?: readonly number[] | undefined
  readonly batch?: bigint | undefined
  /** `unclocked`: all sites without a clock of their own. */
  readonly site?: bigint | 'unclocked' | undefined
  readonly account?: bigint | undefined
  readonly user?: string | undefined
  readonly currency?: readonly string[] | undefined
  /** Decimal text in major units, both ends included. */
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly within?: TimeRange | undefined
  /** The outcome with which sums of payments count a transaction; others are in no such sum. */
  readonly counted?: readonly string[] | undefined
  /** Of transactions: a month in which the acquirer settled them, such as `2026-11`. */
  readonly settled?: string | undefined
  readonly customer?: bigint | undefined
  readonly card?: bigint | undefined
  readonly initiator?: readonly string[] | undefined
}

/** The days that are in both; empty ranges end before they begin, and no order fits them. */
export function daysInBoth(one: DayRange | null, other: DayRange | null): DayRange | null {
  if (one === null || other === null) return one ?? other
  return {
    from: one.from > other.from ? one.from : other.from,
    to: one.to < other.to ? one.to : other.to,
  }
}

/** The moments that are in both; a range without any ends before it begins. */
export function momentsInBoth(
  one: TimeRange | undefined,
  other: TimeRange | undefined,
): TimeRange | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    from: one.from > other.from ? one.from : other.from,
    until: one.until < other.until ? one.until : other.until,
  }
}

/** Decimals that fit every currency: amounts of all of them are compared in ten-thousandths. */
const COMMON_DIGITS = 4

/** Decimal text as ten-thousandths: '12.5' is 125000n. */
export function commonAmount(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt((whole || '0') + fraction.padEnd(COMMON_DIGITS, '0').slice(0, COMMON_DIGITS))
}

/** The factor from minor units of a currency to ten-thousandths. */
export function commonFactor(digits: number): bigint {
  return 10n ** BigInt(COMMON_DIGITS - digits)
}

/** The minor units that an amount can be, by currency's number of decimals. */
export function possibleMinors(text: string): readonly bigint[] {
  const common = commonAmount(text)
  return [0, 2, 3, 4].flatMap((digits) => {
    const factor = commonFactor(digits)
    return common % factor === 0n ? [common / factor] : []
  })
}

/** Codes of the currencies that have no two decimals, by their number. */
export const ODD_CURRENCIES: readonly (readonly [digits: number, codes: readonly string[]])[] = [
  0, 3, 4,
].map(
  (digits) =>
    [
      digits,
      CURRENCIES.filter((currency) => currency.digits === digits).map(({ code }) => code),
    ] as const,
)
