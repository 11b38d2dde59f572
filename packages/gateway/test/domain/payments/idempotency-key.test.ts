import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decideKey, pickReferenced } from '../../../src/domain/payments/idempotency-key.ts'

const REQUEST = { key: 'k1', content: 'c1' }

suite('an idempotency key', () => {
  test('without a holder is free for the request', () => {
    assert.deepEqual(decideKey(null, REQUEST), { kind: 'free' })
  })

  test('repeats the transaction of its holder for the same content', () => {
    const holder = { content: 'c1', transactionId: 7n }
    assert.deepEqual(decideKey(holder, REQUEST), { kind: 'repeat', transactionId: 7n })
  })

  test('of another content is reused', () => {
    const holder = { content: 'c2', transactionId: 7n }
    assert.deepEqual(decideKey(holder, REQUEST), { kind: 'reused' })
  })
})

suite('the order that a reference names', () => {
  const authorized = { orderId: 1n, isAuthorized: true }
  const second = { orderId: 2n, isAuthorized: true }
  const declined = { orderId: 3n, isAuthorized: false }

  test('is none where there is no order', () => {
    assert.equal(pickReferenced([]), 'none')
  })

  test('is the only one, declined or not', () => {
    assert.equal(pickReferenced([authorized]), authorized)
    assert.equal(pickReferenced([declined]), declined)
  })

  test('is the authorized one before a declined one', () => {
    assert.equal(pickReferenced([authorized, declined]), authorized)
  })

  test('is ambiguous between two authorized and between two declined ones', () => {
    assert.equal(pickReferenced([authorized, second]), 'ambiguous')
    assert.equal(pickReferenced([declined, { orderId: 4n, isAuthorized: false }]), 'ambiguous')
  })
})
