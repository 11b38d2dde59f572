import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  readCustomersSearch,
  readMembershipsSearch,
  readProductsSearch,
} from '../../src/customers/searches.ts'

suite('the addresses of the customer lists', () => {
  test('keep what they know, and drop the rest', () => {
    const given = { search: 'Ada', cards: 'yes', memberships: 'no', before: '7', colour: 'red' }
    const { colour: _, ...known } = given
    assert.deepEqual(readCustomersSearch(given), known)
    assert.deepEqual(readProductsSearch(given), { search: 'Ada' })
  })

  test('read a number as text, and leave out empty and other values', () => {
    assert.deepEqual(readCustomersSearch({ search: 1_111, before: '' }), { search: '1111' })
    assert.deepEqual(readProductsSearch({ search: { a: 1 } }), {})
    assert.deepEqual(readProductsSearch({ search: null }), {})
  })

  test('accept only yes and no where there are two choices', () => {
    assert.deepEqual(readCustomersSearch({ cards: 'maybe', memberships: true }), {})
    assert.deepEqual(readCustomersSearch({ cards: 'no' }), { cards: 'no' })
  })

  test('of memberships have states, product, customer, days, sequence and page', () => {
    const all = {
      states: 'active,past_due',
      product: 'gold',
      customer: '12',
      from: '2026-11-01',
      until: '2026-11-30',
      order: 'due',
      after: '9',
      afterAt: '2026-11-21T00:00:00Z',
    }
    assert.deepEqual(readMembershipsSearch(all), all)
    assert.deepEqual(readMembershipsSearch({ order: 'oldest' }), {})
    assert.deepEqual(readMembershipsSearch({ order: 'newest' }), { order: 'newest' })
  })
})
