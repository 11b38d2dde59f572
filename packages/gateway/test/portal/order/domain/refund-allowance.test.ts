import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency } from '../../../../src/domain/currency.ts'
import { refundAllowance } from '../../../../src/portal/order/domain/refund-allowance.ts'

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
