import { invariant } from '../../base/invariant.ts'
import type { Money } from '../money.ts'
import { amountDue, chargeUnderWay, isOver, overAsOf, paidAsOf } from './membership.ts'
import type { Membership, NextStep, OpenRenewal } from './membership.ts'
import type { NextAttempt } from './next-attempt.ts'
import { retriesLeft } from './retry-plan.ts'

/**
 * How missed due times are handled. `each`: all are processed, each as of its own time; for a clock
 * that was moved. `once`: the first is processed as of now, and pays for every period up to the
 * current one; for a gateway that was down.
 */
export type CatchUp = 'each' | 'once'

/** A charge to make. `dueAt` and `attempt` identify it within the membership. */
export interface RenewalCharge {
  readonly dueAt: Date
  /** 1 for the first. */
  readonly attempt: number
  /** As of when it is made. */
  readonly at: Date
  readonly amount: Money
  readonly cardId: bigint
}

export type DueDecision =
  /** Nothing is due, or what is due is under way. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'over'; readonly membership: Membership }
  /** Write the membership and the charge together, then charge, then `concludeCharge`. */
  | { readonly kind: 'charge'; readonly membership: Membership; readonly charge: RenewalCharge }

/**
 * Takes a membership's next step if it is due at `now`. With `each`, ask again with what came of it
 * until nothing is due.
 */
export function decideDue(membership: Membership, now: Date, catchUp: CatchUp): DueDecision {
  const { next, renewal } = membership
  if (next === null || next.at.getTime() > now.getTime()) return { kind: 'nothing' }
  if (chargeUnderWay(membership) !== null) return { kind: 'nothing' }

  const at = catchUp === 'each' ? next.at : now
  switch (next.kind) {
    case 'renewal':
      return beginCharge(withNextProduct(membership, next.at), newRenewal(next.at), at)
    case 'retry':
      invariant(renewal !== null, 'A membership is to be charged again without an open renewal.')
      return beginCharge(membership, renewal, at)
    case 'end':
      return { kind: 'over', membership: overAsOf(membership, 'ended', next.at) }
    case 'cancel':
    case 'give_up':
      return { kind: 'over', membership: overAsOf(membership, 'cancelled', next.at) }
  }
}

/**
 * The outcome of a charge. A charge that the network's rules forbid is not made, and has `failed`.
 */
export type ChargeOutcome =
  | { readonly kind: 'approved' }
  /** Declined, or of unknown outcome and reversed; `retry` is the result of `decideRetry`. */
  | { readonly kind: 'failed'; readonly retry: NextAttempt }
  /**
   * Nothing left this gateway. `waits`: time does too, so it is made again as of the same moment.
   */
  | { readonly kind: 'not_sent'; readonly waits?: boolean }

export interface Conclusion {
  readonly membership: Membership
  /** The charge was approved after its membership was cancelled at once: void it. */
  readonly reverses: boolean
  /** The event, as a sentence or two for the portal and the log. */
  readonly reason: string
}

/** Hours until a charge that did not leave this gateway is made again; it has cost no retry. */
export const NOT_SENT_WAIT_HOURS = 1

const HOUR_MS = 3_600_000

/**
 * Concludes the charge under way. A late renewal pays for the current period: unpaid periods that
 * have passed are not charged.
 *
 * A wait that the network asks for moves a retry, even past the end of the site's plan. It uses up
 * the retries that it passes. No network asks for more than 30 days. If the card must not be
 * charged at all, the membership waits for another one until the plan's last day.
 */
export function concludeCharge(
  membership: Membership,
  outcome: ChargeOutcome,
  retryDays: readonly number[],
): Conclusion {
  const { renewal } = membership
  const charge = chargeUnderWay(membership)
  invariant(renewal !== null && charge !== null, 'A charge was concluded that is not under way.')
  const { at } = charge
  if (isOver(membership)) return afterTheEnd(membership, outcome)

  switch (outcome.kind) {
    case 'approved':
      return paid(membership, at)
    case 'failed':
      return failed(membership, renewal, at, outcome.retry, retryDays)
    case 'not_sent':
      return notSent(membership, renewal, at, outcome.waits === true)
  }
}

