import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { test, type TestContext } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { pino } from 'pino'
import {
  readCertificatePair,
  type CertificateFiles,
} from '../../../src/http/servers/certificate-pair.ts'
import {
  watchCertificate,
  type CertificateWatch,
} from '../../../src/http/servers/certificate-watch.ts'
import type { Certificate } from '../../../src/http/servers/certificate.ts'
import { aGateway } from '../fake-gateway.ts'
import { LIVE, makeAuthority } from './tls-client.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = new Date('2026-03-01T12:00:00Z')
const GOOD = { from: new Date('2026-02-01T00:00:00Z'), to: new Date('2026-05-02T00:00:00Z') }
const authority = await makeAuthority()

interface Watched {
  readonly files: CertificateFiles
  readonly watch: CertificateWatch
  readonly taken: Certificate[]
  /** Log lines so far, each as its level, its event, and its finding. */
  log(): string[]
  write(pair: Partial<Certificate>): void
  moveTime(ms: number): void
}

const LEVELS: Readonly<Record<number, string>> = { 30: 'info', 40: 'warn', 50: 'error' }

function aFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-certificate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

async function watched(t: TestContext, pair: Certificate, folder = aFolder(t)): Promise<Watched> {
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const write = ({ cert, key }: Partial<Certificate>): void => {
    if (cert !== undefined) writeFileSync(files.certFile, cert)
    if (key !== undefined) writeFileSync(files.keyFile, key)
  }
  write(pair)
  let now = NOW
  const lines: string[] = []
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  const taken: Certificate[] = []
  const watch = await watchCertificate({
    files,
    clock: { now: () => now },
    logger: pino({ level: 'trace' }, sink),
    onChange: (certificate) => taken.push(certificate),
  })
  return {
    files,
    watch,
    taken,
    log: () =>
      lines.map((line) => {
        const { level, msg, problem, subject } = JSON.parse(line)
        return `${LEVELS[level]}: ${msg}: ${problem ?? subject}`.replaceAll(`${folder}/`, '')
      }),
    write,
    moveTime: (ms) => (now = new Date(now.getTime() + ms)),
  }
}

test('a changed pair is used, and named with its subject', async (t) => {
  const first = await authority.issue({ ...GOOD, name: 'first' })
  const second = await authority.issue({ ...GOOD, name: 'second' })
  const { watch, write, taken, log } = await watched(t, first)
  await watch.look()
  assert.deepEqual(taken, [])
  write(second)
  await watch.look()
  await watch.look()
  assert.deepEqual(taken, [second])
  assert.deepEqual(watch.certificate, second)
  assert.equal(watch.validTo.getTime(), GOOD.to.getTime())
  assert.deepEqual(log(), [
    'info: the certificate in use: CN=first',
    'info: a new certificate is in use: CN=second',
  ])
})

test('nothing is used or reported between the two files of a renewal', async (t) => {
  const { watch, write, taken, log } = await watched(t, await authority.issue(GOOD))
  const next = await authority.issue({ ...GOOD, name: 'next' })
  write({ key: next.key })
  await watch.look()
  assert.deepEqual(taken, [])
  write({ cert: next.cert })
  await watch.look()
  assert.deepEqual(taken, [next])
  assert.deepEqual(log().slice(1), ['info: a new certificate is in use: CN=next'])
})

const inUse = await authority.issue({ ...GOOD, name: 'in use' })
const other = await authority.issue({ ...GOOD, name: 'other' })
const rsa = await (await makeAuthority('rsa')).issue({ ...GOOD, keySize: 1024 })
const [own = '', intermediate = ''] = other.cert.split(/(?<=-----END CERTIFICATE-----\n)/)
const ENCRYPTED =
  '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIHs\n-----END ENCRYPTED PRIVATE KEY-----\n'

for (const [what, pair, problem] of [
  [
    'a key that does not fit',
    { cert: other.cert },
    /key\.pem, which does not fit the certificate in cert\.pem \(CN=other\)/,
  ],
  [
    'a half-written certificate',
    { ...other, cert: other.cert.slice(0, 300) },
    /certificate 1 is cut off/,
  ],
  [
    'a half-written intermediate',
    { ...other, cert: other.cert.slice(0, -40) },
    /certificate 2 is cut off/,
  ],
  [
    'a certificate full of nonsense',
    { ...other, cert: own.replace('MII', 'zzz') + intermediate },
    /certificate 1 cannot be read/,
  ],
  ['an empty certificate', { ...other, cert: '' }, /holds no certificate/],
  [
    'a half-written key',
    { ...other, key: other.key.slice(0, 90) },
    /holds no private key that can be read/,
  ],
  ['a key with a passphrase', { ...other, key: ENCRYPTED }, /a key with a passphrase/],
  [
    'a chain in the wrong sequence',
    { ...other, cert: intermediate + own },
    /the key of certificate 2 .* must stand first/,
  ],
  ['a key that is too short', rsa, /cannot be used for TLS: .*key too small/],
  [
    'one that ran out',
    await authority.issue({ ...GOOD, to: new Date('2026-02-20T00:00:00Z') }),
    /ran out on 2026-02-20T00:00:00\.000Z/,
  ],
  [
    'one of the future',
    await authority.issue({ from: new Date('2026-04-01T00:00:00Z'), to: GOOD.to }),
    /is good from 2026-04-01T00:00:00\.000Z on only/,
  ],
] as const) {
  test(`${what} is refused in a sentence, once, and the one in use stays`, async (t) => {
    const { watch, write, taken, log } = await watched(t, inUse)
    write(pair)
    for (let look = 0; look < 4; look += 1) await watch.look()
    assert.deepEqual(taken, [])
    assert.deepEqual(watch.certificate, inUse)
    const [, line = '', ...more] = log()
    assert.match(line, /^error: the changed certificate is invalid, and the one in use stays: /)
    assert.match(line, problem)
    assert.deepEqual(more, [])
    // Neither the key nor a part of it.
    assert.doesNotMatch(line, /PRIVATE KEY-----|MIG|MIHs/)

    write(other)
    await watch.look()
    assert.deepEqual(taken, [other])
  })
}

