import assert from 'node:assert/strict'
import { X509Certificate, createHash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { connect } from 'node:tls'
import { generate } from 'selfsigned'
import { readBankConfig } from '../../src/bank-config.ts'
import { TEST_BANK } from '../../src/bank-role.ts'
import { StartupError } from '../../src/startup-error.ts'
import { openCertificates } from '../../src/three-ds/certificates.ts'
import { FAULT_HABITS } from '../../src/three-ds/habits.ts'
import { portOf, spawnBank } from '../support/bank-process.ts'
import { aFolder } from '../support/test-bank.ts'
import { aCReq, base64Url, begin, credentialOf, postForm, press, send } from './scripted-server.ts'
import { rresTo, startScriptedServer, startSimulator, type Fields } from './scripted-server.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const DAY_MS = 86_400_000

suite('access to the simulator', () => {
  test('DS and ACS refuse no certificate, a foreign one, and TLS 1.1', async (t) => {
    const simulator = await startSimulator(t)
    const { acsBackUrl, dsUrl } = simulator.threeDs.addresses
    const good = await credentialOf(simulator.folder, 'gateway-client')
    const foreign = await generate([{ name: 'commonName', value: 'SIM 3DS Server' }], {
      algorithm: 'sha256',
      keyType: 'ec',
    })
    for (const url of [dsUrl, acsBackUrl]) {
      const { ca } = good
      await assert.rejects(send(url, { ca, headers: JSON_TYPE }, '{}'), url)
      const other = { ca, cert: foreign.cert, key: foreign.private }
      await assert.rejects(send(url, { ...other, headers: JSON_TYPE }, '{}'), url)
      const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' } as const
      const refusal = send(url, { ...good, ...old, ciphers: 'DEFAULT@SECLEVEL=0' }, '{}')
      await assert.rejects(refusal, url)
      const plain = request(url.replace('https:', 'http:'), { method: 'POST' })
      plain.end('{}')
      await assert.rejects(once(plain, 'response'))
    }
    assert.deepEqual(await simulator.log(), [])
  })

  test('a certificate of the scheme opens only the addresses for its holder', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const { acsBackUrl, dsUrl } = simulator.threeDs.addresses
    const code = async (url: string, holder: string, body: object) => {
      const credential = await credentialOf(simulator.folder, holder)
      const { text } = await send(url, { ...credential, headers: JSON_TYPE }, JSON.stringify(body))
      return (JSON.parse(text) as Record<string, unknown>)['errorCode']
    }
    const areq = server.areq('4000000000002701')
    assert.equal(await code(dsUrl, 'acs-client', areq), '303')
    assert.equal(await code(dsUrl, 'ds-client', areq), '303')
    assert.equal(await code(dsUrl, 'gateway-client', { messageType: 'RReq' }), '303')
    assert.equal(await code(acsBackUrl, 'gateway-client', areq), '303')
    assert.equal(await code(dsUrl, 'gateway-client', areq), undefined)
  })

  test('only POSTs of JSON to the one path are messages', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const { dsUrl } = simulator.threeDs.addresses
    assert.equal((await server.raw('', { method: 'GET' })).status, 405)
    const credential = await credentialOf(simulator.folder, 'gateway-client')
    const path = dsUrl.replace('/ds', '/other')
    assert.equal((await send(path, { ...credential, headers: JSON_TYPE }, '{}')).status, 404)
    const text = await server.raw('{}', { headers: { 'Content-Type': 'text/plain' } })
    assert.equal(JSON.parse(text.text).errorCode, '101')
    assert.equal((await server.raw('x'.repeat(131_073))).status, 413)
    const acs = await credentialOf(simulator.folder, 'acs')
    const { acsUrl } = simulator.threeDs.addresses
    assert.equal((await send(acsUrl, { ca: acs.ca, method: 'GET' }, '')).status, 405)
    const greeting = await send(new URL('/', acsUrl).href, { ca: acs.ca, method: 'GET' }, '')
    assert.equal(greeting.status, 200)
    const twice = { ca: acs.ca, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }
    assert.equal((await send(acsUrl, twice, 'creq=a&creq=b')).status, 400)
  })

  test('the answer to a broken AReq has the error and the ids of the AReq, and none of its values', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const areq = server.areq('4000000000002701', { purchaseExponent: '3' })
    assert.deepEqual(await server.ask(areq), {
      messageType: 'Erro',
      messageVersion: '2.2.0',
      threeDSServerTransID: areq['threeDSServerTransID'],
      errorCode: '304',
      errorComponent: 'D',
      errorDescription: 'ISO code not valid',
      errorDetail: 'purchaseExponent',
      errorMessageType: 'AReq',
    })
    const twice = JSON.stringify(server.areq('4000000000002701')).replace('{', '{"mcc":"5411",')
    assert.equal((await server.ask(twice))['errorCode'], '204')
    assert.equal((await server.ask('nonsense'))['errorCode'], '101')
    assert.equal(
      (await server.ask(server.areq('4000000000002701', { messageVersion: '2.3.1' })))[
        'errorDetail'
      ],
      '2.1.0,2.2.0',
    )
  })

  test('the Directory Server sends all requests to the ACS over one connection', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const port = Number(new URL(simulator.threeDs.addresses.acsBackUrl).port)
    let opened = 0
    const count = (message: unknown): void => {
      if ((message as { socket: Socket }).socket.localPort === port) opened += 1
    }
    subscribe('net.server.socket', count)
    t.after(() => unsubscribe('net.server.socket', count))
    for (let asked = 0; asked < 3; asked += 1) {
      const ares = await server.ask(server.areq('4000000000002701'))
      assert.equal(ares['transStatus'], 'Y')
    }
    assert.equal(opened, 1)
  })

  test('a threeDSServerTransID is valid for one AReq', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const areq = server.areq('4000000000002701')
    assert.equal((await server.ask(areq))['transStatus'], 'Y')
    assert.equal((await server.ask(areq))['errorCode'], '301')
  })
})

