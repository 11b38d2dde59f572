import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryPace } from '../../../src/domain/webhooks/delivery-pace.ts'

const AT_EASE = { starts: 200, restMs: 10, isSparing: false }

test('deliveries keep their pace beside two payments, make way for more, and never stop', () => {
  assert.deepEqual([0, 1, 2].map(deliveryPace), Array(3).fill(AT_EASE))
  assert.deepEqual(deliveryPace(3), { starts: 20, restMs: 60, isSparing: true })
  assert.deepEqual(deliveryPace(10), { starts: 20, restMs: 200, isSparing: true })
  for (const payments of [20, 21, 5_000]) {
    assert.deepEqual(deliveryPace(payments), { starts: 20, restMs: 400, isSparing: true })
  }
})
