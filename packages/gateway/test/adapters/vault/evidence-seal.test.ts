import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createEvidenceSeal } from '../../../src/adapters/vault/evidence-seal.ts'
import type { KeyRing } from '../../../src/adapters/vault/key-ring.ts'
import { createPlaceSeal } from '../../../src/adapters/vault/place-seal.ts'

const dataKey = { id: 7, key: createSecretKey(randomBytes(32)) }
const ring: KeyRing = {
  sealing: () => dataKey,
  fingerprintKey: dataKey.key,
  look: () => ({ kind: 'key', key: dataKey }),
  find: () => Promise.resolve({ kind: 'key', key: dataKey }),
}
const seal = createEvidenceSeal(createPlaceSeal(ring))

test('a file of evidence opens only in its own place, unchanged', async () => {
  const content = new TextEncoder().encode('%PDF-1.7 an invoice')
  const sealed = await seal.sealFile(content, 5n)
  assert.equal(sealed.dataKeyId, 7)
  assert.ok(!sealed.content.includes('invoice'))
  assert.deepEqual(await seal.openFile(sealed, 5n), Buffer.from(content))
  await assert.rejects(seal.openFile(sealed, 6n))
  const changed = Buffer.from(sealed.content)
  changed.writeUInt8(changed.readUInt8(14) ^ 1, 14)
  await assert.rejects(seal.openFile({ ...sealed, content: changed }, 5n))
})

test('the text of an answer opens only in its own place', async () => {
  const { ciphertext } = await seal.sealNote('delivered on Monday', 3n)
  assert.ok(!ciphertext.includes('delivered'))
  assert.equal(await seal.openNote(ciphertext, 3n), 'delivered on Monday')
  await assert.rejects(seal.openNote(ciphertext, 4n))
})
