import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createCardVault } from '../../../src/adapters/vault/card-vault.ts'
import { keyEncryptingKeys } from '../../../src/adapters/vault/key-encrypting-keys.ts'
import type { KeyRing } from '../../../src/adapters/vault/key-ring.ts'
import { createLocalKeyWrapper } from '../../../src/adapters/vault/key-wrapper.ts'
import { createPlaceSeal } from '../../../src/adapters/vault/place-seal.ts'
import { BOUND_TO_ROW, openSealed, sealText } from '../../../src/adapters/vault/sealed-format.ts'
import { createSecretSeal } from '../../../src/adapters/vault/secret-seal.ts'
import { Secret } from '../../../src/base/secret.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { AuditEntry } from '../../../src/usecases/audit/audit-log.ts'
import { CardUnreadableError, type CardVault } from '../../../src/usecases/vault/card-vault.ts'
import { aDataKey, ringOf } from './test-key-ring.ts'

const PAN = new CardNumber('4111111111111111')
const PLACE = { kind: 'payment method', id: 7000n } as const

interface Watched extends CardVault {
  readonly entries: AuditEntry[]
  /** Messages to operators. */
  readonly told: string[]
}

function vaultOf(
  keys: KeyRing,
  append: (entry: AuditEntry) => Promise<void> = async () => {},
): Watched {
  const entries: AuditEntry[] = []
  const told: string[] = []
  const audit = {
    async append(entry: AuditEntry) {
      await append(entry)
      entries.push(entry)
    },
  }
  const onUnreadable = (_: unknown, error: CardUnreadableError): void =>
    void told.push(error.message)
  return { ...createCardVault({ keys, audit, actor: 'gateway:test', onUnreadable }), entries, told }
}

async function sealed(vault: CardVault): Promise<Buffer> {
  return Buffer.from((await vault.seal(PAN, PLACE, 1n)).sealed.ciphertext, 'hex')
}

test('a sealed number opens for the row it was sealed for, and the audit log has the reader and the reason', async () => {
  const vault = vaultOf(ringOf(aDataKey(1)))

  const opened = await vault.reveal(await sealed(vault), PLACE, 'refund', 1n)

  assert.equal(opened.reveal(), PAN.reveal())
  assert.deepEqual(vault.entries, [
    {
      actor: 'gateway:test',
      operation: 'card.revealed',
      object: 'payment method 7000',
      merchantId: 1n,
      result: 'done',
      details: { reason: 'refund', data_key: 1 },
    },
  ])
})

test('a number whose reveal cannot be recorded is not decrypted', async () => {
  const keys = ringOf(aDataKey(1))
  const vault = vaultOf(keys, () => Promise.reject(new Error('the audit log is away')))
  await assert.rejects(
    vault.reveal(await sealed(vault), PLACE, 'authorization', 1n),
    /the audit log is away/,
  )
  // Damaged, so that decrypting it first would be another error.
  const damaged = await sealed(vault)
  damaged[30] = (damaged[30] ?? 0) ^ 1

  await assert.rejects(vault.reveal(damaged, PLACE, 'authorization', 1n), /the audit log is away/)
})

test('a sealed number moved to another row cannot be opened, and the try is on record', async () => {
  const vault = vaultOf(ringOf(aDataKey(1)))
  const ciphertext = await sealed(vault)

  await assert.rejects(
    vault.reveal(ciphertext, { kind: 'payment method', id: 7001n }, 'refund', 1n),
  )
  await assert.rejects(vault.reveal(ciphertext, { kind: 'card token', id: 7000n }, 'refund', 1n))

  assert.deepEqual(
    vault.entries.map(({ object, result }) => `${object} ${result}`),
    [
      'payment method 7001 done',
      'payment method 7001 failed',
      'card token 7000 done',
      'card token 7000 failed',
    ],
  )
})

test('a sealed number opens for its own merchant only, and the try of another one is on record', async () => {
  const vault = vaultOf(ringOf(aDataKey(1)))

  await assert.rejects(vault.reveal(await sealed(vault), PLACE, 'refund', 2n))

  assert.deepEqual(
    vault.entries.map(({ merchantId, result }) => [merchantId, result]),
    [
      [2n, 'done'],
      [2n, 'failed'],
    ],
  )
})

test('a number that was sealed before numbers had a merchant opens, and in its own row only', async () => {
  const key = aDataKey(1)
  const vault = vaultOf(ringOf(key))
  const nonce = randomBytes(12)
  const text = sealText(key, nonce, PAN.reveal(), 'payment method 7000', BOUND_TO_ROW)
  const stored = Buffer.from(text, 'hex')

  assert.equal((await vault.reveal(stored, PLACE, 'refund', 1n)).reveal(), PAN.reveal())
  await assert.rejects(vault.reveal(stored, { ...PLACE, id: 7001n }, 'refund', 1n))
})

