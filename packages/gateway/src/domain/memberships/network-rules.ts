import type { CardBrand } from '../payments/card.ts'

/**
 * As of November 2026, from their public documents: the card networks' rules for a retry after a
 * decline, as dated data. A row holds from the beginning of its day, in UTC, until a later one
 * replaces it.
 */

/** The network whose rules apply to a card. */
export type RetryNetwork = 'Visa' | 'Mastercard' | 'other'

/**
 * The meaning of a response code for the next attempt. `never`: not with this card (Visa's category
 * 1); `later`: not now (2); `new_data`: not before the card's data changed (3). `generic`: anything
 * else (4), which is also the meaning of a code in no table.
 */
export type DeclineCategory = 'never' | 'later' | 'new_data' | 'generic'

/** The first day for which the networks' data are recorded. */
const ALWAYS = '1970-01-01'

/** Holds for cards of every network, but for what Mastercard gives a meaning of its own (below). */
export const DECLINE_CATEGORIES: readonly (readonly [
  from: string,
  category: DeclineCategory,
  codes: string,
])[] = [
  // 17, 18, 31, 35 to 38, 56, 66 and 67 are in no network's list. They say that the card is to be
  // kept, or not known, or that its holder disputes: nothing that another attempt could change.
  [ALWAYS, 'never', '04 07 12 14 15 17 18 31 35 36 37 38 41 43 46 56 57 66 67 R0 R1 R3'],
  // 34 (suspected fraud) goes with 59, which says the same, and 90 is over when the day's cut is.
  [ALWAYS, 'later', '03 19 34 51 59 61 62 65 75 78 86 90 91 93 96 5C 9G N3 N4'],
  // 33 is the older code of 54, and 89 that of N7. Authentication (1A, 70) needs the cardholder,
  // who takes no part in a renewal.
  [ALWAYS, 'new_data', '33 54 55 70 82 89 1A 6P N7'],
  ['2026-10-25', 'later', '83'],
]

const EXPIRED = new Set(['33', '54'])

/**
 * At Mastercard these three (life cycle, policy, fraud) mean nothing without the advice code that
 * comes with them. Without one, its rule for a missing advice is followed: do not try again.
 */
const ADVICE_ONLY = new Set(['79', '82', '83'])

/** Declines that this gateway made without asking the bank, by SERVICE_RESPONSE. */
const OWN_DECLINES: Readonly<Record<number, DeclineCategory>> = {
  624: 'new_data',
  630: 'never',
  675: 'never',
}

/** The meaning of Mastercard's merchant advice codes. */
export type MerchantAdvice =
  | { readonly kind: 'never'; readonly text: string }
  | { readonly kind: 'new_data'; readonly text: string }
  | { readonly kind: 'wait'; readonly hours: number; readonly text: string }

/** Codes that are not here (43, a virtual number for several uses, among them) change nothing. */
export const MERCHANT_ADVICE: Readonly<Record<string, MerchantAdvice>> = {
  '01': { kind: 'new_data', text: 'new account data exist' },
  '02': wait(24, 'try again later'),
  '03': { kind: 'never', text: 'do not try again' },
  '04': { kind: 'new_data', text: 'this token cannot be used like this' },
  '21': { kind: 'never', text: 'the recurring payments were cancelled' },
  '24': wait(1, 'try again after an hour'),
  '25': wait(24, 'try again after 24 hours'),
  '26': wait(2 * 24, 'try again after 2 days'),
  '27': wait(4 * 24, 'try again after 4 days'),
  '28': wait(6 * 24, 'try again after 6 days'),
  '29': wait(8 * 24, 'try again after 8 days'),
  '30': wait(10 * 24, 'try again after 10 days'),
  // A prepaid card is not topped up, and a number of a single use was used.
  '40': { kind: 'never', text: 'a prepaid card that cannot be loaded again' },
  '41': { kind: 'never', text: 'a virtual number for a single use' },
  '42': { kind: 'never', text: 'the sanctions score is too high' },
}

/** How many attempts that failed are allowed with one card at one merchant in a period. */
export interface AttemptCap {
  readonly network: RetryNetwork
  /** UTC date. */
  readonly from: string
  readonly attempts: number
  readonly days: number
  readonly amounts: 'one amount' | 'any amount'
}

