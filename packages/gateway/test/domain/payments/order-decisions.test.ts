import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrderSnapshot } from '../../../src/domain/payments/order-snapshot.ts'
import type { OrderState } from '../../../src/domain/payments/order-states.ts'
import {
  decideCapture,
  decideRefund,
  decideVoid,
  decideCaptureVoid,
} from '../../../src/domain/payments/order.ts'
import type { AdjustmentRequest } from '../../../src/domain/payments/order.ts'
import { anOrder, closeBatch } from './order-ledger.ts'
import { ask, captured, captureVoided, refunded, voided } from './order-steps.ts'

const open = anOrder(1000n)
const partlyCaptured = captured(open, 400n)
const fullyCaptured = captured(open, 1000n)
const batchClosed = closeBatch(fullyCaptured)
const partlyBatchClosed = closeBatch(partlyCaptured)
const zero = anOrder(0n)
const unreferencedCredit: OrderSnapshot = {
  ...open,
  money: { ...zero.money, refundedMinor: 1000n },
}

/**
 * The answers of the four adjustments, whole or for an amount: a refusal, or the amount that moves.
 * Columns: capture, void, capture void, refund; each asked for the amount before it.
 */
type Row = readonly [
  order: string,
  snapshot: OrderSnapshot,
  amount: bigint | null,
  capture: Outcome,
  void_: Outcome,
  captureVoid: Outcome,
  refund: Outcome,
]
type Outcome = bigint | string

const UNADJUSTABLE = 'order_not_adjustable'

