import type { Balance } from '../issuer/balance.ts'

/** An approved authorization. All amounts are minor units of the balance's currency. */
export interface Order {
  readonly kind: 'auth'
  readonly offset: number
  readonly balance: Balance
  /** DE 42 without its filling. */
  readonly merchant: string
  /**
   * The settlement currency (ISO 4217 numeric), a slash, and its millionths for one unit of the
   * order's. Empty if the order settles in its own currency.
   */
  readonly conversion: string
  /** The amount approved at first; it never changes. */
  readonly authorized: bigint
  /** The most that may be captured in all. Lowered by reversals, never below `captured`. */
  approved: bigint
  captured: bigint
  refunded: bigint
  /** Reversed as a whole: nothing can be captured any more. */
  reversed: boolean
}

/** A capture, refund or unreferenced credit, less its reversed part. */
export interface Movement {
  readonly kind: 'capture' | 'refund' | 'credit'
  readonly offset: number
  readonly balance: Balance
  readonly merchant: string
  /** The authorization of a capture or refund; null for an unreferenced credit. */
  readonly order: Order | null
  /** It was accepted, and the settlement file is to reject it. */
  rejectedInSettlement: boolean
  readonly brand: string
  /** The message's own key, and its order's. */
  readonly key: string
  readonly orderKey: string
  /** DE 37; '' where the message had none. */
  readonly rrn: string
  amount: bigint
  /** The part that reversals have taken off. */
  voided: bigint
  /** The merchant's batch that counts it; '' for none. */
  batch: string
  /** The settlement file that has it, and the line there; 0 for none. */
  file: number
  line: number
  /** The amount in that file. */
  settled: bigint
}

/** A message without a lasting effect besides its answer. */
export interface Closed {
  readonly kind: 'closed'
  readonly offset: number
}

/** The key of a message that was reversed before it came. */
export interface Tombstone {
  readonly kind: 'tombstone'
}

/** The stored result of one message key. `offset` is its record's place in the journal. */
export type Remembered = Order | Movement | Closed | Tombstone

/** Whether a message moved money: it was a capture, a refund or an unreferenced credit. */
export function isMovement(known: Remembered): known is Movement {
  return known.kind === 'capture' || known.kind === 'refund' || known.kind === 'credit'
}

/** The amount that is still held for an order. */
export function heldOf(order: Order): bigint {
  return order.approved - order.captured
}

/** The states of an authorization. */
export type OrderState = 'approved' | 'held' | 'captured' | 'refunded' | 'reversed'

/** The furthest state of an order, for reports. */
export function stateOf(order: Order): OrderState {
  if (order.refunded > 0n) return 'refunded'
  if (order.captured > 0n) return 'captured'
  if (order.reversed) return 'reversed'
  return heldOf(order) > 0n ? 'held' : 'approved'
}

/** The authorization that a message is or belongs to. */
export function orderOf(known: Remembered | undefined): Order | null {
  if (known?.kind === 'auth') return known
  return known?.kind === 'capture' || known?.kind === 'refund' ? known.order : null
}

/** The last digits of its card; null where no card is known. */
export function cardOf(known: Remembered | undefined): string | null {
  if (known === undefined || known.kind === 'closed' || known.kind === 'tombstone') return null
  return known.balance.last4
}
