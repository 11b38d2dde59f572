import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { generate } from 'selfsigned'
import { readAccountFile } from '../../../src/adapters/operator-files/account-file.ts'
import { readLinkFile } from '../../../src/config/link-file.ts'
import { pemsAmong, pemsIn } from '../../../src/config/pem-files.ts'

const NOW = new Date()

async function aFolder(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-link-file-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['one', 'two']) {
    const made = await generate([{ name: 'commonName', value: name }], { keyType: 'ec' })
    writeFileSync(join(folder, `${name}.pem`), made.cert)
    writeFileSync(join(folder, `${name}.key`), made.private)
  }
  writeFileSync(join(folder, 'nothing.pem'), 'nothing')
  return folder
}

const GOOD = {
  name: 'acme',
  mode: 'live',
  addresses: ['a.example:1', '[::1]:65535'],
  profile: 'house',
  institutionId: '500001',
  tls: { caFile: 'one.pem', certFile: 'two.pem', keyFile: 'two.key' },
}

function faultsOf(outcome: { ok: boolean; faults?: readonly string[] }): readonly string[] {
  return outcome.faults ?? []
}

test('a link file is read with its certificates and the usual limits', async (t) => {
  const read = readLinkFile(JSON.stringify(GOOD), pemsIn(await aFolder(t)), NOW)

  assert.deepEqual(faultsOf(read), [])
  assert.ok(read.ok)
  const { echoIdleSeconds, messageTimeoutMs, tls, window } = read.link
  assert.deepEqual([echoIdleSeconds, messageTimeoutMs, window], [60, 25_000, 512])
  assert.match(tls?.client?.cert ?? '', /BEGIN CERTIFICATE/)
})

test('a file with a certificate and its key is taken for both, and the key is kept as a key only', async (t) => {
  const folder = await aFolder(t)
  const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8')
  writeFileSync(join(folder, 'both.pem'), textOf('two.key') + textOf('two.pem'))
  const tls = { caFile: 'both.pem', certFile: 'both.pem', keyFile: 'both.pem' }

  const read = readLinkFile(JSON.stringify({ ...GOOD, tls }), pemsIn(folder), NOW)

  assert.ok(read.ok, faultsOf(read).join(' '))
  assert.equal(read.link.tls?.ca, textOf('two.pem'))
  assert.equal(read.link.tls.client?.cert, textOf('two.pem'))
  assert.match(read.link.tls.client.key.reveal(), /PRIVATE KEY/)
})

test('a certificate file with a part of a private key is refused', async (t) => {
  const folder = await aFolder(t)
  const text = readFileSync(join(folder, 'one.pem'), 'utf8')
  writeFileSync(join(folder, 'one.pem'), `${text}-----BEGIN PRIVATE KEY-----\nMIGH`)

  assert.deepEqual(faultsOf(readLinkFile(JSON.stringify(GOOD), pemsIn(folder), NOW)), [
    'tls.caFile holds a part of a private key; expected certificates only.',
  ])
})

test('every fault of a link file is reported at once, in plain words', async (t) => {
  const bad = {
    name: 'Acme!',
    addresses: ['a.example'],
    profile: 'bcd',
    institutionId: 500001,
    window: 0,
    colour: 'red',
    tls: 'off',
  }

  assert.deepEqual(
    faultsOf(readLinkFile(JSON.stringify(bad), pemsIn(await aFolder(t)), NOW)).toSorted(),
    [
      'There is no setting colour; take it out.',
      'addresses is ["a.example"]; it must be one or two addresses such as "acquirer.example:8583".',
      'institutionId is 500001; it must be text of 1 to 11 digits, the first not 0.',
      'mode is missing; it must be "test" or "live".',
      'name is "Acme!"; it must be lower-case letters, digits and dashes, at most 40, the first no dash.',
      'profile is "bcd"; it must be "house" or "house-bcd".',
      'window is 0; it must be a whole number from 1 to 4096.',
    ],
  )
})

const TLS_FAULTS = [
  [{ caFile: 'gone.pem' }, /^tls\.caFile is gone\.pem, which cannot be read \(ENOENT\)\.$/],
  [{ caFile: 'nothing.pem' }, /^tls\.caFile holds no certificate in PEM form\.$/],
  [{ caFile: 'one.key' }, /^tls\.caFile holds no certificate in PEM form\.$/],
  [
    { keyFile: 'one.key' },
    /^tls\.keyFile holds the key of another certificate than tls\.certFile\.$/,
  ],
  [
    { keyFile: 'nothing.pem' },
    /^tls\.keyFile holds no private key in PEM form, or one under a pass phrase\.$/,
  ],
  [{ keyFile: undefined }, /^tls\.certFile and tls\.keyFile belong together/],
] as const

