import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency } from '../../../../src/domain/currency.ts'
import { allowedOf, refundAllowance } from '../../../../src/portal/order/domain/refund-allowance.ts'
import type { VoidOrRefundPlan } from '../../../../src/portal/order/domain/void-or-refund.ts'

const euro = findCurrency('EUR')
assert.ok(euro)
const LIMIT = { minor: 5_000n, currency: 'EUR' }

test('a refund limit leaves what its user has not returned of the order', () => {
  const fresh = refundAllowance(LIMIT, euro, 0n)
  assert.equal(fresh.leftMinor, 5_000n)
  assert.equal(fresh.sentence, 'You may refund up to 50.00 EUR of an order.')
  const used = refundAllowance(LIMIT, euro, 1_250n)
  assert.equal(used.leftMinor, 3_750n)
  assert.match(used.sentence, / You already returned 12\.50 EUR of this order\.$/)
})

test('a refund limit that was lowered below what its user returned leaves nothing', () => {
  assert.equal(refundAllowance(LIMIT, euro, 6_000n).leftMinor, 0n)
})

test('a refund limit leaves nothing of an order in another currency, and says which', () => {
  const { leftMinor, sentence, advice } = refundAllowance({ minor: 1n, currency: 'JPY' }, euro, 0n)
  assert.equal(leftMinor, 0n)
  assert.equal(sentence, 'You may refund up to 1 JPY, and this order is in EUR.')
  assert.equal(advice, 'Ask a user without a refund limit.')
})

const planned = (...minors: readonly bigint[]): VoidOrRefundPlan => ({
  kind: 'planned',
  steps: minors.map((minor) => ({ does: 'refund', minor, whole: false, why: '' })),
})
const allowance = (leftMinor: bigint) => ({ leftMinor, sentence: 'Up to 50.', advice: 'Ask.' })

test('a refund limit covers refunds, and not the voids of the rest of an order', () => {
  const within = allowedOf(allowance(50n), 80n, planned(20n, 80n))
  assert.deepEqual(within, {
    refundMinor: 50n,
    voidOrRefundMinor: 70n,
    sentence: 'Up to 50. Ask.',
  })
})

test('a refund limit that covers the whole order gives no advice to ask another user', () => {
  const whole = { refundMinor: 80n, voidOrRefundMinor: 100n, sentence: 'Up to 50.' }
  assert.deepEqual(allowedOf(allowance(80n), 80n, planned(20n, 80n)), whole)
  assert.deepEqual(allowedOf(allowance(81n), 80n, planned(20n, 80n)), whole)
})

test('an order of which nothing can be returned allows no void and no refund', () => {
  const refused: VoidOrRefundPlan = { kind: 'refused', refusal: 'charged_back', mostMinor: 9n }
  assert.equal(allowedOf(allowance(50n), 30n, refused).voidOrRefundMinor, 0n)
  assert.equal(allowedOf(allowance(50n), 0n, planned(1n)).voidOrRefundMinor, 1n)
})