const ROWS: readonly Row[] = [
  ...(['running', 'pending', 'declined', 'failed'] as const).map((state): Row => [
    `a ${state} order`,
    { ...open, state },
    100n,
    UNADJUSTABLE,
    UNADJUSTABLE,
    UNADJUSTABLE,
    UNADJUSTABLE,
  ]),
  ['an open authorization', open, 300n, 300n, 300n, UNADJUSTABLE, 'not_captured'],
  ['all of an open authorization', open, 1000n, 1000n, 1000n, UNADJUSTABLE, 'not_captured'],
  ['the whole of an open authorization', open, null, 1000n, 1000n, UNADJUSTABLE, 'not_captured'],
  [
    'too much of an open authorization',
    open,
    1001n,
    'capture_exceeds',
    'amount_invalid',
    UNADJUSTABLE,
    'not_captured',
  ],
  ['a partly captured order', partlyCaptured, 300n, 300n, 300n, 300n, 300n],
  ['the whole of a partly captured order', partlyCaptured, null, 600n, 1000n, 400n, 400n],
  [
    'all that is open of a partly captured order',
    partlyCaptured,
    600n,
    600n,
    600n,
    'amount_invalid',
    'refund_exceeds',
  ],
  [
    'more than is open of a partly captured order',
    partlyCaptured,
    601n,
    'capture_exceeds',
    'amount_invalid',
    'amount_invalid',
    'refund_exceeds',
  ],
  ['a fully captured order', fullyCaptured, 300n, 'fully_captured', 'adjusted_to_zero', 300n, 300n],
  [
    'the whole of a fully captured order',
    fullyCaptured,
    null,
    'fully_captured',
    1000n,
    1000n,
    1000n,
  ],
  [
    'too much of a fully captured order',
    fullyCaptured,
    1001n,
    'fully_captured',
    'adjusted_to_zero',
    'amount_invalid',
    'refund_exceeds',
  ],
  [
    'a batch-closed order',
    batchClosed,
    300n,
    'fully_captured',
    'batch_closed',
    'batch_closed',
    300n,
  ],
  [
    'the whole of a batch-closed order',
    batchClosed,
    null,
    'fully_captured',
    'batch_closed',
    'batch_closed',
    1000n,
  ],
  [
    'too much of a batch-closed order',
    batchClosed,
    1001n,
    'fully_captured',
    'batch_closed',
    'batch_closed',
    'refund_exceeds',
  ],
  ['a partly batch-closed order', partlyBatchClosed, 300n, 300n, 300n, 'batch_closed', 300n],
  [
    'the whole of a partly batch-closed order',
    partlyBatchClosed,
    null,
    600n,
    600n,
    'batch_closed',
    400n,
  ],
  [
    'a batch-closed, partly refunded order',
    refunded(batchClosed, 400n),
    600n,
    'fully_captured',
    'batch_closed',
    'batch_closed',
    600n,
  ],
  [
    'too much of a batch-closed, partly refunded order',
    refunded(batchClosed, 400n),
    601n,
    'fully_captured',
    'batch_closed',
    'batch_closed',
    'refund_exceeds',
  ],
  [
    'a batch-closed, fully refunded order',
    refunded(batchClosed, 1000n),
    1n,
    'fully_captured',
    'adjusted_to_zero',
    'adjusted_to_zero',
    'fully_refunded',
  ],
  [
    'the whole of a batch-closed, fully refunded order',
    refunded(batchClosed, 1000n),
    null,
    'fully_captured',
    'adjusted_to_zero',
    'adjusted_to_zero',
    'fully_refunded',
  ],
  [
    'a fully refunded order in an open batch',
    refunded(fullyCaptured, 1000n),
    1n,
    'fully_captured',
    'adjusted_to_zero',
    'adjusted_to_zero',
    'fully_refunded',
  ],
  [
    'the whole of a partly refunded order in an open batch',
    refunded(fullyCaptured, 400n),
    null,
    'fully_captured',
    'adjusted_to_zero',
    600n,
    600n,
  ],
  [
    'the whole of a partly captured order with refunds',
    refunded(partlyCaptured, 100n),
    null,
    600n,
    600n,
    300n,
    300n,
  ],
  [
    'a reversed order',
    voided(open),
    100n,
    'already_reversed',
    'already_reversed',
    'already_reversed',
    'already_reversed',
  ],
  [
    'the whole of a reversed order',
    voided(open),
    null,
    'already_reversed',
    'already_reversed',
    'already_reversed',
    'already_reversed',
  ],
  [
    'an order reversed by an amount that was all of it',
    voided(open, 1000n),
    1n,
    'already_reversed',
    'already_reversed',
    'already_reversed',
    'already_reversed',
  ],
  [
    'a sale that was reversed',
    voided(fullyCaptured),
    1n,
    'already_reversed',
    'already_reversed',
    'already_reversed',
    'already_reversed',
  ],
  [
    'a sale whose capture was voided whole',
    captureVoided(fullyCaptured),
    null,
    'already_reversed',
    'already_reversed',
    'already_reversed',
    'already_reversed',
  ],
  [
    'an order that partial voids used up',
    voided(voided(open, 400n), 600n),
    1n,
    'adjusted_to_zero',
    'adjusted_to_zero',
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'the whole of an order that partial voids used up',
    voided(voided(open, 400n), 600n),
    null,
    'adjusted_to_zero',
    'adjusted_to_zero',
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'a sale that partial capture voids used up',
    captureVoided(captureVoided(fullyCaptured, 400n), 600n),
    1n,
    'adjusted_to_zero',
    'adjusted_to_zero',
    'adjusted_to_zero',
    'not_captured',
  ],
  [
    'an order whose rest was voided after a capture',
    voided(partlyCaptured, 600n),
    1n,
    'fully_captured',
    'adjusted_to_zero',
    1n,
    1n,
  ],
  [
    'a capture that was voided',
    captureVoided(partlyCaptured),
    600n,
    600n,
    600n,
    'adjusted_to_zero',
    'not_captured',
  ],
  [
    'money beyond what a void left',
    captureVoided(partlyCaptured),
    601n,
    'capture_exceeds',
    'amount_invalid',
    'adjusted_to_zero',
    'not_captured',
  ],
  [
    'more than the undisputed part',
    { ...batchClosed, disputedMinor: 400n },
    601n,
    'fully_captured',
    'batch_closed',
    'batch_closed',
    'refund_exceeds',
  ],
  [
    'the undisputed part',
    { ...batchClosed, disputedMinor: 400n },
    600n,
    'fully_captured',
    'batch_closed',
    'batch_closed',
    600n,
  ],
  [
    'a charged back order',
    { ...batchClosed, disputedMinor: 1000n },
    1n,
    'charged_back',
    'charged_back',
    'charged_back',
    'charged_back',
  ],
  [
    'an expired authorization',
    { ...open, expired: true },
    100n,
    'adjusted_to_zero',
    100n,
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'an expired and released authorization',
    { ...voided(voided(open, 400n), 600n), expired: true },
    100n,
    'adjusted_to_zero',
    'adjusted_to_zero',
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'an expired, partly captured order',
    { ...partlyCaptured, expired: true },
    100n,
    'adjusted_to_zero',
    100n,
    100n,
    100n,
  ],
  [
    'an expired, fully captured order',
    { ...fullyCaptured, expired: true },
    100n,
    'fully_captured',
    'adjusted_to_zero',
    100n,
    100n,
  ],
  [
    'a card check of amount zero',
    zero,
    1n,
    'fully_captured',
    'adjusted_to_zero',
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'the whole of a card check of amount zero',
    zero,
    null,
    'fully_captured',
    'adjusted_to_zero',
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'an unreferenced credit',
    unreferencedCredit,
    1n,
    'fully_captured',
    'adjusted_to_zero',
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'the whole of an unreferenced credit',
    unreferencedCredit,
    null,
    'fully_captured',
    'adjusted_to_zero',
    UNADJUSTABLE,
    'not_captured',
  ],
  [
    'nothing of an open authorization',
    open,
    0n,
    'amount_not_positive',
    'amount_not_positive',
    'amount_not_positive',
    'amount_not_positive',
  ],
  [
    'nothing of a batch-closed order',
    batchClosed,
    0n,
    'amount_not_positive',
    'amount_not_positive',
    'amount_not_positive',
    'amount_not_positive',
  ],
  [
    'less than nothing',
    open,
    -1n,
    'amount_not_positive',
    'amount_not_positive',
    'amount_not_positive',
    'amount_not_positive',
  ],
]

