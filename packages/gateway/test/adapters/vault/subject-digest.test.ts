import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { cardFingerprint } from '../../../src/adapters/vault/card-vault.ts'
import {
  createSubjectDigest,
  subjectDigestKey,
} from '../../../src/adapters/vault/subject-digest.ts'

const keysOf = (key: Buffer) => ({ fingerprintKey: createSecretKey(key) })
const digestOf = (key: Buffer) => createSubjectDigest(subjectDigestKey(keysOf(key)))

test('processes with the same fingerprint key digest a subject alike, and others do not', () => {
  const key = randomBytes(32)
  const digest = digestOf(key)

  assert.match(digest('bin 411111'), /^[0-9a-f]{32}$/)
  assert.equal(digestOf(key)('bin 411111'), digest('bin 411111'))
  assert.notEqual(digest('bin 411112'), digest('bin 411111'))
  assert.notEqual(digestOf(randomBytes(32))('bin 411111'), digest('bin 411111'))
})

test("a subject's digest of a number differs from the fingerprint of stored cards", () => {
  const key = randomBytes(32)
  const fingerprint = cardFingerprint(keysOf(key), '4111111111111111', 1n)
  assert.ok(!fingerprint.startsWith(digestOf(key)('1:4111111111111111')))
})