test('any changed byte of a sealed number is noticed', async () => {
  const vault = vaultOf(ringOf(aDataKey(1)))
  const ciphertext = await sealed(vault)

  for (let at = 0; at < ciphertext.length; at++) {
    const changed = Buffer.from(ciphertext)
    changed[at] = (changed[at] ?? 0) ^ 1
    await assert.rejects(vault.reveal(changed, PLACE, 'refund', 1n), `byte ${at}`)
  }
})

test('a sealed number cut short is refused, however short its tag', async () => {
  const vault = vaultOf(ringOf(aDataKey(1)))
  const ciphertext = await sealed(vault)

  for (let length = 5; length < ciphertext.length; length++) {
    await assert.rejects(
      vault.reveal(ciphertext.subarray(0, length), PLACE, 'refund', 1n),
      `${length} bytes`,
    )
  }
})

test('the newest key seals, and numbers under older keys still open', async () => {
  const [older, newer] = [aDataKey(1), aDataKey(2)]
  const before = await sealed(vaultOf(ringOf(older)))
  const vault = vaultOf(ringOf(older, newer))

  assert.equal((await vault.seal(PAN, PLACE, 1n)).sealed.dataKeyId, 2)
  assert.equal((await vault.reveal(before, PLACE, 'refund', 1n)).reveal(), PAN.reveal())
})

test('a number under a destroyed key is refused with the key, the day and its destroyer', async () => {
  const keys = ringOf(aDataKey(3))
  const ciphertext = await sealed(vaultOf(keys))
  const destroyed = {
    kind: 'destroyed',
    at: new Date('2026-11-21T10:00:00Z'),
    by: 'operator:ada@vault-1',
  } as const
  const vault = vaultOf({ ...keys, look: () => destroyed, find: async () => destroyed })

  assert.equal(vault.isReadable(ciphertext), false)
  await assert.rejects(vault.reveal(ciphertext, PLACE, 'authorization', 1n), (error) => {
    assert.ok(error instanceof CardUnreadableError)
    assert.equal(
      error.message,
      'The card cannot be read: its data key 3 was destroyed on 2026-11-21T10:00:00.000Z by ' +
        'operator:ada@vault-1.',
    )
    return true
  })
  assert.deepEqual(
    vault.entries.map(({ result }) => result),
    ['refused'],
  )
  assert.equal(vault.told.length, 1)
})

test('the same number has one fingerprint for a merchant and another for the next', async () => {
  const vault = vaultOf(ringOf(aDataKey(1)))
  const of = async (merchantId: bigint) =>
    (await vault.seal(new CardNumber(PAN.reveal()), PLACE, merchantId)).fingerprint

  assert.equal(await of(1n), await of(1n))
  assert.notEqual(await of(1n), await of(2n))
})

test('a wrapped data key unwraps for its own row and purpose only', async () => {
  const wrapper = createLocalKeyWrapper(randomBytes(32))
  const key = randomBytes(32)
  const wrapped = await wrapper.wrap(key, { id: 3, purpose: 'pan' })

  assert.deepEqual(await wrapper.unwrap(wrapped, { id: 3, purpose: 'pan' }), key)
  await assert.rejects(
    wrapper.unwrap(wrapped, { id: 4, purpose: 'pan' }),
    /Data key 4 cannot be unwrapped/,
  )
  await assert.rejects(wrapper.unwrap(wrapped, { id: 3, purpose: 'fingerprint' }))
})

test('a missing key-encrypting key is reported by its id, with the ids at hand', () => {
  const [one, two] = [
    createLocalKeyWrapper(randomBytes(32)),
    createLocalKeyWrapper(randomBytes(32)),
  ]
  const keks = keyEncryptingKeys(one, two)

  assert.equal(keks.wrapperOf({ id: 1, kek_id: two.id }), two)
  assert.throws(
    () => keks.wrapperOf({ id: 1, kek_id: 'local:0123456789abcdef' }),
    (error: Error) =>
      error.message.startsWith(
        'Data key 1 is wrapped by the key-encrypting key local:0123456789abcdef',
      ) && error.message.includes(`has ${one.id} and ${two.id}.`),
  )
})

test('a sealed secret opens in its own place only, and shows nothing of itself', async () => {
  const seal = createSecretSeal(createPlaceSeal(ringOf(aDataKey(1), aDataKey(2))))
  const { ciphertext, dataKeyId } = await seal.seal(new Secret('the private key'), 'link one')

  assert.equal((await seal.open(ciphertext, 'link one')).reveal(), 'the private key')
  assert.equal(dataKeyId, 2)
  assert.doesNotMatch(ciphertext.toString('latin1'), /private/)
  await assert.rejects(seal.open(ciphertext, 'link two'))
})

test('a sealed text does not open with another key of the same id', async () => {
  const vault = vaultOf(ringOf(aDataKey(1)))
  const other = { id: 1, key: createSecretKey(randomBytes(32)) }

  const stored = await sealed(vault)

  assert.throws(() => openSealed(other, stored, 'payment method 7000 of merchant 1'))
})
