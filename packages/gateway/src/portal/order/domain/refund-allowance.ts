import { findCurrency, type Currency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'

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

/** `12.50 EUR`. */
export function amountText(minor: bigint, currency: Currency): string {
  return `${formatMinor(minor, currency)} ${currency.code}`
}
