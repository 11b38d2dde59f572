import type { AuthorizationRequest } from '../acquirer/authorization-request.ts'
import type { TestCard } from '../test-data/test-card.ts'

/** Results of the account updater, in Visa's letters (tag UR). */
export const UPDATER_RESULTS = {
  A: 'the account has a new number, and an expiry with it',
  C: 'the account is closed',
  E: 'the account has a new expiry',
  P: 'the issuer does not take part',
  Q: 'the issuer wants the cardholder to be asked',
  V: 'the number and the expiry are still right',
} as const

export type UpdaterResult = keyof typeof UPDATER_RESULTS

/** The account updater's result for one payment. */
export interface AccountUpdate {
  readonly result: UpdaterResult
  /** YYMM, with `A` and `E`. */
  readonly expiry?: string
}

/** Results for accounts whose state decides. */
const BY_STATE: Readonly<Partial<Record<NonNullable<TestCard['state']>, UpdaterResult>>> = {
  closed: 'C',
  expired: 'P',
  lost: 'Q',
  stolen: 'Q',
}

/** Each renewed card is valid for this many months longer. */
const CARD_LIFE_MONTHS = 48
/** December 2099: two digits of a year count from 2000. */
const LAST_MONTH = 1199

/**
 * Looks an account up if the payment requests it, is merchant-initiated and has no security code;
 * null otherwise. `thisMonth` is YYMM. Every account takes part unless its row states
 * otherwise.
 */
export function lookUpAccount(
  request: AuthorizationRequest,
  testCard: TestCard | null,
  thisMonth: string,
): AccountUpdate | null {
  const { requestsAccountUpdate, codePresence, expiry, isMerchantInitiated, securityCode } = request
  if (!requestsAccountUpdate || !isMerchantInitiated) return null
  if (codePresence === '1' || securityCode !== undefined) return null
  const known = testCard?.updater
  if (known?.result === 'A') return { result: 'A', expiry: known.expiry }
  if (known !== undefined && known.result !== 'E') return { result: known.result }
  const byState = testCard?.state === undefined ? undefined : BY_STATE[testCard.state]
  if (byState !== undefined) return { result: byState }
  const right = known?.expiry ?? testCard?.expiry
  if (right !== undefined && right !== expiry) return { result: 'E', expiry: right }
  if (expiry !== undefined && expiry < thisMonth) {
    return { result: 'E', expiry: renewedExpiry(expiry, thisMonth) }
  }
  return { result: 'V' }
}

/**
 * The expiry after one renewal, or as many as it takes not to be past; both parameters are YYMM.
 */
export function renewedExpiry(expiry: string, thisMonth: string): string {
  const old = monthsOf(expiry)
  const lives = Math.max(1, Math.ceil((monthsOf(thisMonth) - old) / CARD_LIFE_MONTHS))
  const renewed = Math.min(old + lives * CARD_LIFE_MONTHS, LAST_MONTH)
  const year = Math.floor(renewed / 12)
  return String(year * 100 + (renewed % 12) + 1).padStart(4, '0')
}

/** Months since January 2000. */
function monthsOf(expiry: string): number {
  return Number(expiry.slice(0, 2)) * 12 + Number(expiry.slice(2)) - 1
}
