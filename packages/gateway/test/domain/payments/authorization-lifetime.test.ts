import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationExpiresAt } from '../../../src/domain/payments/authorization-lifetime.ts'

const AT = new Date('2026-02-25T10:20:30.400Z')

const LIFETIMES = [
  ['Visa', 'customer', 9],
  ['Visa', 'merchant', 4],
  ['Mastercard', 'customer', 7],
  ['Mastercard', 'merchant', 7],
  ['American Express', 'customer', 7],
  ['American Express', 'merchant', 7],
  ['Discover', 'customer', 9],
  ['Discover', 'merchant', 9],
  ['Diners Club', 'customer', 9],
  ['Diners Club', 'merchant', 9],
  ['JCB', 'customer', 7],
  ['UnionPay', 'merchant', 7],
  [null, 'customer', 7],
] as const

for (const [brand, initiator, days] of LIFETIMES) {
  test(`an authorization of ${brand ?? 'any card'} by the ${initiator} lives ${days} days`, () => {
    const expiresAt = authorizationExpiresAt(brand, AT, initiator)
    assert.equal(expiresAt.getTime() - AT.getTime(), days * 86_400_000)
  })
}

test('an authorization without an initiator lives as the customer’s', () => {
  assert.equal(authorizationExpiresAt('Visa', AT, null).toISOString(), '2026-03-06T10:20:30.400Z')
})
