import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createCardVault } from '../../src/adapters/vault/card-vault.ts'
import { createLocalKeyWrapper } from '../../src/adapters/vault/key-wrapper.ts'
import { createSecretSeal } from '../../src/adapters/vault/secret-seal.ts'
import { Secret } from '../../src/base/secret.ts'

const PAN = new Secret('4111111111111111')
const PLACE = { kind: 'payment method', id: 7000n } as const
const fingerprint = { id: 9, key: randomBytes(32) }
const key = (id: number): { id: number; key: Buffer } => ({ id, key: randomBytes(32) })

test('a sealed number opens again for the row it was sealed for', async () => {
  const vault = createCardVault({ pan: [key(1)], fingerprint })

  const sealed = vault.seal(PAN, PLACE)

  const opened = await vault.reveal(Buffer.from(sealed.ciphertext, 'hex'), PLACE, 'refund')
  assert.equal(opened.reveal(), PAN.reveal())
})

test('a sealed number moved to another row cannot be opened', async () => {
  const vault = createCardVault({ pan: [key(1)], fingerprint })

  const sealed = vault.seal(PAN, PLACE)

  const ciphertext = Buffer.from(sealed.ciphertext, 'hex')
  await assert.rejects(vault.reveal(ciphertext, { kind: 'payment method', id: 7001n }, 'refund'))
  await assert.rejects(vault.reveal(ciphertext, { kind: 'card token', id: 7000n }, 'refund'))
})

test('any changed byte of a sealed number is noticed', async () => {
  const vault = createCardVault({ pan: [key(1)], fingerprint })
  const sealed = Buffer.from(vault.seal(PAN, PLACE).ciphertext, 'hex')

  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    await assert.rejects(vault.reveal(changed, PLACE, 'refund'), `byte ${at}`)
  }
})

test('the newest key seals, and numbers under older keys still open', async () => {
  const [older, newer] = [key(1), key(2)]
  const before = createCardVault({ pan: [older], fingerprint }).seal(PAN, PLACE)
  const vault = createCardVault({ pan: [older, newer], fingerprint })

  assert.equal(vault.seal(PAN, PLACE).dataKeyId, 2)
  const opened = await vault.reveal(Buffer.from(before.ciphertext, 'hex'), PLACE, 'refund')
  assert.equal(opened.reveal(), PAN.reveal())
})

test('the same number has one fingerprint for a merchant and another for the next', () => {
  const vault = createCardVault({ pan: [key(1)], fingerprint })

  assert.equal(vault.fingerprint(PAN, 1n), vault.fingerprint(new Secret(PAN.reveal()), 1n))
  assert.notEqual(vault.fingerprint(PAN, 1n), vault.fingerprint(PAN, 2n))
})

test('a data key does not unwrap under another key-encrypting key, and the error says why', async () => {
  const wrapped = await createLocalKeyWrapper(randomBytes(32)).wrap(randomBytes(32))

  await assert.rejects(
    createLocalKeyWrapper(randomBytes(32)).unwrap(wrapped),
    /Start with the key that this database was made with/,
  )
})

test('a sealed secret opens in its own place only, and shows nothing of itself', () => {
  const seal = createSecretSeal({ pan: [key(1), key(2)], fingerprint })
  const { ciphertext, dataKeyId } = seal.seal(new Secret('the private key'), 'link one')

  assert.equal(seal.open(ciphertext, 'link one').reveal(), 'the private key')
  assert.equal(dataKeyId, 2)
  assert.doesNotMatch(ciphertext.toString('latin1'), /private/)
  assert.throws(() => seal.open(ciphertext, 'link two'))
})
