import type { Balance } from '../issuer/balance.ts'

/** An approved authorization. All amounts are minor units of the balance's currency. */
export interface Order {
  readonly kind: 'auth'
  readonly offset: number
  readonly balance: Balance
  /** DE 42 without its filling. */
  readonly merchant: string
  /** What was approved at first; it never changes. */
  readonly authorized: bigint
  /** What may be captured in all. Lowered by reversals, never below `captured`. */
  approved: bigint
  captured: bigint
  refunded: bigint
  /** Reversed as a whole: nothing can be captured any more. */
  reversed: boolean
}

/** What a capture, refund or credit moved, less what was reversed of it. */
export interface Movement {
  readonly kind: 'capture' | 'refund' | 'credit'
  readonly offset: number
  readonly balance: Balance
  readonly merchant: string
  /** The authorization of a capture or refund; null for a credit without an order. */
  readonly order: Order | null
  /** A capture that was taken, and that the settlement file is to reject. */
  readonly rejectedInSettlement: boolean
  amount: bigint
}

/** A message that left nothing behind but its answer. */
export interface Closed {
  readonly kind: 'closed'
  readonly offset: number
}

/** The key of a message that was reversed before it came. */
export interface Tombstone {
  readonly kind: 'tombstone'
}

/** What the bank knows of one message key. `offset` is its record's place in the journal. */
export type Remembered = Order | Movement | Closed | Tombstone

/** What is still held for an order. */
export function heldOf(order: Order): bigint {
  return order.approved - order.captured
}

/** Where an authorization stands. */
export type OrderState = 'approved' | 'held' | 'captured' | 'refunded' | 'reversed'

/** One word for an order, for reports: the furthest it has come. */
export function stateOf(order: Order): OrderState {
  if (order.refunded > 0n) return 'refunded'
  if (order.captured > 0n) return 'captured'
  if (order.reversed) return 'reversed'
  return heldOf(order) > 0n ? 'held' : 'approved'
}
