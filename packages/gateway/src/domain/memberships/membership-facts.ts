import { instantOfPeriod } from './calendar.ts'
import { isOver, membershipTimes, type Membership } from './membership.ts'

/** The facts of memberships, by the names of their events. */
export type MembershipFactName =
  | 'began'
  | 'renewed'
  | 'renewal_declined'
  | 'past_due'
  | 'recovered'
  | 'product_changed'
  | 'card_updated'
  | 'cancel_scheduled'
  | 'cancelled'
  | 'ended'

/** The charge of a renewal, once it is concluded. */
export interface ConcludedCharge {
  readonly outcome: 'approved' | 'declined' | 'unknown' | 'not_sent' | 'forbidden'
  readonly attempt: number
  readonly reason: string
  readonly orderId: bigint
  readonly transactionId: bigint
}

/** The cause of a change. */
export interface MembershipCause {
  /** By the site's clock. */
  readonly at: Date
  readonly origin: 'api' | 'portal' | 'rebill'
  /** A portal user as the audit log names it, an API user by its id; null for a job. */
  readonly actor: string | null
}

/** A fact and all that its event says beyond what never changes. */
export interface MembershipFact {
  readonly name: MembershipFactName
  readonly details: Readonly<Record<string, string | number | null>>
}

/** The facts of a new membership. */
export function beginningOf(membership: Omit<Membership, 'cardId'>, at: Date): MembershipFact {
  const cause = { at, origin: 'api', actor: null } as const
  return fact('began', { ...membership, cardId: 0n }, cause, {})
}

/**
 * The facts of one change, in their sequence; none for a charge that only begins. `charge` is the
 * one that the change concludes.
 */
export function membershipFacts(
  before: Membership,
  after: Membership,
  cause: MembershipCause,
  charge: ConcludedCharge | null,
): readonly MembershipFact[] {
  const describe: Describe = (name, more) => fact(name, after, cause, more)
  const facts: MembershipFact[] = []
  if (charge !== null) facts.push(...chargeFacts(before, after, charge, describe))
  if (after.cardId !== before.cardId) {
    facts.push(describe('card_updated', { old_pmt_id: before.cardId.toString() }))
  }
  const isRequest = !isOver(after) && after.state === before.state && charge === null
  const [planned, plannedBefore] = [after, before].map(
    ({ nextProduct }) => nextProduct?.productId ?? null,
  )
  // A planned product that takes over is describe by the renewal.
  if (
    isRequest &&
    planned !== plannedBefore &&
    after.product.productId === before.product.productId
  )
    facts.push(describe('product_changed', { old_next_product: plannedBefore ?? null }))
  if (after.state !== before.state) {
    const reason = reasonOfEnd(before, cause, charge)
    facts.push(...stateFacts(after, reason, describe))
  }
  return facts
}

type Describe = (name: MembershipFactName, more: MembershipFact['details']) => MembershipFact

function chargeFacts(
  before: Membership,
  after: Membership,
  charge: ConcludedCharge,
  describe: Describe,
): MembershipFact[] {
  const { attempt, outcome, reason } = charge
  const named = { ...payment(charge), attempt }
  if (outcome !== 'approved') {
    const next = after.next?.kind === 'retry' ? after.next.at.toISOString() : null
    return [describe('renewal_declined', { ...named, outcome, next_attempt: next, reason })]
  }
  // Cancelled during its charge, which is voided: the order has the events of that.
  if (isOver(before)) return []
  const renewed = describe('renewed', named)
  const isLate = before.renewal !== null && before.renewal.firstFailedAt !== null
  return isLate ? [renewed, describe('recovered', named)] : [renewed]
}

function payment({ orderId, transactionId }: ConcludedCharge): MembershipFact['details'] {
  return { po_id: orderId.toString(), trans_id: transactionId.toString() }
}

/** The reasons that `membership.cancelled` states. */
export const CANCEL_REASONS = ['request', 'scheduled', 'renewal_failed', 'stop_order'] as const
/** The reason that `membership.ended` states: its product does not renew. */
export const TERM = 'term'

type CancelReason = (typeof CANCEL_REASONS)[number]

function stateFacts(after: Membership, reason: CancelReason, describe: Describe): MembershipFact[] {
  switch (after.state) {
    case 'active':
      return []
    case 'past_due':
      return [describe('past_due', { since: after.renewal?.firstFailedAt?.toISOString() ?? null })]
    case 'cancel_scheduled':
      return [describe('cancel_scheduled', {})]
    case 'cancelled':
      return [describe('cancelled', { reason })]
    case 'ended':
      return [describe('ended', { reason: TERM })]
  }
}

/** Why it is cancelled. A job does it unasked if the card was stopped in another membership. */
function reasonOfEnd(
  { next, state }: Membership,
  { origin }: MembershipCause,
  charge: ConcludedCharge | null,
): CancelReason {
  if (origin !== 'rebill') return 'request'
  if (state === 'cancel_scheduled') return 'scheduled'
  return charge !== null || next?.kind === 'give_up' ? 'renewal_failed' : 'stop_order'
}

function fact(
  name: MembershipFactName,
  membership: Membership,
  { actor, at, origin }: MembershipCause,
  more: MembershipFact['details'],
): MembershipFact {
  const { anchorAt, cardId, nextProduct, period, product, state } = membership
  const { cancelAt, rebillAt } = membershipTimes(membership)
  const timeOf = (number: number): string | null =>
    number < 0 ? null : (instantOfPeriod(anchorAt, product.period, number)?.toISOString() ?? null)
  return {
    name,
    details: {
      at: at.toISOString(),
      origin,
      actor,
      state,
      product: product.productId,
      next_product: nextProduct?.productId ?? null,
      price_minor: product.price.minor.toString(),
      pmt_id: cardId === 0n ? null : cardId.toString(),
      period_start: timeOf(period),
      period_end: timeOf(period < 0 ? -1 : period + 1),
      next_charge: rebillAt?.toISOString() ?? null,
      ends_at: cancelAt?.toISOString() ?? null,
      ...more,
    },
  }
}
