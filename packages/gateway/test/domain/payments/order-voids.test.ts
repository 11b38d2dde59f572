import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'
import {
  decideVoid,
  decideCaptureVoid,
  decideVoidOrRefund,
} from '../../../src/domain/payments/order.ts'
import { anOrder, closeBatch } from './order-ledger.ts'
import { ask, captured, captureVoided, refunded, voided } from './order-steps.ts'

const open = anOrder(1000n)
const batchClosed = closeBatch(captured(open, 1000n))

test('a whole void states the parts of the open amount and of each capture', () => {
  const order = captured(captured(open, 300n), 200n)

  assert.deepEqual(decideVoid(order, ask(null)), {
    kind: 'allowed',
    totalMinor: 1000n,
    voidUncapturedMinor: 500n,
    uncapturedLines: [{ lineId: 10n, minor: 500n }],
    captureVoids: [
      { captureId: 2n, minor: 200n },
      { captureId: 1n, minor: 300n },
    ],
    capturedLines: [{ lineId: 10n, minor: 500n }],
    reversesWhole: true,
  })
})

test('a whole void leaves the captures of closed batches alone', () => {
  const order = captured(closeBatch(captured(open, 300n)), 200n)
  const decision = decideVoid(order, ask(null))

  assert.ok(decision.kind === 'allowed')
  assert.equal(decision.totalMinor, 700n)
  assert.deepEqual(decision.captureVoids, [{ captureId: 2n, minor: 200n }])
  assert.equal(decision.reversesWhole, false)
})

test('a whole void of an order with refunds takes the open money only', () => {
  const decision = decideVoid(refunded(captured(open, 600n), 1n), ask(null))

  assert.ok(decision.kind === 'allowed')
  assert.equal(decision.totalMinor, 400n)
  assert.deepEqual(decision.captureVoids, [])
})

test('a void of an amount never touches a capture', () => {
  const decision = decideVoid(captured(open, 600n), ask(400n))

  assert.ok(decision.kind === 'allowed')
  assert.equal(decision.voidUncapturedMinor, 400n)
  assert.deepEqual(decision.captureVoids, [])
})

test('a void of captures takes the newest first and leaves the open money', () => {
  const order = captured(captured(captured(open, 100n), 200n), 300n)
  const decision = decideCaptureVoid(order, ask(400n))

  assert.ok(decision.kind === 'allowed')
  assert.equal(decision.voidUncapturedMinor, 0n)
  assert.deepEqual(decision.captureVoids, [
    { captureId: 3n, minor: 300n },
    { captureId: 2n, minor: 100n },
  ])
})

test('captures are voided down to the refunded sum and no further', () => {
  const order = refunded(captured(open, 600n), 250n)

  const whole = decideCaptureVoid(order, ask(null))
  assert.ok(whole.kind === 'allowed')
  assert.equal(whole.totalMinor, 350n)
  assert.deepEqual(decideCaptureVoid(order, ask(351n)), {
    kind: 'refused',
    refusal: 'amount_invalid',
  })
})

test('an amount that lies partly in a closed batch cannot be voided and is to be refunded', () => {
  const order = captured(closeBatch(captured(open, 300n)), 200n)
  assert.deepEqual(decideCaptureVoid(order, ask(201n)), {
    kind: 'refused',
    refusal: 'batch_closed',
  })
})

test('money of a voided capture cannot be captured again', () => {
  const order = captureVoided(captured(open, 400n))

  assert.equal(order.money.voidedMinor, 400n)
  assert.throws(() => captured(order, 601n))
  assert.equal(captured(order, 600n).money.capturedMinor, 600n)
})

