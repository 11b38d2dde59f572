import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { generate } from 'selfsigned'
import type { TransitServer } from '../../../src/adapters/vault/transit-server.ts'
import { probeVault } from '../../../src/wiring/operator-doctor.ts'
import { startFakeTransit, type FakeTransit } from './fake-transit.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-transit-tls-'))
const tokenFile = join(folder, 'token')
const authority = join(folder, 'authority.pem')
const otherAuthority = join(folder, 'other.pem')
const KEY_ID = 'transit:transit/tollgate'

interface Pems {
  readonly cert: string
  readonly private: string
}

/** An authority that signs for others; self-signed. */
const authorityNamed = (name: string): Promise<Pems> =>
  generate([{ name: 'commonName', value: name }], {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })

suite('a Vault over TLS', () => {
  let transit: FakeTransit
  /** One with a certificate for another host, of the same authority. */
  let elsewhere: FakeTransit
  before(async () => {
    const [own, other] = await Promise.all([authorityNamed('own'), authorityNamed('other')])
    const signed = (ip: string): Promise<Pems> =>
      generate([{ name: 'commonName', value: 'vault' }], {
        ca: { key: own.private, cert: own.cert },
        extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip }] }],
      })
    const [right, wrong] = await Promise.all([signed('127.0.0.1'), signed('192.0.2.1')])
    writeFileSync(authority, own.cert)
    writeFileSync(otherAuthority, other.cert)
    transit = await startFakeTransit({ cert: right.cert, key: right.private })
    elsewhere = await startFakeTransit({ cert: wrong.cert, key: wrong.private })
    for (const each of [transit, elsewhere]) each.createKey('transit/tollgate')
    writeFileSync(tokenFile, `${transit.token}\n`)
  })
  after(async () => {
    await Promise.all([transit?.stop(), elsewhere?.stop()])
    rmSync(folder, { recursive: true, force: true })
  })

  const probe = (change: Partial<TransitServer> = {}) =>
    probeVault(
      { address: transit.url, tokenFile, namespace: '', caFile: authority, ...change },
      'tollgate',
    )

  test('is used with the authority of VAULT_CACERT, and the doctor learns how long the token is valid', async () => {
    const token = { secondsLeft: 3_000, seconds: 3_600, isRenewable: true }
    assert.deepEqual(await probe(), { keyId: KEY_ID, token })
    transit.tokenLife = { ttl: 0, creation_ttl: 0, renewable: false }
    assert.deepEqual(await probe(), {
      keyId: KEY_ID,
      token: { secondsLeft: null, seconds: 0, isRenewable: false },
    })
    transit.tokenLife = null
    assert.deepEqual(await probe(), { keyId: KEY_ID, token: null })
  })

  test('gets no token with a certificate of another authority, of an unknown one, or for another host', async () => {
    const calls = [transit.calls.length, elsewhere.calls.length]
    const unknown = await probe({ caFile: null })
    const other = await probe({ caFile: otherAuthority })
    const host = await probe({ address: elsewhere.url })

    const begin =
      /^The transit key transit\/tollgate cannot be used: the Vault at \S+ cannot be reached/
    for (const said of [unknown, other, host]) assert.match(String(said), begin)
    assert.match(
      String(unknown),
      /\(UNABLE_TO_\w+|SELF_SIGNED\w+\): check VAULT_ADDR, VAULT_CACERT/,
    )
    assert.match(String(other), /\(UNABLE_TO_\w+|SELF_SIGNED\w+\): check VAULT_ADDR, VAULT_CACERT/)
    assert.match(String(host), /\(ERR_TLS_CERT_ALTNAME_INVALID\): check VAULT_ADDR, VAULT_CACERT/)
    assert.deepEqual([transit.calls.length, elsewhere.calls.length], calls)
  })

  test('is a sentence for the doctor with a key that is missing or refused, without the token', async () => {
    const missing = await probeVault(
      { address: transit.url, tokenFile, namespace: '', caFile: authority },
      'nobody',
    )
    writeFileSync(tokenFile, 'hvs.expired-token')
    const refused = await probe()
    writeFileSync(tokenFile, transit.token)

    assert.match(String(missing), /there is no such key or mount \(HTTP 404\)/)
    assert.match(String(refused), /permission denied \(HTTP 403\): the token of VAULT_TOKEN_FILE/)
    assert.ok(!String(refused).includes('hvs.expired-token'))
  })
})
