import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recurringOf } from '../../../src/usecases/three-ds/recurring-sale.ts'
import { product } from '../../domain/memberships/a-membership.ts'

const sold = (...products: ReturnType<typeof product>[]) =>
  products.map((each, line) => ({ line, product: each }))

test('the issuer gets the period of the product that renews soonest', () => {
  assert.deepEqual(recurringOf(sold(product('1M'))), { everyDays: 28, until: '99991231' })
  assert.deepEqual(recurringOf(sold(product('1Y'), product('7D'))), {
    everyDays: 7,
    until: '99991231',
  })
  assert.equal(recurringOf(sold(product('9999Y')))?.everyDays, 9_999)
})

test('a sale for once, or for one period, is no recurring payment', () => {
  assert.equal(recurringOf([]), null)
  assert.equal(recurringOf(sold(product('1M', { type: 'ends' }))), null)
})
