import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decideKeyOperation,
  emergencyFault,
  type KeyApproval,
  type KeyOperation,
} from '../../../src/domain/vault/key-operation.ts'

const DESTROY: KeyOperation = { does: 'destroy_key', keyId: 3, unreadable: 2 }
const EXPORT: KeyOperation = { does: 'export_vault', keyName: 'abcdefghijklmnop' }
const REPLACE: KeyOperation = { does: 'replace_kek', to: 'kms:new' }

function approved(operation: KeyOperation, more: Partial<KeyApproval> = {}): KeyApproval {
  return {
    operation,
    requestedBy: 'olga@ops.example',
    approvedBy: 'otto@ops.example',
    isDisowned: false,
    isOver: false,
    isUsed: false,
    ...more,
  }
}

test('an approval covers the operation that it names, and no other', () => {
  assert.equal(decideKeyOperation(DESTROY, approved(DESTROY)), null)
  assert.equal(decideKeyOperation(REPLACE, approved(REPLACE)), null)
  for (const other of [{ ...DESTROY, unreadable: 3 }, { ...DESTROY, keyId: 4 }, REPLACE]) {
    assert.match(
      decideKeyOperation(other, approved(DESTROY)) ?? '',
      /the approved request is "Destroy data key 3, with 2 unreadable cards"/,
    )
  }
  assert.equal(decideKeyOperation(EXPORT, approved(EXPORT)), null)
  assert.match(
    decideKeyOperation({ ...EXPORT, keyName: 'ponmlkjihgfedcba' }, approved(EXPORT)) ?? '',
    /the approved request is "Export all saved cards under the key abcdefghijklmnop"/,
  )
  assert.notEqual(decideKeyOperation({ ...REPLACE, to: 'kms:old' }, approved(REPLACE)), null)
})

test('without a valid approval the sentence names the reason, the request and the emergency', () => {
  for (const [approval, reason] of [
    [null, /two operators, and there is no approved request for it\./],
    [approved(DESTROY, { isUsed: true }), /the last approved request was used already/],
    [approved(DESTROY, { isOver: true }), /the approved request expired after 24 hours/],
    [approved(DESTROY, { isDisowned: true }), /an operator of the approved request is disabled/],
  ] as const) {
    const sentence = decideKeyOperation(DESTROY, approval) ?? ''
    assert.match(sentence, reason)
    assert.match(
      sentence,
      /Requests of the console, request "Destroy data key 3, with 2 unreadable cards"/,
    )
    assert.match(sentence, /add --emergency "<reason>"\.$/)
  }
})

test('an emergency has a reason in one line of 10 to 200 characters', () => {
  assert.equal(emergencyFault('the only other operator is ill'), null)
  for (const reason of ['', 'urgent', 'a'.repeat(201), 'first line\nsecond line']) {
    assert.match(emergencyFault(reason) ?? '', /^--emergency must have a reason/)
  }
  const card = emergencyFault('ask for 5555 5555 5555 4444') ?? ''
  assert.match(card, /could be a card number/)
  assert.ok(!card.includes('5555'))
})
