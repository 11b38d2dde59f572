import type { OrderFigures, OrderInBooks } from '@tollgate/gateway/books'

/** Writes an amount of the order's currency. */
type AmountText = (minor: bigint) => string

/**
 * The next step for an order that only the bank knows. After a restore, these are the payments that
 * were made after the restored moment.
 */
export function adviceForLostOrder(bank: OrderFigures, amount: AmountText): string {
  const { approvedMinor, capturedMinor, refundedMinor } = bank
  const taken = capturedMinor - refundedMinor
  const held = approvedMinor - capturedMinor
  const rest = held > 0n ? ` It also holds ${amount(held)}, which expires.` : ''
  if (taken > 0n) {
    return (
      `The cardholder paid ${amount(taken)}. Ask the merchant for the order of this time and ` +
      'amount. Delivered: note it as paid outside of the gateway. Not delivered: refund it at ' +
      `the bank, or with CCCREDIT without an order. Do not charge it again.${rest}`
    )
  }
  if (taken < 0n) {
    return `The cardholder received ${amount(-taken)}. Note it, and do not refund it again.`
  }
  if (held > 0n) {
    return (
      `The bank holds ${amount(held)}, and nothing was captured. Reverse it at the bank, or let ` +
      'it expire. The shop must authorize again before it delivers.'
    )
  }
  return 'Nothing is held and nothing is owed: note it, and do nothing.'
}

/**
 * The next steps for an order that both know and nothing explains, where the bank is ahead. After a
 * restore, operations on it were lost. Empty for any other difference.
 */
export function adviceForLostOperations(
  { bank, gateway }: Pick<OrderInBooks, 'bank' | 'gateway'>,
  amount: AmountText,
): readonly string[] {
  if (bank === null || gateway === null) return []
  const captured = bank.capturedMinor - gateway.capturedMinor
  const refunded = bank.refundedMinor - gateway.refundedMinor
  const voided = gateway.approvedMinor - bank.approvedMinor
  return [
    captured > 0n
      ? `The bank captured ${amount(captured)} more. Do not capture it again: refund it at the ` +
        'bank if the order was not delivered.'
      : null,
    captured < 0n
      ? `The bank has voided a capture of ${amount(-captured)}. Void it here too.`
      : null,
    refunded > 0n ? `The bank refunded ${amount(refunded)} more. Do not refund it again.` : null,
    voided > 0n ? `The bank has released ${amount(voided)}. Void it here too.` : null,
  ].filter((line) => line !== null)
}
