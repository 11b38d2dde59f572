import type { Books } from '../books/books.ts'
import { isOpen } from '../books/disputes.ts'
import type { Movement } from '../books/order.ts'
import { shortKey } from '../settlement/movement-lines.ts'

/** The captured, refunded and disputed amounts of an order, in minor units of its currency. */
export interface Disputable {
  readonly captured: bigint
  readonly refunded: bigint
  /** By cases that are open, lost or accepted. */
  readonly disputed: bigint
  /** The amount that the bank may still dispute; zero or less for nothing. */
  readonly left: bigint
}

/** The amounts of an order, by its key; null for one that the books have forgotten. */
export function disputableOf(
  { disputes, messages }: Books,
  merchant: string,
  orderKey: string,
  exceptCase: string | null,
): Disputable | null {
  const order = messages.find(orderKey)
  if (order?.kind !== 'auth') return null
  let disputed = 0n
  for (const each of disputes.find(merchant)?.cases.values() ?? []) {
    if (each.order !== orderKey || each.id === exceptCase) continue
    const counts = isOpen(each) || each.stage === 'lost' || each.stage === 'accepted'
    if (counts) disputed += BigInt(each.minor)
  }
  const { captured, refunded } = order
  return { captured, refunded, disputed, left: captured - refunded - disputed }
}

/** The names of a disputed order: both must fit where both are given. */
export interface OrderName {
  readonly merchant: string
  readonly order: string | null
  readonly rrn: string | null
}

/** The first capture with money of a merchant's order, with its order's key; null for none. */
export function findCapture(
  { messages }: Books,
  { merchant, order, rrn }: OrderName,
): Movement | null {
  const captures: Movement[] = []
  for (const [, entry] of messages.all()) {
    if (entry.kind !== 'capture' || entry.merchant !== merchant || entry.amount === 0n) continue
    if (entry.rejectedInSettlement) continue
    if (order !== null && shortKey(entry.orderKey) !== shortKey(order)) continue
    if (rrn !== null && entry.rrn !== rrn) continue
    captures.push(entry)
  }
  const [first = null] = captures.toSorted((left, right) => left.offset - right.offset)
  return first
}
