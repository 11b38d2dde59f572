import { formatMinor } from '../money.ts'
import type { Money } from '../money.ts'
import type { CardBrand } from '../payments/card.ts'
import {
  DEFAULT_WAIT_HOURS,
  attemptCaps,
  declineCategory,
  isAboutSavedData,
  merchantAdviceOf,
  retryNetworkOf,
  stopOrderOf,
} from './network-rules.ts'
import type { AttemptCap, DeclineCodes, RetryNetwork } from './network-rules.ts'

/** One time that a card was charged, or was to be charged, at this merchant. */
export interface CardAttempt extends DeclineCodes {
  readonly at: Date
  readonly amount: Money
  /** `unknown`: the bank may have seen it. */
  readonly outcome: 'approved' | 'declined' | 'unknown'
}

export interface CardHistory {
  readonly brand: CardBrand | null
  /**
   * Those of this card at this merchant, in any sequence. All of the last 30 days, and older ones
   * as far back as the last approval.
   */
  readonly attempts: readonly CardAttempt[]
  /** When its expiry was last changed, by the merchant or the account updater; null: never. */
  readonly dataChangedAt: Date | null
}

/**
 * When a card may be charged next. Each `reason` is a sentence for the portal and the log; it holds
 * nothing of the card.
 */
export type NextAttempt =
  /** Not before `at`, which is never before the `now` that was asked about. */
  | { readonly kind: 'allowed'; readonly at: Date; readonly reason: string }
  /** Not with the card as it is: another one is needed, or another expiry. */
  | { readonly kind: 'after_new_data'; readonly reason: string }
  /** Not with this card, even with a new expiry. */
  | { readonly kind: 'never'; readonly reason: string }
  /** The cardholder stopped this payment: the membership is cancelled. */
  | { readonly kind: 'stopped'; readonly reason: string }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * Whether and from when `amount` may be requested from a card. It follows from final declines, from
 * declines until the saved data change, and from the network's caps. Must be checked before every
 * charge of a renewal. An approval cancels what came before it, except that declines count towards
 * the caps for their whole window.
 */
export function decideAttempt(history: CardHistory, amount: Money, now: Date): NextAttempt {
  return findBlock(history) ?? findStaleData(history) ?? latest(capWaits(history, amount, now), now)
}

/**
 * The time from which a failed attempt may be retried. The strictest of this answer, earlier final
 * answers and the network's caps decides. `history` excludes this attempt.
 *
 * A Mastercard decline without an advice code is classified by its response code, like any other.
 * The network's advice for that case is not to retry. Taken literally, every processor that drops
 * the code would cost merchants those customers who are short of money for a day. Final response
 * codes still apply, the wait is a day, and the caps hold.
 */
export function decideRetry(history: CardHistory, failed: CardAttempt, now: Date): NextAttempt {
  if (failed.outcome === 'declined' && stopOrderOf(failed) !== null) {
    return { kind: 'stopped', reason: `${said(failed)}: the cardholder stopped these payments.` }
  }
  const whole = { ...history, attempts: [...history.attempts, failed] }
  const network = retryNetworkOf(history.brand)
  const isFixed = isNewerThan(history.dataChangedAt, failed)
  const needsData = declineCategory(network, failed, failed.at) === 'new_data'
  const needed = needsData && !isFixed ? newData(failed) : null
  const waits = isFixed ? [] : [answerWait(network, failed)]
  return (
    findBlock(whole) ??
    findStaleData(whole) ??
    needed ??
    latest([...waits, ...capWaits(whole, failed.amount, now)], now)
  )
}

/**
 * Whether and from when a portal user may retry `amount` at once. The same rules apply, and so does
 * the time that the network named with its last decline. The default wait of a day is the gateway's
 * own, so a portal user may skip it.
 */
export function decideAttemptByHand(history: CardHistory, amount: Money, now: Date): NextAttempt {
  const verdict = decideAttempt(history, amount, now)
  if (verdict.kind !== 'allowed') return verdict
  const network = retryNetworkOf(history.brand)
  const last = declinedSinceApproval(history).at(-1)
  const advice = last === undefined ? null : merchantAdviceOf(network, last.merchantAdvice)
  if (last === undefined || advice?.kind !== 'wait' || isNewerThan(history.dataChangedAt, last))
    return verdict
  const { untilMs, reason } = answerWait(network, last)
  return untilMs > verdict.at.getTime()
    ? { kind: 'allowed', at: new Date(untilMs), reason }
    : verdict
}

function oldestFirst({ attempts }: CardHistory): readonly CardAttempt[] {
  return attempts.toSorted((a, b) => a.at.getTime() - b.at.getTime())
}

function declinedSinceApproval(history: CardHistory): readonly CardAttempt[] {
  const attempts = oldestFirst(history)
  return attempts.slice(attempts.findLastIndex(isApproved) + 1).filter(isDeclined)
}

