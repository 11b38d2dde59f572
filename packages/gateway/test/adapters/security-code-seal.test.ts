import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newCardToken } from '../../src/adapters/vault/new-card-token.ts'
import { createSecurityCodeSeal } from '../../src/adapters/vault/security-code-seal.ts'
import { Secret } from '../../src/base/secret.ts'

const key = (id: number) => ({ id, key: randomBytes(32) })
const FINGERPRINT = key(9)

test('a security code opens with its token, its data key and its row, and with nothing less', () => {
  const [first, second] = [key(1), key(2)]
  const seal = createSecurityCodeSeal({ pan: [first, second], fingerprint: FINGERPRINT })
  const { token } = newCardToken()
  const sealed = seal.seal(new Secret('123'), token, 7n)
  assert.equal(seal.open(sealed, token, 7n).reveal(), '123')
  assert.throws(() => seal.open(sealed, newCardToken().token, 7n))
  assert.throws(() => seal.open(sealed, token, 8n))
  const without = createSecurityCodeSeal({ pan: [first], fingerprint: FINGERPRINT })
  assert.throws(() => without.open(sealed, token, 7n), /data key 2/)
  const other = createSecurityCodeSeal({ pan: [first, key(2)], fingerprint: FINGERPRINT })
  assert.throws(() => other.open(sealed, token, 7n))
})

test('a token is 160 bits, and known by its SHA-256', () => {
  const { token, hash } = newCardToken()
  assert.match(token.reveal(), /^[0-9A-F]{40}$/)
  assert.match(hash, /^[0-9a-f]{64}$/)
  assert.notEqual(newCardToken().token.reveal(), token.reveal())
})
