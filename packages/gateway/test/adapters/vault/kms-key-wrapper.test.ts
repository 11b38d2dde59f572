import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openKeyEncryptingKeys } from '../../../src/adapters/vault/key-encrypting-keys.ts'
import { openKmsKeyWrapper } from '../../../src/adapters/vault/kms-key-wrapper.ts'
import { Secret } from '../../../src/base/secret.ts'
import { awsEnvironment, startFakeKms, type FakeKms } from './fake-kms.ts'

let kms: FakeKms
const environment = { ...process.env }
before(async () => {
  kms = await startFakeKms()
  Object.assign(process.env, awsEnvironment(kms))
})
after(async () => {
  process.env = environment
  await kms.stop()
})

const KEY = randomBytes(32)
const BINDING = { id: 3, purpose: 'pan' } as const

test('a data key is wrapped by the KMS and unwrapped, bound to its row by the encryption context', async () => {
  const arn = kms.createKey('alias/tollgate')
  const wrapper = await openKmsKeyWrapper('alias/tollgate')
  kms.calls.length = 0

  const wrapped = await wrapper.wrap(KEY, BINDING)

  assert.equal(wrapper.id, `kms:${arn}`)
  assert.equal(wrapped.includes(KEY), false)
  assert.deepEqual(await wrapper.unwrap(wrapped, BINDING), KEY)
  const context = { application: 'tollgate', purpose: 'pan', data_key: '3' }
  assert.deepEqual(kms.calls, [
    { operation: 'Encrypt', context },
    { operation: 'Decrypt', context },
  ])
  await assert.rejects(
    wrapper.unwrap(wrapped, { id: 4, purpose: 'pan' }),
    /wrapped by another key or for another row/,
  )
  await assert.rejects(
    wrapper.unwrap(wrapped, { id: 3, purpose: 'fingerprint' }),
    /for another row/,
  )
})

test('a key wrapped by another KMS key is not unwrapped, even by a user of both', async () => {
  const [one, two] = [kms.createKey(), kms.createKey()]
  const wrapped = await (await openKmsKeyWrapper(one)).wrap(KEY, BINDING)

  await assert.rejects(
    (await openKmsKeyWrapper(two)).unwrap(wrapped, BINDING),
    /wrapped by another key/,
  )
})

test('calls to a busy KMS and over a broken connection are retried', async () => {
  const wrapper = await openKmsKeyWrapper(kms.createKey())

  kms.trouble({ error: 'ThrottlingException' }, 2)
  const wrapped = await wrapper.wrap(KEY, BINDING)
  kms.trouble('cut')

  assert.deepEqual(await wrapper.unwrap(wrapped, BINDING), KEY)
})

test('a KMS that leaves one try unanswered is asked again, and not waited for without end', async () => {
  const wrapper = await openKmsKeyWrapper(kms.createKey())

  kms.trouble('silent')

  assert.ok((await wrapper.wrap(KEY, BINDING)).length > 32)
})

test('every refusal of the KMS is a sentence that names the key and the reason', async () => {
  const arn = kms.createKey()
  const wrapper = await openKmsKeyWrapper(arn)
  for (const [error, reason] of [
    [
      'AccessDeniedException',
      'the credentials may not use it (kms:DescribeKey, kms:Encrypt, kms:Decrypt)',
    ],
    ['KMSInvalidStateException', 'the key is disabled or about to be deleted'],
    ['SomethingNewException', 'SomethingNewException: the fake says SomethingNewException'],
  ] as const) {
    kms.trouble({ error })
    await assert.rejects(wrapper.wrap(KEY, BINDING), {
      message: `AWS KMS cannot encrypt with the key ${arn}: ${reason}.`,
    })
  }
  await assert.rejects(openKmsKeyWrapper('alias/nobody'), {
    message:
      'AWS KMS cannot describe the key alias/nobody: there is no such key in this account and region.',
  })
  kms.disable(arn)
  await assert.rejects(openKmsKeyWrapper(arn), /cannot wrap data keys: its state is Disabled/)
  await assert.rejects(wrapper.wrap(KEY, BINDING), /the key is disabled/)
})

test('a KMS that is away is reported in a sentence', async () => {
  const gone = await startFakeKms()
  const arn = gone.createKey()
  await gone.stop()
  process.env['AWS_ENDPOINT_URL_KMS'] = gone.url
  try {
    await assert.rejects(
      openKmsKeyWrapper(arn),
      /^Error: AWS KMS cannot describe the key .*ECONNREFUSED/,
    )
  } finally {
    process.env['AWS_ENDPOINT_URL_KMS'] = kms.url
  }
})

test('a key from a file is replaced by one of the KMS: each unwraps the keys that it wrapped', async () => {
  const local = new Secret(randomBytes(32).toString('base64'))
  const before = await openKeyEncryptingKeys({ vaultKey: local })
  const wrapped = await before.current.wrap(KEY, BINDING)

  const keks = await openKeyEncryptingKeys({
    vaultKey: null,
    vaultKmsKey: kms.createKey(),
    vaultKeyPrevious: local,
  })

  assert.match(keks.current.id, /^kms:arn:/)
  const row = { id: 3, kek_id: before.current.id }
  assert.deepEqual(await keks.wrapperOf(row).unwrap(wrapped, BINDING), KEY)
})
