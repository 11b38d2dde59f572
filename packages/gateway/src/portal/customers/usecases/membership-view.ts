import { agendaUntil } from '../../../domain/memberships/agenda.ts'
import type { Period } from '../../../domain/memberships/calendar.ts'
import { instantOfPeriod } from '../../../domain/memberships/calendar.ts'
import {
  amountDue,
  chargeUnderWay,
  isOver,
  membershipTimes,
} from '../../../domain/memberships/membership.ts'
import type { MembershipProduct } from '../../../domain/memberships/membership.ts'
import { decideAttemptByHand, type CardHistory } from '../../../domain/memberships/next-attempt.ts'
import type { ProductType } from '../../../domain/memberships/product.ts'
import { DEFAULT_RETRY_DAYS } from '../../../domain/memberships/retry-plan.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  ChargeView,
  MembershipOperationView,
  MembershipCard,
  MembershipRecord,
} from './memberships.ts'

const DAY_MS = 86_400_000

export interface TermsView {
  readonly productId: string
  readonly name: string
  readonly type: ProductType
  readonly period: Period
  readonly priceMinor: bigint
}

/** A membership as its page shows it. */
export interface MembershipView {
  readonly id: bigint
  readonly version: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly state: MembershipRecord['stored']['membership']['state']
  readonly customer: MembershipRecord['customer']
  /** The order that began it. */
  readonly orderId: bigint
  readonly createdAt: Date
  readonly currency: string
  readonly product: TermsView
  /** Takes over with the next renewal; null: none. */
  readonly nextProduct: TermsView | null
  readonly cardId: bigint
  /** Null: it was taken away. */
  readonly card: MembershipCard | null
  readonly cards: readonly MembershipCard[]
  /** The period that is paid; null: the first of its product is not. */
  readonly paid: { readonly from: Date; readonly until: Date | null } | null
  readonly next: {
    readonly kind: string
    readonly at: Date
    readonly amountMinor: bigint | null
  } | null
  /** When it is over, or was; null where it renews. */
  readonly overAt: Date | null
  readonly isCharging: boolean
  /** A renewal that is due and not paid. */
  readonly open: {
    readonly dueAt: Date
    readonly attempts: number
    readonly amountMinor: bigint
    /** The days of the site's plan, counted from the first failure. */
    readonly retries: readonly { readonly at: Date; readonly isPast: boolean }[]
    /** Whether a user may have it retried now, and if not why and from when. */
    readonly now: { readonly allowed: boolean; readonly reason: string; readonly at: Date | null }
  } | null
  /** The charges of a year if every one is approved, at most twelve. */
  readonly agenda: readonly {
    readonly kind: string
    readonly at: Date
    readonly amountMinor: bigint | null
  }[]
  readonly charges: readonly ChargeView[]
  readonly operations: readonly MembershipOperationView[]
  /** The time of the site's clock. */
  readonly now: Date
}

/** `history`: of the card that it charges; only asked for where a renewal is open. */
export function membershipView(
  record: MembershipRecord,
  now: Date,
  history: CardHistory | null,
): MembershipView {
  const { stored, productNames, cards } = record
  const { membership } = stored
  const { product, nextProduct, renewal, next, anchorAt, period } = membership
  const terms = ({ productId, type, period: length, price }: MembershipProduct): TermsView => ({
    productId,
    name: productNames[productId] ?? '',
    type,
    period: length,
    priceMinor: price.minor,
  })
  const amount = amountDue(membership)
  const verdict =
    renewal === null || history === null ? null : decideAttemptByHand(history, amount, now)
  const charges = (kind: string): boolean => kind === 'renewal' || kind === 'retry'
  const paidFrom = period < 0 ? null : instantOfPeriod(anchorAt, product.period, period)
  const days = record.retryDays ?? DEFAULT_RETRY_DAYS
  return {
    id: stored.id,
    version: stored.version,
    siteId: stored.siteId,
    mode: stored.mode,
    state: membership.state,
    customer: record.customer,
    orderId: stored.orderId,
    createdAt: stored.createdAt,
    currency: product.price.currency.code,
    product: terms(product),
    nextProduct: nextProduct && terms(nextProduct),
    cardId: membership.cardId,
    card: cards.find(({ id }) => id === membership.cardId) ?? null,
    cards,
    paid: paidFrom && {
      from: paidFrom,
      until: instantOfPeriod(anchorAt, product.period, period + 1),
    },
    next: next && { ...next, amountMinor: charges(next.kind) ? amount.minor : null },
    overAt: membershipTimes(membership).cancelAt,
    isCharging: chargeUnderWay(membership) !== null,
    open:
      renewal === null || isOver(membership)
        ? null
        : {
            dueAt: renewal.dueAt,
            attempts: renewal.attempts,
            amountMinor: amount.minor,
            retries:
              renewal.firstFailedAt === null
                ? []
                : days.map((day) => {
                    const at = new Date((renewal.firstFailedAt as Date).getTime() + day * DAY_MS)
                    return { at, isPast: at.getTime() <= now.getTime() }
                  }),
            now: {
              allowed: verdict?.kind === 'allowed' && verdict.at.getTime() <= now.getTime(),
              reason: verdict?.reason ?? '',
              at: verdict?.kind === 'allowed' ? verdict.at : null,
            },
          },
    agenda: agendaUntil(membership, new Date(now.getTime() + 366 * DAY_MS))
      .slice(0, 12)
      .map(({ kind, at, amount: asked }) => ({ kind, at, amountMinor: asked?.minor ?? null })),
    charges: record.charges,
    operations: record.operations,
    now,
  }
}