function findBlock(history: CardHistory): NextAttempt | null {
  const network = retryNetworkOf(history.brand)
  for (const attempt of declinedSinceApproval(history).toReversed()) {
    const advice = merchantAdviceOf(network, attempt.merchantAdvice)
    if (advice?.kind === 'never') return { kind: 'never', reason: advised(attempt, advice.text) }
    // An order to stop one payment, another membership's, leaves the card to the others.
    if (stopOrderOf(attempt) === 'payment') continue
    if (declineCategory(network, attempt, attempt.at) !== 'never') continue
    return { kind: 'never', reason: `${said(attempt)}: this card must not be charged again.` }
  }
  return null
}

function findStaleData(history: CardHistory): NextAttempt | null {
  const network = retryNetworkOf(history.brand)
  const last = declinedSinceApproval(history).findLast((each) => isAboutSavedData(network, each))
  if (last === undefined || isNewerThan(history.dataChangedAt, last)) return null
  const advice = merchantAdviceOf(network, last.merchantAdvice)
  if (advice?.kind !== 'new_data') return newData(last)
  return { kind: 'after_new_data', reason: `${advised(last, advice.text)} ${DATA_FIRST}` }
}

function newData(attempt: CardAttempt): NextAttempt {
  return { kind: 'after_new_data', reason: `${said(attempt)}. ${DATA_FIRST}` }
}

const DATA_FIRST = 'Another card is needed, or new data of this one from the account updater.'

interface Wait {
  readonly untilMs: number
  readonly reason: string
}

/** The wait that an answer asks for. */
function answerWait(network: RetryNetwork, failed: CardAttempt): Wait {
  const advice = merchantAdviceOf(network, failed.merchantAdvice)
  const hours = advice?.kind === 'wait' ? advice.hours : DEFAULT_WAIT_HOURS
  const untilMs = failed.at.getTime() + hours * HOUR_MS
  if (advice?.kind === 'wait') return { untilMs, reason: advised(failed, advice.text) }
  const what = failed.outcome === 'unknown' ? 'What the attempt came to is not known' : said(failed)
  return { untilMs, reason: `${what}: the next attempt waits for ${hours} hours.` }
}

function capWaits(history: CardHistory, amount: Money, now: Date): readonly Wait[] {
  return attemptCaps(retryNetworkOf(history.brand), now).flatMap((cap) => {
    const counted = oldestFirst(history).filter((each) => isCounted(each, cap, amount))
    // There is room once this one is out of the cap's period, which it may be already.
    const leaves = counted.at(-cap.attempts)
    if (leaves === undefined) return []
    return [{ untilMs: leaves.at.getTime() + cap.days * DAY_MS, reason: capped(cap, amount) }]
  })
}

/** A decline by this gateway itself did not reach the network; an unknown outcome may have. */
function isCounted(attempt: CardAttempt, cap: AttemptCap, amount: Money): boolean {
  if (attempt.outcome === 'approved') return false
  if (attempt.outcome === 'declined' && attempt.responseCode === '') return false
  return cap.amounts === 'any amount' || isSameAmount(attempt.amount, amount)
}

function latest(waits: readonly Wait[], now: Date): NextAttempt {
  const longest = waits.reduce<Wait | null>(
    (one, other) => (one === null || other.untilMs > one.untilMs ? other : one),
    null,
  )
  if (longest !== null && longest.untilMs > now.getTime()) {
    return { kind: 'allowed', at: new Date(longest.untilMs), reason: longest.reason }
  }
  return { kind: 'allowed', at: now, reason: 'Nothing stands against an attempt now.' }
}

function isApproved({ outcome }: CardAttempt): boolean {
  return outcome === 'approved'
}

function isDeclined({ outcome }: CardAttempt): boolean {
  return outcome === 'declined'
}

function isNewerThan(changedAt: Date | null, attempt: CardAttempt): boolean {
  return changedAt !== null && changedAt.getTime() > attempt.at.getTime()
}

function isSameAmount(left: Money, right: Money): boolean {
  return left.minor === right.minor && left.currency.code === right.currency.code
}

function said({ responseCode, serviceCode }: CardAttempt): string {
  return responseCode === ''
    ? `This gateway declined with ${serviceCode}`
    : `The issuer answered ${responseCode}`
}

function advised({ merchantAdvice }: CardAttempt, text: string): string {
  return `Mastercard's advice ${merchantAdvice}: ${text}.`
}

function capped(cap: AttemptCap, amount: Money): string {
  const whose = cap.network === 'other' ? 'This gateway' : cap.network
  const of =
    cap.amounts === 'any amount'
      ? ''
      : ` of ${formatMinor(amount.minor, amount.currency)} ${amount.currency.code}`
  const within = cap.days === 1 ? '24 hours' : `${cap.days} days`
  return `${whose} allows ${cap.attempts} attempts${of} with one card in ${within}.`
}
