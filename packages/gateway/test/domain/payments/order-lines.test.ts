import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideCapture,
  decideRefund,
  decideVoid,
  decideCaptureVoid,
  decideVoidOrRefund,
} from '../../../src/domain/payments/order.ts'
import { anOrder, closeBatch } from './order-ledger.ts'
import { ask, captured, captureVoided, refunded, voided } from './order-steps.ts'

const three = anOrder(1000n, 500n, 300n)

test('a capture without a line takes from the first line that has something, then on', () => {
  const order = captured(three, 200n, 10n)
  const decision = decideCapture(order, ask(1000n))

  assert.ok(decision.kind === 'allowed')
  assert.deepEqual(decision.lines, [
    { lineId: 10n, minor: 800n },
    { lineId: 20n, minor: 200n },
  ])
})

test('a line’s own amount is its cap, even where the order has more', () => {
  assert.deepEqual(decideCapture(three, ask(501n, 20n)), {
    kind: 'refused',
    refusal: 'capture_exceeds',
  })
  assert.deepEqual(decideCapture(captured(three, 500n, 20n), ask(1n, 20n)), {
    kind: 'refused',
    refusal: 'fully_captured',
  })
  assert.deepEqual(decideCapture(voided(three, null, 20n), ask(1n, 20n)), {
    kind: 'refused',
    refusal: 'adjusted_to_zero',
  })
})

test('a line that a capture of the order used up is captured', () => {
  assert.deepEqual(decideCapture(captured(three, 1500n), ask(1n, 20n)), {
    kind: 'refused',
    refusal: 'fully_captured',
  })
})

test("a refund of a line is capped by that line's captures", () => {
  const order = captured(captured(three, 1000n, 10n), 100n, 20n)

  assert.deepEqual(decideRefund(order, ask(101n, 20n)), {
    kind: 'refused',
    refusal: 'refund_exceeds',
  })
  assert.deepEqual(decideRefund(order, ask(1n, 30n)), { kind: 'refused', refusal: 'not_captured' })
  assert.deepEqual(decideRefund(refunded(order, 100n, 20n), ask(1n, 20n)), {
    kind: 'refused',
    refusal: 'fully_refunded',
  })
})

test('a refund without a line passes lines that are refunded already', () => {
  const decision = decideRefund(refunded(captured(three, 1800n), 900n, 10n), ask(300n))

  assert.ok(decision.kind === 'allowed')
  assert.deepEqual(decision.lines, [
    { lineId: 10n, minor: 100n },
    { lineId: 20n, minor: 200n },
  ])
})

test('a void of a line voids its open amount and its captures, and nothing else', () => {
  const order = captured(captured(three, 300n, 20n), 1100n)
  const decision = decideVoid(order, ask(null, 20n))

  assert.ok(decision.kind === 'allowed')
  assert.equal(decision.totalMinor, 500n)
  assert.deepEqual(decision.uncapturedLines, [{ lineId: 20n, minor: 100n }])
  assert.deepEqual(decision.captureVoids, [
    { captureId: 2n, minor: 100n },
    { captureId: 1n, minor: 300n },
  ])
  assert.deepEqual(decision.capturedLines, [{ lineId: 20n, minor: 400n }])
})

test('a void of a line in a closed batch is to be refunded', () => {
  const order = closeBatch(captured(three, 1500n))

  assert.deepEqual(decideVoid(order, ask(null, 20n)), { kind: 'refused', refusal: 'batch_closed' })
  assert.deepEqual(decideCaptureVoid(order, ask(5n, 20n)), {
    kind: 'refused',
    refusal: 'batch_closed',
  })
  const fallback = decideVoidOrRefund(order, 'void', ask(null, 20n))
  assert.ok(fallback.kind === 'refund')
  assert.equal(fallback.decision.amountMinor, 500n)
})

test('a void of captures of one line leaves the captures of other lines', () => {
  const order = captured(captured(three, 300n, 20n), 600n, 10n)
  const decision = decideCaptureVoid(order, ask(null, 20n))

  assert.ok(decision.kind === 'allowed')
  assert.deepEqual(decision.captureVoids, [{ captureId: 1n, minor: 300n }])
  assert.deepEqual(decision.capturedLines, [{ lineId: 20n, minor: 300n }])
})

test('a line with nothing captured has no capture to void', () => {
  assert.deepEqual(decideCaptureVoid(captured(three, 300n, 20n), ask(null, 10n)), {
    kind: 'refused',
    refusal: 'adjusted_to_zero',
  })
})

test("a void takes from the whole order's capture where no other capture suffices", () => {
  // Line 1 keeps 500 for its refund, so only 500 of its 1000 can be voided. Only its own capture
  // and the whole-order one have them. The latter has line 2 as well and must use that first.
  const order = refunded(captured(captured(anOrder(1000n, 500n), 500n, 10n), 1000n), 500n, 10n)
  const decision = decideCaptureVoid(order, ask(null))

  assert.ok(decision.kind === 'allowed')
  assert.equal(decision.totalMinor, 1000n)
  assert.deepEqual(decision.capturedLines, [
    { lineId: 10n, minor: 500n },
    { lineId: 20n, minor: 500n },
  ])
})

test('a capture keeps the line it was made for when other captures are voided', () => {
  const order = captureVoided(captured(captured(three, 500n, 20n), 1000n))

  assert.equal(order.money.capturedMinor, 0n)
  assert.deepEqual(
    order.lines.map((line) => line.voidedMinor),
    [1000n, 500n, 0n],
  )
})
