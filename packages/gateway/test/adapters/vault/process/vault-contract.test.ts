import assert from 'node:assert/strict'
import { suite, test, type TestContext } from 'node:test'
import type { KeyRing } from '../../../../src/adapters/vault/key-ring.ts'
import { KeysOutOfDateError } from '../../../../src/adapters/vault/key-ring.ts'
import { newCardToken } from '../../../../src/adapters/vault/new-card-token.ts'
import { Secret } from '../../../../src/base/secret.ts'
import { CardNumber } from '../../../../src/domain/payments/card-number.ts'
import { CardUnreadableError } from '../../../../src/usecases/vault/card-vault.ts'
import { aDataKey, ringOf } from '../test-key-ring.ts'
import {
  DESTROYED,
  ownVault,
  servedVault,
  type VaultWorld,
  type WorldOptions,
} from './vault-world.ts'

const PAN = new CardNumber('4111111111111111')
const PLACE = { kind: 'payment method', id: 7000n } as const

type Open = (t: TestContext, keys: KeyRing, options?: WorldOptions) => Promise<VaultWorld>

const WAYS: readonly (readonly [string, Open])[] = [
  ['with keys of its own', async (_, keys, options) => ownVault(keys, options)],
  [
    'through the vault process',
    async (t, keys, options) => {
      const served = await servedVault(keys, options)
      t.after(served.stop)
      return served
    },
  ],
]

for (const [way, open] of WAYS) {
  suite(`a vault ${way}`, () => {
    test(`seals a number for its row and merchant, and says which one it is, ${way}`, async (t) => {
      const { entries, work } = await open(t, ringOf(aDataKey(1), aDataKey(2)))
      const first = await work.vault.seal(PAN, PLACE, 11n)
      const again = await work.vault.seal(PAN, { kind: 'card token', id: 5n }, 11n)
      const other = await work.vault.seal(PAN, PLACE, 12n)

      assert.equal(first.sealed.dataKeyId, 2)
      assert.match(first.fingerprint, /^[0-9a-f]{64}$/)
      assert.equal(again.fingerprint, first.fingerprint)
      assert.notEqual(other.fingerprint, first.fingerprint)
      const stored = Buffer.from(first.sealed.ciphertext, 'hex')
      assert.equal((await work.vault.reveal(stored, PLACE, 'refund', 11n)).reveal(), PAN.reveal())
      await assert.rejects(work.vault.reveal(stored, { ...PLACE, id: 7001n }, 'refund', 11n))
      await assert.rejects(work.vault.reveal(stored, PLACE, 'refund', 12n))
      assert.deepEqual(
        entries.map((entry) => [entry.actor, entry.object, entry.result, entry.details]),
        [
          ['gateway:test:1', 'payment method 7000', 'done', { reason: 'refund', data_key: 2 }],
          ['gateway:test:1', 'payment method 7001', 'done', { reason: 'refund', data_key: 2 }],
          ['gateway:test:1', 'payment method 7001', 'failed', { reason: 'refund', data_key: 2 }],
          ['gateway:test:1', 'payment method 7000', 'done', { reason: 'refund', data_key: 2 }],
          ['gateway:test:1', 'payment method 7000', 'failed', { reason: 'refund', data_key: 2 }],
        ],
      )
    })

    test(`gives no number out whose reveal cannot be recorded, ${way}`, async (t) => {
      const append = () => Promise.reject(new Error('the audit log is away'))
      const { work } = await open(t, ringOf(aDataKey(1)), { append })
      const { sealed } = await work.vault.seal(PAN, PLACE, 11n)
      const stored = Buffer.from(sealed.ciphertext, 'hex')
      await assert.rejects(work.vault.reveal(stored, PLACE, 'refund', 11n), /audit log is away/)
    })

    test(`says of a destroyed key who destroyed it and when, ${way}`, async (t) => {
      const keys = ringOf(aDataKey(3))
      const { work } = await open(t, keys)
      const { sealed } = await work.vault.seal(PAN, PLACE, 11n)
      const stored = Buffer.from(sealed.ciphertext, 'hex')
      const gone = { kind: 'destroyed', ...DESTROYED } as const
      const after = await open(t, { ...keys, look: () => gone, find: async () => gone })
      assert.equal(work.vault.isReadable(stored), true)
      assert.equal(after.work.vault.isReadable(stored), false)
      await assert.rejects(after.work.vault.reveal(stored, PLACE, 'refund', 11n), (error) => {
        assert.ok(error instanceof CardUnreadableError)
        assert.match(error.message, /data key 3 was destroyed on 2026-11-21.* by operator:ada/)
        return true
      })
      assert.deepEqual(
        after.entries.map(({ result }) => result),
        ['refused'],
      )
    })

    test(`seals secrets and codes for their place, ${way}`, async (t) => {
      const { work } = await open(t, ringOf(aDataKey(1)))
      const text = 'a clé of 40 €'
      const place = 'token key of site 1001'
      const { ciphertext, dataKeyId } = await work.places.seal(text, place)
      assert.equal(dataKeyId, 1)
      assert.equal((await work.places.open(ciphertext, place)).toString('utf8'), text)
      await assert.rejects(work.places.open(ciphertext, 'token key of site 1002'))

      const { token } = newCardToken()
      const sealed = await work.codes.seal(new Secret('123'), token, 7n)
      assert.equal((await work.codes.open(sealed, token, 7n))?.reveal(), '123')
      await assert.rejects(work.codes.open(sealed, newCardToken().token, 7n))
    })

    test(`reports a batch of a re-encryption, ${way}`, async (t) => {
      const step = { moved: 3, more: true }
      const reencryption = { step: async () => step }
      const { work } = await open(t, ringOf(aDataKey(1)), { reencryption })
      assert.deepEqual(await work.reencryption.step(), step)
    })

    test(`does not seal with keys that may be out of date, ${way}`, async (t) => {
      const sealing = () => {
        throw new KeysOutOfDateError('away')
      }
      const { work } = await open(t, { ...ringOf(aDataKey(1)), sealing })
      await assert.rejects(work.vault.seal(PAN, PLACE, 11n), /away/)
    })
  })
}
