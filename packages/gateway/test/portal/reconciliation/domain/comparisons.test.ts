import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideComparison } from '../../../../src/portal/reconciliation/domain/comparisons.ts'

test('a merchant can start a comparison where none is unfinished', () => {
  assert.equal(decideComparison(null), null)
})

test('a merchant cannot start a comparison while another one is unfinished', () => {
  const refusal = decideComparison(301n)
  assert.deepEqual([refusal?.kind, refusal?.code], ['conflict', 'under_way'])
  assert.deepEqual(refusal?.faults, ['A comparison is already running.'])
})