for (const [what, order, amount, capture, void_, captureVoid, refund] of ROWS) {
  test(`${what}${amount === null ? '' : ` (${amount})`} has its answer for each adjustment`, () => {
    const request = ask(amount)

    assert.deepEqual(
      {
        capture: amountOutcome(decideCapture(order, request)),
        void: voidOutcome(decideVoid(order, request)),
        captureVoid: voidOutcome(decideCaptureVoid(order, request)),
        refund: amountOutcome(decideRefund(order, request)),
      },
      { capture, void: void_, captureVoid, refund },
    )
  })
}

test('the state is judged before the amount', () => {
  const states: readonly OrderState[] = ['running', 'pending', 'declined', 'failed']
  for (const state of states) {
    assert.equal(amountOutcome(decideCapture({ ...open, state }, ask(0n))), UNADJUSTABLE)
  }
  assert.equal(amountOutcome(decideRefund(voided(open), ask(0n))), 'already_reversed')
})

test('an adjustment of a line that the order does not have is a broken assumption', () => {
  const request: AdjustmentRequest = ask(1n, 99n)
  for (const decide of [decideCapture, decideRefund, decideVoid]) {
    assert.throws(() => decide(partlyCaptured, request), /names a line/)
  }
  assert.throws(() => decideCaptureVoid(partlyCaptured, request), /names a line/)
})

function amountOutcome(decision: ReturnType<typeof decideCapture>): Outcome {
  return decision.kind === 'refused' ? decision.refusal : decision.amountMinor
}

function voidOutcome(decision: ReturnType<typeof decideVoid>): Outcome {
  return decision.kind === 'refused' ? decision.refusal : decision.totalMinor
}

test('of a capture that the bank rejected nothing is left to refund', () => {
  const two = closeBatch(captured(captured(open, 400n), 600n))
  const [first, second] = two.captures
  if (first === undefined || second === undefined) throw new Error('There are two captures.')
  const rejected = (order: OrderSnapshot): OrderSnapshot => ({
    ...order,
    captures: [{ ...first, rejected: true }, second],
  })
  const refund = (order: OrderSnapshot, amountMinor: bigint | null): Outcome => {
    const decision = decideRefund(order, { amountMinor, lineId: null })
    return decision.kind === 'refused' ? decision.refusal : decision.amountMinor
  }

  assert.equal(refund(rejected(two), null), 600n)
  assert.equal(refund(rejected(two), 601n), 'refund_exceeds')
  assert.equal(refund(rejected(refunded(two, 500n)), null), 100n)
  assert.equal(refund(rejected(refunded(two, 700n)), 1n), 'fully_refunded')
  const all = { ...two, captures: two.captures.map((each) => ({ ...each, rejected: true })) }
  assert.equal(refund(all, null), 'fully_refunded')
})