test('an order is reversed by a void of the rest, not by parts that add up', () => {
  const reversed = (order: OrderSnapshot) => order.reversedWhole

  assert.equal(reversed(voided(open)), true)
  assert.equal(reversed(voided(open, 1000n)), true)
  assert.equal(reversed(voided(voided(open, 400n))), true)
  assert.equal(reversed(voided(voided(open, 400n), 600n)), false)
  assert.equal(reversed(voided(captured(open, 400n), 600n)), false)
  assert.equal(reversed(voided(refunded(captured(open, 400n), 1n))), false)
  assert.equal(reversed(voided(anOrder(500n, 500n), null, 10n)), false)
  assert.equal(reversed(voided(voided(anOrder(500n, 500n), null, 10n), null, 20n)), false)
  assert.equal(reversed(captureVoided(captured(open, 1000n))), true)
  assert.equal(reversed(captureVoided(captured(open, 400n))), false)
})

const FALLBACKS = [
  ['open money, by amount', open, 'void', 300n, 'void', 300n],
  ['open money, whole', open, 'void', null, 'void', 1000n],
  ['a sale in an open batch, by amount', captured(open, 1000n), 'void', 300n, 'refund', 300n],
  ['a sale in an open batch, whole', captured(open, 1000n), 'void', null, 'void', 1000n],
  ['a batch-closed sale, by amount', batchClosed, 'void', 300n, 'refund', 300n],
  ['a batch-closed sale, whole', batchClosed, 'void', null, 'refund', 1000n],
  [
    'a batch-closed, partly refunded sale, whole',
    refunded(batchClosed, 400n),
    'void',
    null,
    'refund',
    600n,
  ],
  ['a batch-closed capture, by amount', batchClosed, 'capture_void', 300n, 'refund', 300n],
  ['a batch-closed capture, whole', batchClosed, 'capture_void', null, 'refund', 1000n],
  ['a capture in an open batch', captured(open, 400n), 'capture_void', 400n, 'void', 400n],
  ['more than is open, with enough captured', captured(open, 800n), 'void', 500n, 'refund', 500n],
  [
    'a refunded sale in an open batch, whole',
    refunded(captured(open, 1000n), 400n),
    'void',
    null,
    'refund',
    600n,
  ],
  ['more than is open, with nothing captured', open, 'void', 1001n, 'refused', 'amount_invalid'],
  ['a capture that was never made', open, 'capture_void', null, 'refused', 'order_not_adjustable'],
  ['more than was captured', batchClosed, 'void', 1001n, 'refused', 'refund_exceeds'],
  ['a fully refunded order', refunded(batchClosed, 1000n), 'void', 1n, 'refused', 'fully_refunded'],
  [
    'a fully refunded order, whole',
    refunded(batchClosed, 1000n),
    'void',
    null,
    'refused',
    'fully_refunded',
  ],
  ['a reversed order', voided(open), 'void', 1n, 'refused', 'already_reversed'],
  [
    'a charged back order',
    { ...batchClosed, disputedMinor: 1000n },
    'void',
    null,
    'refused',
    'charged_back',
  ],
  [
    'a pending order',
    { ...open, state: 'pending' },
    'void',
    null,
    'refused',
    'order_not_adjustable',
  ],
  ['an amount of nothing', batchClosed, 'void', 0n, 'refused', 'amount_not_positive'],
  ['a card check of amount zero', anOrder(0n), 'void', null, 'refused', 'adjusted_to_zero'],
] as const satisfies readonly (readonly [
  string,
  OrderSnapshot,
  'void' | 'capture_void',
  bigint | null,
  'void' | 'refund' | 'refused',
  bigint | string,
])[]

for (const [what, order, action, amount, kind, expected] of FALLBACKS) {
  test(`refund on fail: ${what}, asked as ${action}, ends as ${kind} (${expected})`, () => {
    const outcome = decideVoidOrRefund(order, action, ask(amount))

    assert.equal(outcome.kind, kind)
    if (outcome.kind === 'void') assert.equal(outcome.decision.totalMinor, expected)
    if (outcome.kind === 'refund') assert.equal(outcome.decision.amountMinor, expected)
    if (outcome.kind === 'refused') assert.equal(outcome.refusal, expected)
  })
}
