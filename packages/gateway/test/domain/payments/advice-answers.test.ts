import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreeingCodes, endingAnswer } from '../../../src/domain/payments/advice-answers.ts'
import { originalMti } from '../../../src/domain/payments/original-message.ts'
import {
  REVERSAL_REASONS,
  reversalCode,
  reversalReason,
} from '../../../src/domain/payments/reversal-reason.ts'

test('a reversal ends only with codes that mean that no money is held', () => {
  assert.deepEqual(agreeingCodes('reversal').toSorted(), ['00', '21', '25'])
  assert.equal(endingAnswer('reversal', '76'), null)
})

test('a capture or refund that the bank does not know ends, and disagrees', () => {
  for (const kind of ['capture', 'refund'] as const) {
    assert.deepEqual(agreeingCodes(kind), ['00'])
    for (const code of ['21', '25', '76']) assert.equal(endingAnswer(kind, code), 'disagreed')
  }
})

test('any other answer, including names of object members, ends no advice', () => {
  for (const code of ['', '96', 'constructor']) assert.equal(endingAnswer('capture', code), null)
})

test('each reason of a reversal is read back from its code', () => {
  for (const reason of REVERSAL_REASONS) {
    assert.equal(reversalReason(reversalCode(reason)), reason)
  }
  assert.deepEqual(REVERSAL_REASONS.map(reversalCode), ['VD', 'TO', 'AV', 'CV', 'PA', 'EX'])
})

test('an unknown stored reason is an error, not a void', () => {
  assert.throws(() => reversalReason('XX'), { name: 'InvariantError' })
  assert.throws(() => reversalReason(''), { name: 'InvariantError' })
})

test('an unreferenced credit was sent to the bank as a 0200, everything else as a 0100', () => {
  for (const kind of ['refund', 'unreferenced_credit']) assert.equal(originalMti(kind), '0200')
  for (const kind of ['payment', 'authorization', 'sale']) assert.equal(originalMti(kind), '0100')
})
