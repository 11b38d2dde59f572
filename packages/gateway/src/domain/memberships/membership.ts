import type { Money } from '../money.ts'
import { isFinal } from '../states.ts'
import { instantOfPeriod, periodAt } from './calendar.ts'
import type { Period } from './calendar.ts'
import { MEMBERSHIP_STATES, type MembershipState } from './membership-states.ts'
import type { ProductTerms } from './product.ts'

export type { MembershipState }

/** A product of the site's catalogue, with the terms a membership has it under. */
export interface MembershipProduct extends ProductTerms {
  /** The catalogue's id, as LI_PROD_ID names it. */
  readonly productId: string
}

/** The next step of a membership, unless another event comes first. */
export interface NextStep {
  /**
   * `renewal`: charge the next period. `retry`: charge a renewal that failed. `end`: the only
   * period is over. `cancel`: the period ends after which it was to be cancelled. `give_up`: no
   * attempt is allowed with this card, and the time in which another one would have been tried is
   * over.
   */
  readonly kind: 'renewal' | 'retry' | 'end' | 'cancel' | 'give_up'
  readonly at: Date
}

/** A charge that was started and whose outcome has not been concluded. */
export interface ChargeUnderWay {
  /** The moment as of which the card is charged. */
  readonly at: Date
  readonly cardId: bigint
}

/** A renewal that is due and not paid. */
export interface OpenRenewal {
  /** When its period began: with the membership's id, the renewal's identity. Never used twice. */
  readonly dueAt: Date
  /** Charges started for it. */
  readonly attempts: number
  /** As of the first decline or unknown outcome, from which retries are counted; null: none yet. */
  readonly firstFailedAt: Date | null
  readonly charge: ChargeUnderWay | null
}

export interface Membership {
  readonly state: MembershipState
  /** In force for the period that is paid, or, while a renewal is open, for that renewal. */
  readonly product: MembershipProduct
  /** Takes its place when the next renewal is due; null: none. */
  readonly nextProduct: MembershipProduct | null
  /** The saved card that is charged. */
  readonly cardId: bigint
  /** When period 0 of `product` began. */
  readonly anchorAt: Date
  /** The latest period that is paid, counted from the anchor; -1 until `product`'s first is. */
  readonly period: number
  readonly renewal: OpenRenewal | null
  /** Null: only a conclusion or a request can move it on. */
  readonly next: NextStep | null
  /** Since when it is cancelled or ended; null: it is neither. */
  readonly overAt: Date | null
}

/** A membership whose first period was paid at `at`. */
export function startMembership(product: MembershipProduct, cardId: bigint, at: Date): Membership {
  return {
    state: 'active',
    product,
    nextProduct: null,
    cardId,
    anchorAt: at,
    period: 0,
    renewal: null,
    next: stepAfterPeriod(product, at, 0),
    overAt: null,
  }
}

/** The period after a paid one; null after the end of the calendar. */
export function stepAfterPeriod(
  { type, period }: { readonly type: ProductTerms['type']; readonly period: Period },
  anchorAt: Date,
  paidPeriod: number,
): NextStep | null {
  const at = instantOfPeriod(anchorAt, period, paidPeriod + 1)
  return at === null ? null : { kind: type === 'renews' ? 'renewal' : 'end', at }
}

/** The membership once the renewal that it was charged for as of `at` is paid. */
export function paidAsOf(membership: Membership, at: Date): Membership {
  const { product, anchorAt } = membership
  const period = periodAt(anchorAt, product.period, at)
  const next = stepAfterPeriod(product, anchorAt, period)
  return { ...membership, period, renewal: null, next }
}

/** A membership that is over; what was open or planned is dropped. */
export function overAsOf(
  membership: Membership,
  state: 'cancelled' | 'ended',
  at: Date,
): Membership {
  // A charge under way stays, so that its conclusion is recognized.
  const renewal = chargeUnderWay(membership) === null ? null : membership.renewal
  return { ...membership, state, nextProduct: null, renewal, next: null, overAt: at }
}

/** Whether it is cancelled or ended, so that nothing moves it any more. */
export function isOver({ state }: Membership): boolean {
  return isFinal(MEMBERSHIP_STATES, state)
}

export function chargeUnderWay({ renewal }: Membership): ChargeUnderWay | null {
  return renewal === null ? null : renewal.charge
}

/** The two times of a membership answer; null for one that is shown empty. */
export interface MembershipTimes {
  /** When the card is charged next. */
  readonly rebillAt: Date | null
  /** When it is over, or was. */
  readonly cancelAt: Date | null
}

export function membershipTimes({ next, renewal, overAt }: Membership): MembershipTimes {
  if (overAt !== null) return { rebillAt: null, cancelAt: overAt }
  if (next !== null && next.kind !== 'renewal' && next.kind !== 'retry') {
    return { rebillAt: null, cancelAt: next.at }
  }
  return { rebillAt: next?.at ?? renewal?.charge?.at ?? null, cancelAt: null }
}

/** The price of the next renewal, or of the open one. */
export function amountDue({ product, nextProduct, renewal }: Membership): Money {
  return (renewal === null ? (nextProduct ?? product) : product).price
}
