import assert from 'node:assert/strict'
import type { OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'
import {
  decideCapture,
  decideRefund,
  decideVoid,
  decideCaptureVoid,
} from '../../../src/domain/payments/order.ts'
import type { AdjustmentRequest } from '../../../src/domain/payments/order.ts'
import { checkMoneyInvariants } from './invariants.ts'
import { bookCapture, bookRefund, bookVoid } from './order-ledger.ts'

/** A request for an amount, or for everything; of the whole order or of one line. */
export function ask(amountMinor: bigint | null, lineId: bigint | null = null): AdjustmentRequest {
  return { amountMinor, lineId }
}

/** The order after a capture, which must be allowed. */
export function captured(
  order: OrderSnapshot,
  amountMinor: bigint,
  lineId: bigint | null = null,
): OrderSnapshot {
  const decision = decideCapture(order, ask(amountMinor, lineId))
  assert.ok(decision.kind === 'allowed')
  return sound(bookCapture(order, decision, lineId))
}

/** The order after a refund, which must be allowed. */
export function refunded(
  order: OrderSnapshot,
  amountMinor: bigint,
  lineId: bigint | null = null,
): OrderSnapshot {
  const decision = decideRefund(order, ask(amountMinor, lineId))
  assert.ok(decision.kind === 'allowed')
  return sound(bookRefund(order, decision))
}

/** The order after a void of the authorization, which must be allowed. */
export function voided(
  order: OrderSnapshot,
  amountMinor: bigint | null = null,
  lineId: bigint | null = null,
): OrderSnapshot {
  const decision = decideVoid(order, ask(amountMinor, lineId))
  assert.ok(decision.kind === 'allowed')
  return sound(bookVoid(order, decision))
}

/** The order after a void of captures, which must be allowed. */
export function captureVoided(
  order: OrderSnapshot,
  amountMinor: bigint | null = null,
  lineId: bigint | null = null,
): OrderSnapshot {
  const decision = decideCaptureVoid(order, ask(amountMinor, lineId))
  assert.ok(decision.kind === 'allowed')
  return sound(bookVoid(order, decision))
}

function sound(order: OrderSnapshot): OrderSnapshot {
  assert.deepEqual(checkMoneyInvariants(order), [])
  return order
}
