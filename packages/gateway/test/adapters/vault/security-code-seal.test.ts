import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newCardToken } from '../../../src/adapters/vault/new-card-token.ts'
import { createSecurityCodeSeal } from '../../../src/adapters/vault/security-code-seal.ts'
import { Secret } from '../../../src/base/secret.ts'
import { aDataKey, ringOf } from './test-key-ring.ts'

test('a security code opens with its token, its data key and its row, and with nothing less', async () => {
  const [first, second] = [aDataKey(1), aDataKey(2)]
  const seal = createSecurityCodeSeal(ringOf(first, second))
  const { token } = newCardToken()
  const sealed = await seal.seal(new Secret('123'), token, 7n)
  assert.equal((await seal.open(sealed, token, 7n))?.reveal(), '123')
  await assert.rejects(seal.open(sealed, newCardToken().token, 7n))
  await assert.rejects(seal.open(sealed, token, 8n))
  await assert.rejects(
    createSecurityCodeSeal(ringOf(first)).open(sealed, token, 7n),
    /[Dd]ata key 2/,
  )
  await assert.rejects(createSecurityCodeSeal(ringOf(first, aDataKey(2))).open(sealed, token, 7n))
})

test('a token is 160 bits, and known by its SHA-256', () => {
  const { token, hash } = newCardToken()
  assert.match(token.reveal(), /^[0-9A-F]{40}$/)
  assert.match(hash, /^[0-9a-f]{64}$/)
  assert.notEqual(newCardToken().token.reveal(), token.reveal())
})
