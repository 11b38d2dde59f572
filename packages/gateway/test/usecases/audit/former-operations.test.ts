import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storedNamesOf } from '../../../src/usecases/audit/former-operations.ts'

test('a search for an operation finds entries that earlier versions stored under another name', () => {
  assert.deepEqual(storedNamesOf('portal_user.locked'), ['portal_user.locked', 'person.locked'])
  assert.deepEqual(storedNamesOf('portal_user.'), ['portal_user.', 'person.'])
  assert.deepEqual(storedNamesOf('order.refunded'), ['order.refunded', 'order.credited'])
  assert.deepEqual(storedNamesOf('order.'), ['order.'])
  assert.deepEqual(storedNamesOf('user.locked'), ['user.locked'])
})