test('the watch reports a pair that cannot be read, and one that comes back', async (t) => {
  const { watch, write, files, log, taken } = await watched(t, inUse)
  rmSync(files.keyFile)
  for (let look = 0; look < 3; look += 1) await watch.look()
  assert.match(log().at(-1) ?? '', /TLS_KEY names cannot be read \(ENOENT\): key\.pem/)
  write(inUse)
  await watch.look()
  rmSync(files.keyFile)
  for (let look = 0; look < 3; look += 1) await watch.look()
  assert.equal(log().length, 3)
  assert.deepEqual(taken, [])
})

test('changed symbolic links, as certbot and Kubernetes use them, are followed', async (t) => {
  const folder = aFolder(t)
  for (const [name, pair] of [
    ['1', inUse],
    ['2', other],
  ] as const) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'cert.pem'), pair.cert)
    writeFileSync(join(folder, name, 'key.pem'), pair.key)
  }
  const turn = (to: string): void => {
    symlinkSync(to, join(folder, 'next'))
    renameSync(join(folder, 'next'), join(folder, 'current'))
  }
  turn('1')
  const files = {
    certFile: join(folder, 'current', 'cert.pem'),
    keyFile: join(folder, 'current', 'key.pem'),
  }
  const taken: Certificate[] = []
  const watch = await watchCertificate({
    files,
    clock: { now: () => NOW },
    logger: pino({ level: 'silent' }),
    onChange: (certificate) => taken.push(certificate),
  })
  turn('2')
  await watch.look()
  assert.deepEqual(taken, [other])
})

test('the watch warns of a certificate near its end each day, and then reports its expiry', async (t) => {
  const { watch, moveTime, log } = await watched(t, inUse)
  const left = GOOD.to.getTime() - NOW.getTime()
  moveTime(left - 21 * DAY_MS - 1)
  await watch.look()
  assert.equal(log().length, 1)
  moveTime(1)
  await watch.look()
  await watch.look()
  moveTime(DAY_MS)
  await watch.look()
  moveTime(20 * DAY_MS)
  await watch.look()
  assert.deepEqual(log().slice(1), [
    'warn: the certificate in use expires soon: renew it: CN=in use',
    'warn: the certificate in use expires soon: renew it: CN=in use',
    'error: the certificate in use has expired: renew it: CN=in use',
  ])
})

test('a start with an unusable pair fails with the sentence, and one with an expired pair warns', async (t) => {
  await assert.rejects(
    watched(t, { ...inUse, key: other.key }),
    /which does not fit the certificate/,
  )
  const late = await authority.issue({
    ...GOOD,
    to: new Date('2026-02-20T00:00:00Z'),
    name: 'late',
  })
  const { log } = await watched(t, late)
  assert.deepEqual(log(), [
    'info: the certificate in use: CN=late',
    'error: the certificate in use has expired: renew it: CN=late',
  ])
})

test('a pair counts the intermediates that are sent along', async (t) => {
  const { files } = await watched(t, inUse)
  const pair = await readCertificatePair(files, NOW)
  assert.ok(pair.kind === 'good')
  assert.equal(pair.facts.intermediates, 1)
  assert.equal(pair.facts.issuer, 'CN=Test Intermediate')
  assert.equal(pair.facts.names, 'DNS:localhost, IP Address:127.0.0.1')
})

test('new connections get a new certificate, and open ones continue', async (t) => {
  const [first, second] = [
    await authority.issue({ name: 'first' }),
    await authority.issue({ name: 'second' }),
  ]
  const https = { host: '127.0.0.1', port: 0, certificate: first }
  const { servers } = aGateway({}, { http: null, https })
  t.after(() => servers.close())
  const [base = ''] = await servers.listen()
  const open = async (): Promise<TLSSocket> => {
    const socket = connect({
      port: Number(new URL(base).port),
      host: '127.0.0.1',
      ca: authority.root,
    })
    await once(socket, 'secureConnect')
    return socket
  }
  const subject = (socket: TLSSocket): unknown => socket.getPeerCertificate().subject.CN
  const before = await open()
  servers.useCertificate(second)
  const after = await open()
  assert.deepEqual([before, after].map(subject), ['first', 'second'])
  for (const socket of [before, after]) {
    socket.write(LIVE)
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /)
    socket.destroy()
  }
})

test('a certificate that is renewed in the middle of a payment does not disturb it', async (t) => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const health = async () => {
    started.resolve()
    await release.promise
    return { database: 'writable', vault: null, links: [] } as const
  }
  const [first, second] = [await authority.issue(), await authority.issue()]
  const https = { host: '127.0.0.1', port: 0, certificate: first }
  const { servers } = aGateway({ health }, { http: null, https })
  t.after(() => servers.close())
  const [base = ''] = await servers.listen()
  const asked = request(new URL('/health/ready', base), { agent: false, ca: authority.root }).end()
  await started.promise
  servers.useCertificate(second)
  release.resolve()
  const [response] = (await once(asked, 'response')) as [
    { statusCode: number; socket: AddressInfo },
  ]
  assert.equal(response.statusCode, 200)
})
