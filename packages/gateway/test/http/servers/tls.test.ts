import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { untilSeen } from '../../../../../test/support/eventually.ts'
import { TLS_1_2_SUITES, TLS_1_3_SUITES, TLS_GROUPS } from '../../../src/http/servers/tls-policy.ts'
import { aGateway, type FakeGateway } from '../fake-gateway.ts'
import {
  firstBytesOf,
  helloWith,
  LIVE,
  makeAuthority,
  needsOpenssl,
  offeredSuites,
  RENEGOTIATION_SIGN,
  sClient,
  suitesOfHello,
} from './tls-client.ts'

// The answers that openssl's client gets of our server, with a fake gateway behind it.

const KEY_TYPES = ['ec', 'rsa'] as const
const ANSWERED = /^HTTP\/1\.1 200 OK\r?$/m
const WEAKEST = '@SECLEVEL=0'
/** The server's own word for "we have nothing in common"; a time-out would be none. */
const REFUSED =
  /alert (?:handshake failure|protocol version|no application protocol|insufficient security)/

interface Server {
  readonly port: number
  readonly root: string
  readonly gateway: FakeGateway
}

const folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-test-'))
const servers = new Map<string, Server>()
before(async () => {
  for (const keyType of KEY_TYPES) {
    const authority = await makeAuthority(keyType)
    const root = join(folder, `${keyType}-root.pem`)
    writeFileSync(root, authority.root)
    const https = { host: '127.0.0.1', port: 0, certificate: await authority.issue() }
    const gateway = aGateway({}, { http: null, https, httpsOnly: true })
    const [base = ''] = await gateway.servers.listen()
    servers.set(keyType, { port: Number(new URL(base).port), root, gateway })
  }
})
after(async () => {
  for (const { gateway } of servers.values()) await gateway.servers.close()
  rmSync(folder, { recursive: true })
})

function server(keyType: 'ec' | 'rsa' = 'ec'): Server {
  const found = servers.get(keyType)
  assert.ok(found)
  return found
}

/** The output of openssl for a connection that insists on one suite of TLS 1.2. */
function offer(port: number, name: string, options: readonly string[] = []): Promise<string> {
  return sClient(port, ['-tls1_2', '-cipher', `${name}:${WEAKEST}`, ...options])
}

