import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { openKeyEncryptingKeys } from '../../../src/adapters/vault/key-encrypting-keys.ts'
import { openTransitKeyWrapper } from '../../../src/adapters/vault/transit-key-wrapper.ts'
import type { TransitServer } from '../../../src/adapters/vault/transit-server.ts'
import { Secret } from '../../../src/base/secret.ts'
import { startFakeTransit, type FakeTransit } from './fake-transit.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-transit-'))
const tokenFile = join(folder, 'token')

let transit: FakeTransit
let server: TransitServer
before(async () => {
  transit = await startFakeTransit()
  server = { address: transit.url, tokenFile, namespace: '', caFile: null }
})
beforeEach(() => {
  transit.token = 'hvs.first-token'
  transit.namespace = null
  writeFileSync(tokenFile, `${transit.token}\n`)
})
after(async () => {
  await transit?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const KEY = randomBytes(32)
const BINDING = { id: 3, purpose: 'pan' } as const

/** The message of what a promise is rejected with. */
const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  )

test('a data key is wrapped by the transit engine and unwrapped for its own row only', async () => {
  for (const derived of [false, true]) {
    transit.createKey('transit/tollgate', { derived })
    const wrapper = await openTransitKeyWrapper(server, 'tollgate')

    const wrapped = await wrapper.wrap(KEY, BINDING)

    assert.equal(wrapper.id, 'transit:transit/tollgate')
    assert.match(wrapped.toString(), /^vault:v1:/)
    assert.deepEqual(await wrapper.unwrap(wrapped, BINDING), KEY)
    for (const other of [{ ...BINDING, id: 4 }, { id: 3, purpose: 'fingerprint' } as const]) {
      await assert.rejects(wrapper.unwrap(wrapped, other), /for another row, or was changed/)
    }
  }
})

test('mount, name and namespace are those of the settings, and the id has them all', async () => {
  transit.namespace = 'payments/live'
  transit.createKey('engines/cards/kek')
  transit.calls.length = 0

  const wrapper = await openTransitKeyWrapper(
    { ...server, namespace: 'payments/live' },
    'engines/cards/kek',
  )
  await wrapper.unwrap(await wrapper.wrap(KEY, BINDING), BINDING)

  assert.equal(wrapper.id, 'transit:payments/live/engines/cards/kek')
  assert.deepEqual(transit.calls, [
    'GET /v1/engines/cards/keys/kek',
    'POST /v1/engines/cards/encrypt/kek',
    // Without associated data, which must be refused.
    'POST /v1/engines/cards/decrypt/kek',
    'POST /v1/engines/cards/decrypt/kek',
  ])
})

test('a token that an agent replaced is used from the next call on', async () => {
  transit.createKey('transit/renewed')
  const wrapper = await openTransitKeyWrapper(server, 'renewed')
  transit.token = 'hvs.second-token'

  const before = await messageOf(wrapper.wrap(KEY, BINDING))
  writeFileSync(tokenFile, 'hvs.second-token')

  assert.match(
    before,
    /permission denied \(HTTP 403\): the token of VAULT_TOKEN_FILE must be valid/,
  )
  assert.ok((await wrapper.wrap(KEY, BINDING)).length > 32)
})

test('after a rotation at the Vault old data keys unwrap, and a rewrap takes the new version', async () => {
  transit.createKey('transit/rotated')
  const wrapper = await openTransitKeyWrapper(server, 'rotated')
  const first = await wrapper.wrap(KEY, BINDING)
  transit.rotate('transit/rotated')

  const second = await wrapper.wrap(await wrapper.unwrap(first, BINDING), BINDING)
  transit.demandVersion('transit/rotated', 2)

  assert.match(second.toString(), /^vault:v2:/)
  assert.deepEqual(await wrapper.unwrap(second, BINDING), KEY)
  await assert.rejects(
    wrapper.unwrap(first, BINDING),
    /below min_decryption_version: lower that, and run "tollgate keys rewrap"/,
  )
})

test('a broken line and a passing error of the Vault are tried again', async () => {
  transit.createKey('transit/busy')
  const wrapper = await openTransitKeyWrapper(server, 'busy')
  transit.calls.length = 0

  transit.trouble.push('cut', { status: 500, errors: ['local node not active'] })
  await wrapper.wrap(KEY, BINDING)

  assert.equal(transit.calls.filter((call) => call.includes('/encrypt/')).length, 3)
})

test('each refusal of the Vault is a sentence with what was found and what to do', async () => {
  transit.createKey('transit/refused')
  const wrapper = await openTransitKeyWrapper(server, 'refused')
  const begin = `The Vault at ${transit.url} cannot encrypt with the transit key transit/refused:`
  transit.sealed = true
  const sealed = await messageOf(wrapper.wrap(KEY, BINDING))
  transit.sealed = false
  writeFileSync(tokenFile, 'hvs.of-nobody')
  const denied = await messageOf(wrapper.wrap(KEY, BINDING))
  const file = join(folder, 'nowhere')
  const tokenless = await messageOf(
    openTransitKeyWrapper({ ...server, tokenFile: file }, 'refused'),
  )
  writeFileSync(tokenFile, transit.token)
  const missing = await messageOf(openTransitKeyWrapper(server, 'nobody'))
  transit.createKey('transit/rsa', { type: 'rsa-4096' })
  const unfit = await messageOf(openTransitKeyWrapper(server, 'rsa'))

  assert.equal(sealed, `${begin} it is sealed or in maintenance (HTTP 503): unseal it.`)
  assert.equal(
    denied,
    `${begin} permission denied (HTTP 403): the token of VAULT_TOKEN_FILE must be valid, and its ` +
      'policy must allow transit/encrypt/refused.',
  )
  assert.match(tokenless, /VAULT_TOKEN_FILE is .*nowhere, a file that cannot be read \(ENOENT\)\.$/)
  assert.match(
    missing,
    /cannot read the transit key transit\/nobody: there is no such key or mount/,
  )
  assert.match(unfit, /its type is rsa-4096; expected aes256-gcm96/)
  assert.equal(
    transit.calls.some((call) => /encrypt\/(nobody|rsa)$/.test(call)),
    false,
    'an encryption would create a missing key',
  )
})

test('neither token nor data key is in an error, even where the Vault repeats them', async () => {
  transit.createKey('transit/secret')
  const wrapper = await openTransitKeyWrapper(server, 'secret')
  const repeats = [`bad request: ${transit.token} wants ${KEY.toString('base64')}`]
  transit.trouble.push({ status: 400, errors: repeats })

  const said = await messageOf(wrapper.wrap(KEY, BINDING))

  assert.match(said, /HTTP 400, bad request: \*\*\* wants \*\*\*\.$/)
})

test('a Vault that ignores associated data is refused, since a data key would fit each row', async (t) => {
  transit.createKey('transit/unbound')
  const wrapper = await openTransitKeyWrapper(server, 'unbound')
  t.after(() => (transit.ignoresAssociatedData = false))
  transit.ignoresAssociatedData = true

  await assert.rejects(wrapper.wrap(KEY, BINDING), /it ignores associated_data\. Update it/)
})

test('a Vault that is away is reported in a sentence', async () => {
  const gone = await startFakeTransit()
  await gone.stop()

  const said = await messageOf(openTransitKeyWrapper({ ...server, address: gone.url }, 'tollgate'))

  assert.equal(
    said,
    `The transit key transit/tollgate cannot be used: the Vault at ${gone.url} cannot be reached ` +
      '(ECONNREFUSED): check VAULT_ADDR, VAULT_CACERT and the network.',
  )
})

test('a key of a file, and another transit key, are replaced by a transit key', async () => {
  transit.createKey('transit/old')
  transit.createKey('transit/new')
  const local = new Secret(randomBytes(32).toString('base64'))
  const common = { vaultKey: null, vaultServer: server }
  const kinds = [
    [{ vaultKey: local }, local],
    [{ ...common, vaultTransitKey: 'old' }, { transitKey: 'old' }],
  ] as const
  for (const [settings, vaultKeyPrevious] of kinds) {
    const { current } = await openKeyEncryptingKeys(settings)
    const wrapped = await current.wrap(KEY, BINDING)

    const keks = await openKeyEncryptingKeys({
      ...common,
      vaultTransitKey: 'new',
      vaultKeyPrevious,
    })

    assert.equal(keks.current.id, 'transit:transit/new')
    const row = { id: 3, kek_id: current.id }
    assert.deepEqual(await keks.wrapperOf(row).unwrap(wrapped, BINDING), KEY)
  }
})
