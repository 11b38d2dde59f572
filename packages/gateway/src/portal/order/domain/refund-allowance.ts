import { findCurrency, type Currency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { VoidOrRefundPlan } from './void-or-refund.ts'

/** How much of an order a portal user with a refund limit may still return. */
export interface RefundAllowance {
  /** Minor units of the order's currency; 0 if the limit is used up, or of another currency. */
  readonly leftMinor: bigint
  /** The limit in words. */
  readonly sentence: string
  /** The way to return more. */
  readonly advice: string
}

/**
 * The allowance of a limit, which covers all that one user returns of one order.
 *
 * @param limit minor units of its own currency
 * @param currency of the order
 * @param returnedMinor captured amount that the user has returned of the order already
 */
export function refundAllowance(
  limit: { readonly minor: bigint; readonly currency: string },
  currency: Currency,
  returnedMinor: bigint,
): RefundAllowance {
  const limitCurrency = findCurrency(limit.currency)
  const text = limitCurrency === null ? limit.currency : amountText(limit.minor, limitCurrency)
  if (limit.currency !== currency.code) {
    return {
      leftMinor: 0n,
      sentence: `You may refund up to ${text}, and this order is in ${currency.code}.`,
      advice: 'Ask a user without a refund limit.',
    }
  }
  const said =
    returnedMinor === 0n
      ? ''
      : ` You already returned ${amountText(returnedMinor, currency)} of this order.`
  return {
    leftMinor: returnedMinor < limit.minor ? limit.minor - returnedMinor : 0n,
    sentence: `You may refund up to ${text} of an order.${said}`,
    advice: 'Ask a user with a higher limit.',
  }
}

/** The amounts of one order that an allowance leaves; minor units. */
export interface OrderAllowance {
  readonly refundMinor: bigint
  /** Includes amounts that are authorized and not captured: they have no limit. */
  readonly voidOrRefundMinor: bigint
  /** The limit, with the way to return more unless it covers all. */
  readonly sentence: string
}

/** The amounts that an allowance leaves of an order, of which the plan voids or refunds all. */
export function allowedOf(
  { leftMinor, sentence, advice }: RefundAllowance,
  leftToRefundMinor: bigint,
  plan: VoidOrRefundPlan,
): OrderAllowance {
  const refundMinor = leftMinor < leftToRefundMinor ? leftMinor : leftToRefundMinor
  const mostMinor =
    plan.kind === 'planned' ? plan.steps.reduce((sum, { minor }) => sum + minor, 0n) : 0n
  return {
    refundMinor,
    voidOrRefundMinor: mostMinor === 0n ? 0n : mostMinor - leftToRefundMinor + refundMinor,
    sentence: leftMinor < leftToRefundMinor ? `${sentence} ${advice}` : sentence,
  }
}

/** `12.50 EUR`. */
export function amountText(minor: bigint, currency: Currency): string {
  return `${formatMinor(minor, currency)} ${currency.code}`
}