suite('the certificates and keys', () => {
  const digest = async (folder: string) => {
    const names = (await readdir(folder)).filter((name) => /\.(pem|key)$/.test(name)).sort()
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    return createHash('sha256').update(texts.join()).digest('hex')
  }

  test('are kept over a start, are for the owner only, and are not the CA of anything else', async (t) => {
    const folder = await aFolder(t)
    const made = await openCertificates(folder, Date.now(), [])
    const before = await digest(folder)
    await openCertificates(folder, Date.now(), [])
    assert.equal(await digest(folder), before)
    for (const name of await readdir(folder)) {
      assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600, name)
    }
    const gateway = new X509Certificate(made['gateway-client'].cert)
    assert.equal(gateway.ca, false)
    assert.equal(gateway.verify(new X509Certificate(made.ca).publicKey), true)
    assert.equal(gateway.checkHost('gateway.localhost'), 'gateway.localhost')
    assert.equal(new X509Certificate(made.acs.cert).checkHost('acs.localhost'), 'acs.localhost')
  })

  const reasons: readonly (readonly [name: string, spoil: (folder: string) => Promise<unknown>])[] =
    [
      ['one is gone', (folder) => rm(join(folder, 'acs.pem'))],
      ['one is damaged', (folder) => writeFile(join(folder, 'ds.pem'), 'nonsense')],
      [
        'one has the key of another',
        async (folder) => {
          await writeFile(join(folder, 'ds.key'), await readFile(join(folder, 'acs.key')))
        },
      ],
      [
        'one is of another CA',
        async (folder) => {
          const { cert, private: key } = await generate([], { algorithm: 'sha256', keyType: 'ec' })
          await writeFile(join(folder, 'ds-client.pem'), cert)
          await writeFile(join(folder, 'ds-client.key'), key)
        },
      ],
    ]
  for (const [name, spoil] of reasons) {
    test(`are all made again when ${name}`, async (t) => {
      const folder = await aFolder(t)
      const { ca } = await openCertificates(folder, Date.now(), [])
      await spoil(folder)
      assert.notEqual((await openCertificates(folder, Date.now(), [])).ca, ca)
      const before = await digest(folder)
      await openCertificates(folder, Date.now(), [])
      assert.equal(await digest(folder), before)
    })
  }

  test('are made again before they expire, and for another name', async (t) => {
    const folder = await aFolder(t)
    const { ca } = await openCertificates(folder, Date.now() - 300 * DAY_MS, [])
    const same = await openCertificates(folder, Date.now() - 290 * DAY_MS, [])
    const late = await openCertificates(folder, Date.now() + 80 * DAY_MS, [])
    assert.equal(same.ca, ca)
    assert.notEqual(late.ca, ca)
    const now = Date.now() + 80 * DAY_MS
    const named = await openCertificates(folder, now, ['acs.example', '192.0.2.7'])
    assert.notEqual(named.ca, late.ca)
    const again = await openCertificates(folder, now, ['acs.example', '192.0.2.7'])
    assert.equal(again.ca, named.ca)
  })

  test('a CAVV key that is none stops the start with a sentence', async (t) => {
    const folder = await aFolder(t)
    const first = await startSimulator(t, { bankFolder: folder })
    await first.threeDs.close()
    await writeFile(join(folder, 'three-ds', 'cavv-key'), 'short')
    await assert.rejects(startSimulator(t, { bankFolder: folder }), /does not hold 32 bytes/)
  })
})

