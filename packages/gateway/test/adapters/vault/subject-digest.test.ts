import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createCardVault } from '../../../src/adapters/vault/card-vault.ts'
import { createSubjectDigest } from '../../../src/adapters/vault/subject-digest.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import { aDataKey, ringOf } from './test-key-ring.ts'

const vaultOf = (fingerprintKey: Buffer) =>
  createCardVault({
    keys: { ...ringOf(aDataKey(1)), fingerprintKey: createSecretKey(fingerprintKey) },
    audit: { append: async () => {} },
    actor: 'gateway:test',
    onUnreadable: () => {},
  })

test('processes with the same fingerprint key digest a subject alike, and others do not', () => {
  const key = randomBytes(32)
  const digest = createSubjectDigest(vaultOf(key))

  assert.match(digest('bin 411111'), /^[0-9a-f]{32}$/)
  assert.equal(createSubjectDigest(vaultOf(key))('bin 411111'), digest('bin 411111'))
  assert.notEqual(digest('bin 411112'), digest('bin 411111'))
  assert.notEqual(createSubjectDigest(vaultOf(randomBytes(32)))('bin 411111'), digest('bin 411111'))
})

test("a subject's digest of a number differs from the fingerprint of stored cards", () => {
  const vault = vaultOf(randomBytes(32))
  const fingerprint = vault.fingerprint(new CardNumber('4111111111111111'), 1n)
  assert.ok(!fingerprint.startsWith(createSubjectDigest(vault)('1:4111111111111111')))
})