for (const [change, fault] of TLS_FAULTS) {
  test(`a link file with ${JSON.stringify(change)} among its TLS files is refused`, async (t) => {
    const file = { ...GOOD, tls: { ...GOOD.tls, ...change } }

    const faults = faultsOf(readLinkFile(JSON.stringify(file), pemsIn(await aFolder(t)), NOW))

    assert.equal(faults.length, 1)
    assert.match(faults[0] ?? '', fault)
  })
}

test('a certificate that has ended is refused', async (t) => {
  const later = new Date(NOW.getTime() + 10 * 366 * 86_400_000)

  const faults = faultsOf(readLinkFile(JSON.stringify(GOOD), pemsIn(await aFolder(t)), later))

  assert.match(
    faults.join('\n'),
    /^tls\.caFile holds a certificate that ended on .*\ntls\.certFile holds/,
  )
})

const ACCOUNT = {
  id: 3001,
  merchantId: 1,
  mode: 'live',
  processorName: 'Acme',
  acquirerId: '500001',
  acquirerMerchantId: 'ACME',
  categoryCode: '5999',
  name: 'Shop',
  city: 'Springfield',
  country: 'US',
  currencies: ['USD'],
}

test('a live account without a link and a test account that stands for another are refused', () => {
  const faults = (change: object) =>
    faultsOf(readAccountFile(JSON.stringify({ ...ACCOUNT, ...change })))

  assert.deepEqual(faults({}), [
    'link is missing; a live account must name the processor link that it uses.',
  ])
  assert.deepEqual(faults({ mode: 'test', standsFor: 1 }), [
    'standsFor is for live accounts; take it out of a test account.',
  ])
  assert.deepEqual(faults({ link: 'acme', currencies: ['XXX'] }), [
    'currencies is ["XXX"]; it must be a list of ISO 4217 codes such as ["USD", "EUR"].',
  ])
  assert.match(
    faults({ link: 'acme', brands: [] }).join(' '),
    /^brands is \[\]; it must be a list of card brands, at least one of Visa, /,
  )
  assert.match(
    faults({ link: 'acme', requiredFields: ['shoe_size'] }).join(' '),
    /it must be a list with none or some of security_code, country, /,
  )
  const demands = { brands: ['Visa'], requiredFields: ['country', 'email'] }
  assert.deepEqual(faults({ link: 'acme', ...demands }), [])
  assert.deepEqual(faults({ link: 'acme', standsFor: 2001 }), [])
})

test('a file states 3-D Secure of an account, ends it by null, or leaves it as it is', () => {
  const read = (threeDs?: unknown) =>
    readAccountFile(JSON.stringify({ ...ACCOUNT, link: 'acme', threeDs }))
  const known = { requestorId: '100000148', requestorUrl: 'https://shop.example' }

  for (const nothing of [undefined, null]) {
    const without = read(nothing)
    assert.ok(without.ok)
    assert.equal(without.account.threeDs, nothing)
  }
  const outcome = read(known)
  assert.ok(outcome.ok)
  assert.deepEqual(outcome.account.threeDs, known)
  assert.deepEqual(faultsOf(read({ requestorUrl: 'http://shop.example', name: 'Shop' })), [
    'threeDs.requestorId is missing; it must be 1 to 35 printable ASCII characters.',
    'threeDs.requestorUrl is "http://shop.example"; it must be an absolute https address of at most 2048 characters.',
    'There is no setting threeDs.name; take it out.',
  ])
})

test('sent PEM files stand for those of a folder, and none of this machine is read', async (t) => {
  const folder = await aFolder(t)
  const sent = ['one.pem', 'two.pem', 'two.key'].map((name) => {
    return { name, text: readFileSync(join(folder, name), 'utf8') }
  })
  assert.deepEqual(faultsOf(readLinkFile(JSON.stringify(GOOD), pemsAmong(sent), NOW)), [])

  const tls = { ...GOOD.tls, keyFile: join(folder, 'one.key') }
  const read = readLinkFile(JSON.stringify({ ...GOOD, tls }), pemsAmong(sent), NOW)
  assert.deepEqual(faultsOf(read), [
    `tls.keyFile is ${tls.keyFile}, which is not among the chosen files; choose it too.`,
  ])
})