suite('the places where the simulator runs', () => {
  test('it does not open beside a bank that is not the sandbox one', async (t) => {
    for (const role of [
      { ...TEST_BANK, triggers: false },
      { ...TEST_BANK, institutionId: '400001' },
      { ...TEST_BANK, profile: 'house-bcd' as const },
    ]) {
      await assert.rejects(startSimulator(t, { role }), StartupError)
    }
    assert.equal('threeDs' in readBankConfig({ BANK_TRIGGERS: 'off' }), false)
    const asked = () => readBankConfig({ BANK_TRIGGERS: 'off', BANK_DS_PORT: '0' })
    assert.throws(asked, /^StartupError: BANK_DS_PORT can be set for the sandbox bank only/)
  })

  test('it is off where a setting turns it off, and in production without a setting', () => {
    const isOn = (environment: Record<string, string>) => 'threeDs' in readBankConfig(environment)
    assert.equal(isOn({}), true)
    assert.equal(isOn({ THREE_DS_SIMULATOR: 'off' }), false)
    assert.equal(isOn({ MODE: 'production' }), false)
    assert.equal(isOn({ MODE: 'production', THREE_DS_SIMULATOR: 'on' }), true)
  })

  test('its ports follow those of the bank, and are the ones that were asked for', () => {
    const ports = (environment: Record<string, string>) => {
      const { threeDs } = readBankConfig(environment)
      return [threeDs?.ds, threeDs?.acs, threeDs?.acsBack]
    }
    const free = { port: 0, mayMove: true }
    assert.deepEqual(ports({}), [
      { port: 8585, mayMove: true },
      { port: 8586, mayMove: true },
      { port: 8587, mayMove: true },
    ])
    assert.deepEqual(ports({ BANK_PORT: '0' }), [free, free, free])
    assert.deepEqual(ports({ BANK_PORT: '65533' }).at(-1), free)
    assert.deepEqual(ports({ BANK_ACS_PORT: '9443' })[1], { port: 9443, mayMove: false })
    assert.throws(() => ports({ BANK_ACS_BACK_PORT: 'x' }), /BANK_ACS_BACK_PORT is "x"/)
    assert.throws(() => ports({ BANK_3DS_TIME_SCALE: '0.5' }), /must be a whole number, 1 to 9999/)
    assert.throws(() => ports({ BANK_ACS_HOST: 'a b' }), /must be a host name/)
  })

  test('a port without a setting moves where it is in use, and another one does not', async (t) => {
    const first = await startSimulator(t)
    const port = Number(new URL(first.threeDs.addresses.dsUrl).port)
    const second = await startSimulator(t, { ds: { port, mayMove: true } })
    assert.notEqual(Number(new URL(second.threeDs.addresses.dsUrl).port), port)
    await assert.rejects(
      startSimulator(t, { ds: { port, mayMove: false } }),
      /cannot listen on 127\.0\.0\.1 port \d+: .* Choose another BANK_DS_PORT\./,
    )
  })

  test('the bank states its addresses by message, line and file, and keeps its keys', async (t) => {
    const folder = await aFolder(t)
    const settings = { BANK_PORT: '0', DATA_DIR: folder, BANK_ACS_HOST: 'acs.localhost' }
    const first = spawnBank(t, settings)
    const told = once(first.child, 'message') as Promise<[{ threeDs: Record<string, string> }]>
    const [{ threeDs }] = await told
    const file = join(folder, 'bank', 'three-ds', 'addresses.json')
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), threeDs)
    assert.match(threeDs['acsUrl'] ?? '', /^https:\/\/acs\.localhost:\d+\/acs\/creq$/)
    assert.deepEqual(JSON.parse(first.stdout()).threeDs, threeDs)
    const cavvKey = join(folder, 'bank', 'three-ds', 'cavv-key')
    const key = await readFile(cavvKey, 'utf8')
    first.child.kill('SIGTERM')
    assert.equal(await first.ended, 0)
    await assert.rejects(readFile(file), { code: 'ENOENT' })

    await portOf(spawnBank(t, settings))
    assert.equal(await readFile(cavvKey, 'utf8'), key)
  })

  test('after a restart the simulator does not know earlier transactions, and answers 301', async (t) => {
    const first = await startSimulator(t, { timeScale: 1 })
    const before = await startScriptedServer(first)
    const { ares, first: page } = await begin(first, before, '4000000000002503')
    await first.threeDs.close()
    const second = await startSimulator(t, { bankFolder: first.folder })
    const { acsUrl, dsUrl } = second.threeDs.addresses

    const creq = await postForm(second, acsUrl, { creq: base64Url(aCReq(ares)) })
    const form = await press(second, page, acsUrl, 'submit', '1234')
    const acs = await credentialOf(second.folder, 'acs-client')
    const { messageVersion, threeDSServerTransID, dsTransID, acsTransID } = ares
    const rreq = { messageVersion, threeDSServerTransID, dsTransID, acsTransID }
    const body = JSON.stringify({ messageType: 'RReq', ...rreq })
    const { text } = await send(dsUrl, { ...acs, headers: JSON_TYPE }, body)

    for (const { status, text: shown } of [creq, form]) {
      assert.equal(status, 400)
      assert.match(shown, /Erro 301/)
    }
    assert.equal(JSON.parse(text).errorCode, '301')
  })
})

