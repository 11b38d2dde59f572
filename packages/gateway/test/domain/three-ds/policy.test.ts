import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decidePolicy,
  policyText,
  relaxesPolicy,
  type ThreeDsPolicy,
} from '../../../src/domain/three-ds/policy.ts'

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

const TIGHT: ThreeDsPolicy = {
  required: true,
  whenUnavailable: 'decline',
  paResRequired: true,
  challengePreference: '04',
  returnHosts: ['shop.example'],
}

test('each setting of 3-D Secure that takes more than before relaxes the settings', () => {
  const looser: Partial<ThreeDsPolicy>[] = [
    { required: false },
    { whenUnavailable: 'authorize' },
    { paResRequired: false },
    { challengePreference: '03' },
    { challengePreference: null },
    { returnHosts: [] },
    { returnHosts: ['shop.example', 'other.example'] },
  ]
  for (const change of looser) {
    assert.ok(relaxesPolicy(TIGHT, { ...TIGHT, ...change }), JSON.stringify(change))
  }
})

test('settings of 3-D Secure that take less than before, or as much, relax nothing', () => {
  assert.ok(!relaxesPolicy(BEFORE, TIGHT))
  assert.ok(!relaxesPolicy(TIGHT, TIGHT))
  assert.ok(!relaxesPolicy({ ...BEFORE, returnHosts: [] }, BEFORE))
  const two = { ...TIGHT, returnHosts: ['shop.example', 'other.example'] }
  assert.ok(!relaxesPolicy(two, TIGHT))
})

test('the text of 3-D Secure settings differs with each of them', () => {
  const changes: Partial<ThreeDsPolicy>[] = [
    {},
    { required: false },
    { whenUnavailable: 'authorize' },
    { paResRequired: false },
    { challengePreference: null },
    { returnHosts: [] },
  ]
  const texts = changes.map((change) => policyText({ ...TIGHT, ...change }))
  assert.equal(new Set(texts).size, changes.length)
})
