import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decidePolicy, type ThreeDsPolicy } from '../../../src/domain/three-ds/policy.ts'

const BEFORE: ThreeDsPolicy = {
  required: false,
  whenUnavailable: 'authorize',
  paResRequired: false,
  challengePreference: null,
  returnHosts: ['shop.example'],
}

test('a change of the 3-D Secure settings leaves the settings that it does not name', () => {
  const decided = decidePolicy(1001n, BEFORE, { required: true }, null)
  assert.deepEqual(decided, { ok: true, policy: { ...BEFORE, required: true } })
})

test('the 3-D Secure settings are changed where they equal the shown ones', () => {
  const seen = { ...BEFORE, returnHosts: ['shop.example'] }
  assert.equal(decidePolicy(1001n, BEFORE, { required: true }, seen).ok, true)
})

test('the 3-D Secure settings are not changed where another host was shown', () => {
  const seen = { ...BEFORE, returnHosts: ['other.example'] }
  const decided = decidePolicy(1001n, BEFORE, { required: true }, seen)
  assert.ok(!decided.ok)
  assert.equal(decided.code, 'changed_meanwhile')
})