suite('the journal and the control API', () => {
  test('every message is there with its leg, and no card number, CAVV or code', async (t) => {
    const simulator = await startSimulator(t, { timeScale: 1 })
    const server = await startScriptedServer(simulator)
    const areq = server.areq('4000000000002701', { merchantName: 'Shop 4000000000002701 x' })
    const frictionless = await server.ask(areq)
    const { acsUrl, first } = await begin(simulator, server, '4000000000002503')
    const wrong = await press(simulator, first, acsUrl, 'submit', '8642')
    await press(simulator, wrong, acsUrl, 'submit', '1234')
    await server.ask({ messageType: 'AReq', acctNumber: 4000000000002701, x: 4000000000002503 })
    await server.ask('4000000000002701')

    const lines = await simulator.log()

    const seen = lines
      .slice(0, 17)
      .map(({ direction, leg, note, type }) => [leg, direction, type ?? note].join(' '))
    assert.deepEqual(seen, [
      'server-ds in AReq',
      'ds-acs out AReq',
      'ds-acs in ARes',
      'server-ds out ARes',
      'server-ds in AReq',
      'ds-acs out AReq',
      'ds-acs in ARes',
      'server-ds out ARes',
      'browser-acs in CReq',
      'browser-acs in form: submit',
      'browser-acs in form: submit',
      'ds-acs in RReq',
      'server-ds out RReq',
      'server-ds in RRes',
      'ds-acs out RRes',
      'browser-acs out CRes',
      'server-ds in AReq',
    ])
    const text = JSON.stringify(lines)
    assert.match(text, /400000\*{6}2701/)
    for (const secret of ['4000000000002701', '4000000000002503', '"2812"', '"1234"']) {
      assert.ok(!text.includes(secret), secret)
    }
    // By itself: random ids have four such digits now and then.
    assert.doesNotMatch(text, /(?<![0-9a-f-])8642(?![0-9a-f-])/)
    const cavv = String(frictionless['authenticationValue'])
    assert.equal(cavv.length, 28)
    for (const value of [cavv, String(server.results[0]?.['authenticationValue'])]) {
      assert.ok(!text.includes(value))
    }
  })

  test('the journal can be read from an entry on, and is emptied by a reset', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    await server.ask(server.areq('4000000000002701'))
    const { entries } = await simulator.control('GET', '/three-ds/log?after=3')
    assert.equal((entries as unknown[]).length, 1)
    await simulator.control('POST', '/three-ds/reset')
    assert.deepEqual(await simulator.log(), [])
    await assert.rejects(simulator.control('GET', '/three-ds/log?after=x'), { status: 400 })
    await assert.rejects(simulator.control('GET', '/three-ds/transactions/x'), { status: 404 })
    await assert.rejects(simulator.control('PUT', '/three-ds/log'), { status: 404 })
  })

  test('a transaction can be looked at by each of its ids, without its card number', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const ares = await server.ask(server.areq('4000000000002701'))
    for (const name of ['threeDSServerTransID', 'dsTransID', 'acsTransID']) {
      const path = `/three-ds/transactions/${String(ares[name])}`
      const shown = await simulator.control('GET', path)
      assert.equal(shown['card'], '400000******2701')
      assert.equal(shown['transStatus'], 'Y')
      assert.equal(JSON.stringify(shown).includes('4000000000002701'), false)
    }
  })

  test('a fault is done once for each time it was asked for, with any card', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    await simulator.control('POST', '/three-ds/faults', { fault: 'ares_decoupled', count: 2 })
    const status = async () => (await server.ask(server.areq('4000000000002701')))['transStatus']
    assert.deepEqual([await status(), await status(), await status()], ['D', 'D', 'Y'])

    await simulator.control('POST', '/three-ds/faults', { fault: 'ds_http_500' })
    assert.deepEqual(await simulator.control('GET', '/three-ds/faults'), {
      faults: ['ds_http_500'],
    })
    assert.deepEqual(await simulator.control('DELETE', '/three-ds/faults'), { removed: 1 })
    assert.equal(await status(), 'Y')
    for (const body of [
      {},
      { fault: 'x' },
      { fault: FAULT_HABITS[0], count: 0 },
      { faults: 1 },
      null,
    ]) {
      await assert.rejects(simulator.control('POST', '/three-ds/faults', body), { status: 400 })
    }
  })

  test('a 3DS Server that is not there is Erro 405 to the ACS, and wrong ids of it are 301', async (t) => {
    const simulator = await startSimulator(t, { timeScale: 20 })
    const server = await startScriptedServer(simulator)
    const threeDSServerURL = 'https://gateway.localhost:1/3ds/results'
    // The ACS retries an unacknowledged result, so Erros about the first one go on meanwhile.
    const errosAbout = async ({ ares }: { readonly ares: Fields }) =>
      (await simulator.log()).filter(
        ({ leg, message, type }) =>
          leg === 'ds-acs' && type === 'Erro' && message?.['acsTransID'] === ares['acsTransID'],
      )
    const nobody = await begin(simulator, server, '4000000000002503', { threeDSServerURL })
    await press(simulator, nobody.first, nobody.acsUrl, 'cancel')
    const codes = (await errosAbout(nobody)).map(({ message }) => message?.['errorCode'])
    assert.ok(codes.includes('405'), String(codes))

    server.answerWith((rreq) => ({ ...rresTo(rreq), acsTransID: rreq['dsTransID'] }))
    const wrong = await begin(simulator, server, '4000000000002503')
    await press(simulator, wrong.first, wrong.acsUrl, 'cancel')
    const told = (await errosAbout(wrong)).at(-1)
    assert.equal(told?.message?.['errorDetail'], 'acsTransID')
  })
})

test('a silent TLS client does not hold up other clients', async (t) => {
  const simulator = await startSimulator(t)
  const server = await startScriptedServer(simulator)
  const credential = await credentialOf(simulator.folder, 'gateway-client')
  const port = Number(new URL(simulator.threeDs.addresses.dsUrl).port)
  const idle = connect({ host: '127.0.0.1', port, servername: 'localhost', ...credential })
  await once(idle, 'secureConnect')
  t.after(() => idle.destroy())
  assert.equal((await server.ask(server.areq('4000000000002701')))['transStatus'], 'Y')
})
