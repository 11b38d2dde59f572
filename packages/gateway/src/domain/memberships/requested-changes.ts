import { periodAt } from './calendar.ts'
import { chargeUnderWay, isOver, overAsOf, stepAfterPeriod } from './membership.ts'
import type { Membership, MembershipProduct } from './membership.ts'
import { isSameTerms } from './product.ts'

/**
 * Why a membership is not changed as asked. On the wire: `nothing_to_change` is 110 with
 * SUB_UPDATE_PROD_ID, `membership_over` 697,
 * `product_not_rebillable` 692, `not_set_for_rebill` 699, `card_unknown` 113 with
 * SUB_UPDATE_PMT_ID. Whether there is such a membership (698) is the store's to say.
 */
export type MembershipRefusal =
  | 'nothing_to_change'
  | 'membership_over'
  | 'product_not_rebillable'
  | 'not_set_for_rebill'
  | 'card_unknown'

export type MembershipDecision =
  | { readonly kind: 'allowed'; readonly membership: Membership }
  | { readonly kind: 'refused'; readonly refusal: MembershipRefusal }

export type CancelTime = 'now' | 'at_rebill'

/** Decides SUB_CANCEL. */
export function decideCancel(
  membership: Membership,
  when: CancelTime,
  at: Date,
): MembershipDecision {
  if (isOver(membership)) return refused('membership_over')
  if (when === 'now') return allowed(overAsOf(membership, 'cancelled', at))
  if (membership.state === 'cancel_scheduled') return allowed(membership)

  const { renewal, next, product } = membership
  const charge = chargeUnderWay(membership)
  // A renewal is due and unpaid: there is no paid period to keep.
  if (renewal !== null && charge === null) return allowed(overAsOf(membership, 'cancelled', at))
  if (product.type === 'ends') return refused('not_set_for_rebill')
  const end = charge === null ? next : stepAfter(membership, charge.at)
  return allowed({
    ...membership,
    state: 'cancel_scheduled',
    nextProduct: null,
    next: end && { kind: 'cancel', at: end.at },
  })
}

/** The changes that SUB_UPDATE requests; undefined for a field that it does not name. */
export interface MembershipChange {
  /** Null: the site has no such product, or it is not active or no membership's. */
  readonly product: MembershipProduct | null | undefined
  /** Null: the customer has no such card. */
  readonly cardId: bigint | null | undefined
}

/**
 * Decides SUB_UPDATE. Another product takes over when the next renewal is due; naming the one in
 * force takes an earlier change back. One in another currency is refused here rather than declined
 * weeks later, because the membership's merchant account was chosen for its currency.
 */
export function decideChange(
  membership: Membership,
  { product, cardId }: MembershipChange,
  at: Date,
): MembershipDecision {
  if (product === undefined && cardId === undefined) return refused('nothing_to_change')
  if (isOver(membership)) return refused('membership_over')
  if (product !== undefined) {
    const refusal = productRefusal(membership, product)
    if (refusal !== null) return refused(refusal)
  }
  if (cardId === null) return refused('card_unknown')

  const changed = product ? withProduct(membership, product) : membership
  return allowed(cardId === undefined ? changed : withCard(changed, cardId, at))
}

/**
 * The membership once its renewal that failed is tried again at once, not when its next retry is
 * due; the retries that are planned stay. Null: none waits, or it is being charged.
 */
export function withRetryNow(membership: Membership, at: Date): Membership | null {
  const { renewal, next } = membership
  if (isOver(membership) || renewal === null || renewal.charge !== null) return null
  const isDue = next?.kind === 'retry' && next.at.getTime() <= at.getTime()
  return isDue ? membership : { ...membership, next: { kind: 'retry', at } }
}

/**
 * The membership once its card has a new expiry or number, from the merchant or the account
 * updater: a waiting renewal is tried at once. Not for an updater's report that nothing changed.
 */
export function withNewCardData(membership: Membership, at: Date): Membership {
  const { renewal } = membership
  if (isOver(membership) || renewal === null || renewal.charge !== null) return membership
  return { ...membership, next: { kind: 'retry', at } }
}

/** The membership once the cardholder stopped payments or the card's account was closed. */
export function stopMembership(membership: Membership, at: Date): Membership {
  return isOver(membership) ? membership : overAsOf(membership, 'cancelled', at)
}

function productRefusal(
  membership: Membership,
  product: MembershipProduct | null,
): MembershipRefusal | null {
  if (product === null) return 'product_not_rebillable'
  const current = membership.product
  if (product.price.currency.code !== current.price.currency.code) return 'product_not_rebillable'
  const renews = current.type === 'renews' && membership.state !== 'cancel_scheduled'
  return renews ? null : 'not_set_for_rebill'
}

function withProduct(membership: Membership, product: MembershipProduct): Membership {
  const current = membership.product
  const isCurrent = product.productId === current.productId && isSameTerms(product, current)
  return { ...membership, nextProduct: isCurrent ? null : product }
}

/** The card that it has already is no new one, and no reason to try again before it is time. */
function withCard(membership: Membership, cardId: bigint, at: Date): Membership {
  if (cardId === membership.cardId) return membership
  return withNewCardData({ ...membership, cardId }, at)
}

/** The period after the one that a charge as of `at` pays for. */
function stepAfter({ product, anchorAt }: Membership, at: Date): { readonly at: Date } | null {
  return stepAfterPeriod(product, anchorAt, periodAt(anchorAt, product.period, at))
}

function allowed(membership: Membership): MembershipDecision {
  return { kind: 'allowed', membership }
}

function refused(refusal: MembershipRefusal): MembershipDecision {
  return { kind: 'refused', refusal }
}