suite('TLS, as openssl sees it', needsOpenssl, () => {
  for (const version of ['1_2', '1_3'] as const) {
    test(`a client of TLS ${version} gets its answer, over a chain that it can follow`, async () => {
      for (const keyType of KEY_TYPES) {
        const { port, root } = server(keyType)
        const verify = ['-CAfile', root, '-verify_return_error', '-verify_hostname', 'localhost']
        const said = await sClient(port, [`-tls${version}`, '-showcerts', ...verify])
        assert.match(said, ANSWERED)
        assert.match(said, /Verify(?: return code|ication): (?:0 \(ok\)|OK)/)
        assert.match(said, new RegExp(`Protocol *: TLSv${version.replace('_', '.')}`))
        assert.equal(said.match(/BEGIN CERTIFICATE/g)?.length, 2, 'the intermediate is not sent')
        assert.match(said, /^strict-transport-security: max-age=31536000\r?$/m)
        assert.doesNotMatch(said, /^(?:server|x-powered-by):/im)
      }
    })
  }

  for (const version of ['1', '1_1'] as const) {
    test(`a client of TLS ${version} is refused with an alert`, async () => {
      for (const keyType of KEY_TYPES) {
        const said = await sClient(server(keyType).port, [
          `-tls${version}`,
          '-cipher',
          `ALL:${WEAKEST}`,
        ])
        assert.match(said, /alert protocol version/)
        assert.doesNotMatch(said, ANSWERED)
      }
    })
  }

  test('each suite of TLS 1.3 is accepted', async () => {
    for (const name of TLS_1_3_SUITES) {
      const said = await sClient(server().port, ['-tls1_3', '-ciphersuites', name])
      assert.match(said, ANSWERED, name)
      assert.match(said, new RegExp(`Cipher is ${name}`))
    }
  })

  test('each suite of TLS 1.2 is accepted with its kind of key', async () => {
    for (const name of TLS_1_2_SUITES) {
      const { port } = server(name.includes('ECDSA') ? 'ec' : 'rsa')
      const said = await offer(port, name)
      assert.match(said, ANSWERED, name)
      assert.match(said, new RegExp(`Cipher is ${name}`))
    }
  })

  for (const keyType of KEY_TYPES) {
    test(`every other suite that openssl can offer is refused (${keyType} key)`, async () => {
      for (const name of TLS_1_2_SUITES)
        assert.match(name, /^ECDHE-(?:ECDSA|RSA)-.*(?:GCM|POLY1305)/)
      const ours = new Set<string>([...TLS_1_2_SUITES, ...TLS_1_3_SUITES])
      const others = offeredSuites().filter((name) => !ours.has(name))
      for (const kind of [
        /^AES/,
        /^ECDHE-.*-SHA$/,
        /^ECDHE-.*-SHA384$/,
        /NULL/,
        /^(?:ADH|AECDH)/,
        /^DHE/,
        /PSK/,
        /CCM/,
      ]) {
        assert.ok(
          others.some((name) => kind.test(name)),
          `openssl offers no suite like ${kind}`,
        )
      }
      // The suites that live of a key of their own; openssl lacks one for those of SRP.
      const options = ['-psk', '00112233']
      const all = others.filter((name) => !name.includes('SRP')).join(':')
      // A server that takes one of several answers with it, so that one refusal is for them all.
      assert.match(await offer(server(keyType).port, all, options), REFUSED)
      const hello = await firstBytesOf((port) => offer(port, all, options))
      const sent = suitesOfHello(hello).filter((suite) => suite !== RENEGOTIATION_SIGN)
      assert.equal(sent.length, all.split(':').length, 'a suite was not offered')
    })
  }

  for (const [what, suites] of [
    ['RC4', [0x0004, 0x0005, 0xc007, 0xc011]],
    ['3DES', [0x000a, 0x0016, 0xc008, 0xc012]],
    ['DES', [0x0009, 0x0015]],
    ['export', [0x0003, 0x0006, 0x0008, 0x0014]],
    ['NULL', [0x0001, 0x0002, 0x003b, 0xc006, 0xc010]],
    ['anonymous', [0x0018, 0x001b, 0x0034, 0xc018]],
    ['RSA key exchange', [0x002f, 0x0035, 0x003c, 0x009c, 0x009d]],
    ['CBC', [0xc009, 0xc00a, 0xc013, 0xc014, 0xc023, 0xc027, 0xc024, 0xc028]],
  ] as const) {
    test(`a hello that has only ${what} suites is answered with a handshake failure`, async () => {
      for (const keyType of KEY_TYPES) {
        const socket = connect(server(keyType).port, '127.0.0.1')
        socket.write(helloWith(suites))
        const [record] = (await once(socket, 'data')) as [Buffer]
        // An alert (21) that is fatal (2): handshake_failure (40).
        assert.deepEqual([record[0], record[5], record[6]], [21, 2, 40])
        socket.destroy()
      }
    })
  }

  test('the same hello with a suite of ours is answered, so it was the suites that failed', async () => {
    const socket = connect(server().port, '127.0.0.1')
    socket.write(helloWith([0x000a, 0xc02b]))
    const [record] = (await once(socket, 'data')) as [Buffer]
    assert.equal(record[0], 22)
    socket.destroy()
  })

  test('the server decides for AES of 128 bits, and for ChaCha20 where the client prefers it', async () => {
    const both = 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256'
    const aes = await offer(server().port, both)
    assert.match(aes, /Cipher is ECDHE-ECDSA-AES128-GCM-SHA256/)
    const chacha = await offer(server().port, `ECDHE-ECDSA-CHACHA20-POLY1305:${both}`)
    assert.match(chacha, /Cipher is ECDHE-ECDSA-CHACHA20-POLY1305/)
  })

  test('the named groups are accepted, and no other', async () => {
    const { port } = server()
    // The first is younger than the openssl of most systems.
    for (const group of TLS_GROUPS.slice(1)) {
      assert.match(await sClient(port, ['-tls1_3', '-groups', group]), ANSWERED, group)
    }
    for (const group of ['P-521', 'X448', 'ffdhe2048']) {
      assert.match(await sClient(port, ['-tls1_3', '-groups', group]), REFUSED, group)
    }
    const weak = await sClient(port, ['-tls1_2', '-groups', 'P-521:secp224r1:brainpoolP256r1'])
    assert.match(weak, REFUSED)
  })

  test('a client that takes SHA-1 signatures only is refused', async () => {
    const options = ['-tls1_2', '-sigalgs', 'RSA+SHA1', '-cipher', `ALL:${WEAKEST}`]
    assert.match(await sClient(server('rsa').port, options), REFUSED)
  })

  test('the server offers no compression and no early data, and speaks HTTP/1.1', async () => {
    const { port } = server()
    const old = await sClient(port, ['-tls1_2', '-comp', '-alpn', 'h2,http/1.1'])
    assert.match(old, /^Compression: NONE$/m)
    assert.match(old, /^ALPN protocol: http\/1\.1$/m)
    const ticket = await sClient(port, ['-tls1_3'])
    assert.match(ticket, /Max Early Data: 0$/m)
    assert.match(await sClient(port, ['-alpn', 'h2']), REFUSED)
  })

  test('a client that asks for a renegotiation is refused it', async () => {
    const said = await sClient(server().port, ['-tls1_2'], 'R\n', 'commands')
    assert.match(said, /RENEGOTIATING/)
    assert.match(said, /no renegotiation/)
  })

  for (const version of ['-tls1_2', '-tls1_3'] as const) {
    test(`a ticket of one server is valid at another with the same keys (${version.slice(1)})`, async (t) => {
      const https = {
        host: '127.0.0.1',
        port: 0,
        certificate: await (await makeAuthority()).issue(),
      }
      const keys = Buffer.alloc(48, 1)
      const ports: number[] = []
      const gateways = [0, 1, 2].map(() => aGateway({}, { http: null, https }))
      for (const [index, { servers: started }] of gateways.entries()) {
        t.after(() => started.close())
        const [base = ''] = await started.listen()
        ports.push(Number(new URL(base).port))
        started.useTicketKeys(index < 2 ? keys : Buffer.alloc(48, 2))
        // A new certificate must not change the keys of the tickets.
        started.useCertificate(https.certificate)
      }
      const session = join(folder, `session${version}`)
      const [one = 0, other = 0, newcomer = 0] = ports
      assert.match(await sClient(one, [version, '-sess_out', session]), /^New, /m)
      const resumed = await sClient(other, [version, '-sess_in', session])
      assert.match(resumed, /^Reused, /m)
      assert.match(resumed, ANSWERED)
      const anew = await sClient(newcomer, [version, '-sess_in', session])
      assert.match(anew, /^New, /m)
      assert.match(anew, ANSWERED)
    })
  }

  test('an incomplete handshake and a silent connection are cut', async (t) => {
    const certificate = await (await makeAuthority()).issue()
    const https = { host: '127.0.0.1', port: 0, certificate }
    const limits = { handshakeTimeoutMs: 100 }
    const gateway = aGateway({}, { http: null, https, limits })
    t.after(() => gateway.servers.close())
    const [base = ''] = await gateway.servers.listen()
    for (const bytes of [
      helloWith([0xc02b]),
      helloWith([0xc02b]).subarray(0, 30),
      Buffer.alloc(0),
    ]) {
      const socket = connect(Number(new URL(base).port), '127.0.0.1')
      socket.on('error', () => undefined).resume()
      if (bytes.length > 0) socket.write(bytes)
      await once(socket, 'close')
    }
    // The server sees it a moment after the client.
    await untilSeen(
      'no connection is open',
      () => gateway.servers.connections().open,
      (open) => open === 0,
    )
  })
})

test('docs/operators/tls.md names the actual suites and groups', () => {
  const page = readFileSync(
    new URL('../../../../../docs/operators/tls.md', import.meta.url),
    'utf8',
  )
  const told = (row: string): string[] => {
    const line = page.split('\n').find((each) => each.startsWith(`| ${row} |`)) ?? ''
    return [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  }
  assert.deepEqual(told('TLS 1.3'), TLS_1_3_SUITES)
  assert.deepEqual(told('TLS 1.2'), TLS_1_2_SUITES)
  assert.deepEqual(told('Key exchange'), TLS_GROUPS)
})

test('plain HTTP to the port of HTTPS is cut, and nothing of it is logged', async () => {
  const { port, gateway } = server()
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let received = ''
  socket.on('error', () => undefined).on('data', (text: string) => (received += text))
  socket.write(LIVE.replace('live', '4111111111111111'))
  await once(socket, 'close')
  assert.doesNotMatch(received, /HTTP\/1\.1 200/)
  assert.doesNotMatch(gateway.programLog(), /411111/)
})
