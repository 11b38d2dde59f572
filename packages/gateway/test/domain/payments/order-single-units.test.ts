import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideCapture,
  decideCaptureVoid,
  decideVoid,
  decideVoidOrRefund,
} from '../../../src/domain/payments/order.ts'
import { anOrder, closeBatch } from './order-ledger.ts'
import { ask, captured, refunded, voided } from './order-steps.ts'

const refusalOf = (decision: { readonly kind: string; readonly refusal?: string }): string =>
  decision.refusal ?? decision.kind

suite('an order of which one minor unit was captured', () => {
  const unit = captured(anOrder(1n), 1n)

  test('it counts as captured when nothing is left to capture', () => {
    const order = voided(captured(anOrder(1000n), 1n), 999n)
    assert.equal(refusalOf(decideCapture(order, ask(1n))), 'fully_captured')
  })

  test('its closed batch is why it cannot be voided', () => {
    const order = closeBatch(unit)
    assert.equal(refusalOf(decideVoid(order, ask(null))), 'batch_closed')
    assert.equal(refusalOf(decideCaptureVoid(order, ask(null))), 'batch_closed')
  })

  test('the refusal of its refund is the answer where neither void nor refund is possible', () => {
    const order = refunded(unit, 1n)
    assert.equal(refusalOf(decideVoidOrRefund(order, 'void', ask(1n))), 'fully_refunded')
  })
})

test('the whole captured amount is in a closed batch as far as it is not in the open one', () => {
  const order = captured(closeBatch(captured(anOrder(1000n), 400n)), 100n)
  assert.equal(refusalOf(decideCaptureVoid(order, ask(500n))), 'batch_closed')
  assert.equal(refusalOf(decideCaptureVoid(order, ask(501n))), 'amount_invalid')
})

test('no more is captured than the order has open, even if its lines have more', () => {
  const order = anOrder(1000n)
  const money = { ...order.money, capturedMinor: 400n, voidedMinor: 300n }
  const decision = decideCapture({ ...order, money }, ask(null))
  assert.equal(decision.kind === 'allowed' && decision.amountMinor, 300n)
  assert.equal(refusalOf(decideCapture({ ...order, money }, ask(301n))), 'capture_exceeds')
})