/**
 * The first attempt counts too, so one attempt fewer is made than the network allows. A network
 * without public rules gets Visa's older cap, the strictest of all. Mastercard's ten in a calendar
 * day are counted in any 24 hours, because the time zone of the day is not documented.
 */
export const ATTEMPT_CAPS: readonly AttemptCap[] = [
  cap('Visa', ALWAYS, 15, 30, 'one amount'),
  cap('Visa', '2025-05-25', 20, 30, 'one amount'),
  cap('other', ALWAYS, 15, 30, 'one amount'),
  cap('Mastercard', ALWAYS, 10, 1, 'any amount'),
  cap('Mastercard', ALWAYS, 35, 30, 'one amount'),
]

/** Hours to wait after a decline that names no time. */
export const DEFAULT_WAIT_HOURS = 24

/** Maestro is Mastercard's. */
export function retryNetworkOf(brand: CardBrand | null): RetryNetwork {
  if (brand === 'Visa') return 'Visa'
  return brand === 'Mastercard' || brand === 'Maestro' ? 'Mastercard' : 'other'
}

/** A decline as the rules look at it. */
export interface DeclineCodes {
  /** The answer's response code (DE 39); '' where the bank was not asked. */
  readonly responseCode: string
  readonly serviceCode: number
  /** Mastercard's merchant advice code, two digits; '' where none came. */
  readonly merchantAdvice: string
}

/** The category of a decline, by the rules in force at `at`. */
export function declineCategory(
  network: RetryNetwork,
  { responseCode, serviceCode, merchantAdvice }: DeclineCodes,
  at: Date,
): DeclineCategory {
  if (responseCode === '') return OWN_DECLINES[serviceCode] ?? 'generic'
  if (network === 'Mastercard' && ADVICE_ONLY.has(responseCode)) {
    return merchantAdvice === '' ? 'never' : 'generic'
  }
  const row = DECLINE_CATEGORIES.findLast(
    ([from, , codes]) => isInForce(from, at) && codes.split(' ').includes(responseCode),
  )
  return row?.[1] ?? 'generic'
}

/**
 * Whether what must change first is what is saved of the card: its expiry, or its number where
 * newer data exist. A wrong security code or a missing authentication is the customer's of that one
 * payment.
 */
export function isAboutSavedData(network: RetryNetwork, codes: DeclineCodes): boolean {
  if (merchantAdviceOf(network, codes.merchantAdvice)?.kind === 'new_data') return true
  if (codes.responseCode === '') return OWN_DECLINES[codes.serviceCode] === 'new_data'
  return EXPIRED.has(codes.responseCode)
}

/** The meaning of an advice code; null at other networks, and for a code without an instruction. */
export function merchantAdviceOf(network: RetryNetwork, code: string): MerchantAdvice | null {
  return network === 'Mastercard' ? (MERCHANT_ADVICE[code] ?? null) : null
}

/** The caps in force at `at`; a later row replaces an earlier one of the same amounts. */
export function attemptCaps(network: RetryNetwork, at: Date): readonly AttemptCap[] {
  const rows = ATTEMPT_CAPS.filter((each) => each.network === network && isInForce(each.from, at))
  return rows.filter((each) => rows.findLast(({ amounts }) => amounts === each.amounts) === each)
}

/**
 * Whether the cardholder has stopped payments. `payment`: this one (219, R0); `merchant`: all to
 * this merchant or to anybody (220, R1, R3).
 */
export function stopOrderOf({
  responseCode,
  serviceCode,
}: DeclineCodes): 'payment' | 'merchant' | null {
  if (responseCode === 'R1' || responseCode === 'R3' || serviceCode === 220) return 'merchant'
  return responseCode === 'R0' || serviceCode === 219 ? 'payment' : null
}

function isInForce(from: string, at: Date): boolean {
  return Date.parse(from) <= at.getTime()
}

function wait(hours: number, text: string): MerchantAdvice {
  return { kind: 'wait', hours, text }
}

function cap(
  network: RetryNetwork,
  from: string,
  attempts: number,
  days: number,
  amounts: AttemptCap['amounts'],
): AttemptCap {
  return { network, from, attempts, days, amounts }
}