function newRenewal(dueAt: Date): OpenRenewal {
  return { dueAt, attempts: 0, firstFailedAt: null, charge: null }
}

/** Another product counts its periods from the renewal with which it begins. */
function withNextProduct(membership: Membership, dueAt: Date): Membership {
  const { nextProduct } = membership
  if (nextProduct === null) return membership
  return { ...membership, product: nextProduct, nextProduct: null, anchorAt: dueAt, period: -1 }
}

function beginCharge(membership: Membership, renewal: OpenRenewal, at: Date): DueDecision {
  const { cardId } = membership
  const attempts = renewal.attempts + 1
  const begun: Membership = {
    ...membership,
    renewal: { ...renewal, attempts, charge: { at, cardId } },
    next: null,
  }
  const { dueAt } = renewal
  const charge = { dueAt, attempt: attempts, at, amount: amountDue(begun), cardId }
  return { kind: 'charge', membership: begun, charge }
}

function paid(membership: Membership, at: Date): Conclusion {
  const renewed = paidAsOf(membership, at)
  if (membership.state !== 'cancel_scheduled') {
    return conclusion({ ...renewed, state: 'active' }, 'The renewal is paid.')
  }
  const next: NextStep | null = renewed.next && { kind: 'cancel', at: renewed.next.at }
  return conclusion({ ...renewed, next }, 'The renewal is paid; it is the last one.')
}

function failed(
  membership: Membership,
  renewal: OpenRenewal,
  at: Date,
  retry: NextAttempt,
  retryDays: readonly number[],
): Conclusion {
  const firstFailedAt = renewal.firstFailedAt ?? at
  const open = { ...renewal, firstFailedAt, charge: null }
  const pastDue = (next: NextStep, then: string) =>
    conclusion({ ...membership, state: 'past_due', renewal: open, next }, `${retry.reason} ${then}`)

  if (membership.state === 'cancel_scheduled') {
    return cancelled(membership, at, `${retry.reason} It was to be cancelled anyway.`)
  }
  if (retry.kind === 'stopped') return cancelled(membership, at, retry.reason)
  if (membership.cardId !== renewal.charge?.cardId) {
    return pastDue({ kind: 'retry', at }, 'Another card was given meanwhile and is charged now.')
  }
  const left = retriesLeft(retryDays, firstFailedAt, at)
  if (left === null) return cancelled(membership, at, `${retry.reason} No retry is left.`)
  if (retry.kind !== 'allowed') {
    return pastDue({ kind: 'give_up', at: left.lastAt }, 'The membership waits for another card.')
  }
  const nextAt = retry.at.getTime() > left.nextAt.getTime() ? retry.at : left.nextAt
  return pastDue({ kind: 'retry', at: nextAt }, 'The renewal is tried again.')
}

function notSent(
  membership: Membership,
  renewal: OpenRenewal,
  at: Date,
  waits: boolean,
): Conclusion {
  const reason = 'The charge did not leave this gateway.'
  if (membership.state === 'cancel_scheduled') {
    return cancelled(membership, at, `${reason} It was to be cancelled anyway.`)
  }
  const againAt = waits ? at : new Date(at.getTime() + NOT_SENT_WAIT_HOURS * HOUR_MS)
  const next: NextStep = { kind: 'retry', at: againAt }
  return conclusion(
    { ...membership, renewal: { ...renewal, charge: null }, next },
    `${reason} It is made again ${waits ? 'once the bank is there' : 'after an hour'}.`,
  )
}

function afterTheEnd(membership: Membership, outcome: ChargeOutcome): Conclusion {
  const closed = { ...membership, renewal: null }
  if (outcome.kind !== 'approved') return conclusion(closed, 'The membership was over already.')
  const reason = 'The membership was cancelled while it was charged; the charge is voided.'
  return { membership: closed, reverses: true, reason }
}

/** An open renewal is closed with the membership. */
function cancelled(membership: Membership, at: Date, reason: string): Conclusion {
  const over = overAsOf({ ...membership, renewal: null }, 'cancelled', at)
  return conclusion(over, `${reason} The membership is cancelled.`)
}

function conclusion(membership: Membership, reason: string): Conclusion {
  return { membership, reverses: false, reason }
}
