import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect as tlsConnect } from 'node:tls'
import { selfMadeCertificate } from '../../../src/http/servers/certificate.ts'
import { trustedPeers } from '../../../src/http/servers/trusted-peers.ts'
import { aGateway, aTransaction, formOf, PAN, SALE } from '../fake-gateway.ts'
import { assertNoBytesLogged, converse, listening } from './raw-conversation.ts'

// R3, R4 and R7 are explained in docs/integrators/gaps-and-answers.md.

const PATH = '/payment/pmt_service.cfm'
const NOW = new Date('2026-01-01T00:00:00Z')

for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'] as const) {
  test(`R3: ${method} is answered 405, and nothing of its query is logged`, async () => {
    const gateway = aGateway()
    const url = `${PATH}?req_username=shop&pmt_numb=${PAN}`
    const reply = await gateway.app.inject({ method, url })
    assert.equal(reply.statusCode, 405)
    assert.equal(reply.headers['allow'], 'POST')
    if (method !== 'HEAD') assert.match(reply.body, /<API_RESPONSE>113<.*<REF_FIELD\/>/)
    assert.doesNotMatch(gateway.programLog() + gateway.logged[0]?.parameters, /411111/)
  })
}

for (const [type, status] of [
  ['application/json', 415],
  ['multipart/form-data; boundary=x', 415],
  ['text/plain', 415],
  ['application/x-www-form-urlencoded; charset=utf-16', 415],
  ['application/x-www-form-urlencoded; charset=UTF-8', 200],
  ['Application/X-WWW-Form-Urlencoded;charset="ISO-8859-1"', 200],
  ['application/x-www-form-urlencoded;', 200],
] as const) {
  test(`R3: a body of type ${type} is answered ${status}`, async () => {
    assert.equal((await aGateway().post(formOf(SALE), type)).status, status)
  })
}

test('R3: a body without a content type is read as a form', async () => {
  const reply = await aGateway().app.inject({ method: 'POST', url: PATH, payload: formOf(SALE) })
  assert.equal(reply.json()['TRANS_STATUS_NAME'], 'APPROVED')
})

test('R3: the charset of the content type is the one in which a value is read', async () => {
  const gateway = aGateway()
  const type = 'application/x-www-form-urlencoded; charset=ISO-8859-1'
  await gateway.post(`${formOf(SALE)}&CUST_FNAME=Zo%EB`, type)
  assert.equal(gateway.payments[0]?.customer.firstName, 'Zoë')
})

test('R3: 64 KiB are read, one byte more is 413 in the validation layout', async () => {
  const body = formOf({ REQUEST_ACTION: 'TESTAUTH' })
  const filler = (length: number) => `${body}&x=${'y'.repeat(length - body.length - 3)}`
  assert.equal((await aGateway().post(filler(65_536))).status, 200)
  const reply = await aGateway().post(filler(65_537))
  assert.equal(reply.status, 413)
  assert.match(reply.body, /<API_RESPONSE>111<.*<REF_FIELD\/>/)
})

test('R3: more than a thousand pairs are 413', async () => {
  const reply = await aGateway().post(formOf(SALE) + '&x=1'.repeat(1000))
  assert.equal(reply.status, 413)
  assert.equal(reply.json()['API_RESPONSE'], '111')
})

test('R4: a gateway that is not ready answers 503 with Retry-After and touches nothing', async () => {
  const gateway = aGateway({ isReady: () => false })
  const reply = await gateway.send(SALE)
  assert.equal(reply.status, 503)
  assert.equal(reply.headers['retry-after'], '1')
  assert.match(reply.body, /<API_RESPONSE\/>.*<SERVICE_RESPONSE>503<.*Service Unavailable/)
  assert.deepEqual(gateway.payments, [])
})

test('R4: an error that means "nothing was accepted" is 503, in the format that was asked for', async () => {
  const down = new Error('The database is away.')
  const gateway = aGateway({
    takePayment: async () => {
      throw down
    },
    isUnavailable: (error) => error === down,
  })
  const reply = await gateway.send(SALE)
  assert.equal(reply.status, 503)
  assert.equal(reply.json()['SERVICE_RESPONSE'], 503)
  assert.equal(gateway.programLog(), '')
})

test('R4: a missing request id is 503 where the error allows a retry', async () => {
  const nextRequestId = async () => {
    throw new Error('The database is away.')
  }
  const gateway = aGateway({ nextRequestId, isUnavailable: () => true })
  assert.equal((await gateway.send(SALE)).status, 503)
  assert.equal((await gateway.app.inject({ method: 'GET', url: PATH })).statusCode, 503)
})

test('a failing request log does not prevent the answer', async () => {
  const gateway = aGateway({
    logRequest: () => {
      throw new Error('The log is full.')
    },
  })
  assert.equal((await gateway.send(SALE)).json()['TRANS_STATUS_NAME'], 'APPROVED')
})

test('an unknown address is 404, and nothing of it is repeated or logged', async () => {
  const gateway = aGateway()
  for (const url of [`/nowhere/${PAN}`, `/%zz${PAN}`]) {
    const reply = await gateway.app.inject({ method: 'POST', url })
    assert.ok(reply.statusCode === 404 || reply.statusCode === 400)
    assert.doesNotMatch(reply.body + gateway.programLog(), /411111/)
  }
})

test('an unknown address is 404 for any type and length of the body', async () => {
  const gateway = aGateway()
  const types = ['', 'a', `text/${PAN}`, 'application/json']
  for (const type of types) {
    for (const payload of ['x', 'x'.repeat(100_000)]) {
      const request = {
        method: 'POST',
        url: '/',
        payload,
        headers: { 'content-type': type },
      } as const
      const reply = await gateway.app.inject(request)
      assert.deepEqual([reply.statusCode, reply.body], [404, 'There is nothing at this address.'])
    }
  }
})

test('health: live is always 200, ready follows the gateway', async () => {
  const [up, down] = [aGateway(), aGateway({ isReady: () => false })]
  assert.deepEqual((await up.app.inject('/health/ready')).json(), {
    status: 'ready',
    database: 'writable',
    links: [],
  })
  assert.equal((await down.app.inject('/health/ready')).statusCode, 503)
  assert.equal((await down.app.inject('/health/live')).statusCode, 200)
})

test('health: a gateway whose vault process is away is not ready', async () => {
  const health = (vault: 'up' | 'away') => () =>
    Promise.resolve({ database: 'writable', vault, links: [] } as const)
  const away = await aGateway({ health: health('away') }).app.inject('/health/ready')
  assert.equal(away.statusCode, 503)
  assert.equal((away.json() as { vault: string }).vault, 'away')
  const up = await aGateway({ health: health('up') }).app.inject('/health/ready')
  assert.equal(up.statusCode, 200)
})

for (const database of ['read_only', 'away'] as const) {
  test(`health: a gateway whose database is ${database} is not ready`, async () => {
    const gateway = aGateway({
      health: () => Promise.resolve({ database, vault: null, links: [] }),
    })
    const reply = await gateway.app.inject('/health/ready')
    assert.equal(reply.statusCode, 503)
    assert.deepEqual(reply.json(), { status: 'unavailable', database, links: [] })
  })
}

test('health: a gateway without one of its banks is ready, and reports each link in use', async () => {
  const links = [
    { name: 'the bundled bank', mode: 'test', state: 'up' },
    { name: 'acme-live', mode: 'live', state: 'down' },
  ] as const
  const secret = { lastError: 'not for all', address: '192.0.2.1:8583' }
  const health = () =>
    Promise.resolve({
      database: 'writable',
      vault: null,
      links: links.map((link) => ({ ...link, ...secret })),
    } as const)
  const reply = await aGateway({ health }).app.inject('/health/ready')
  assert.equal(reply.statusCode, 200)
  assert.deepEqual(reply.json(), { status: 'ready', database: 'writable', links })
})

test('R2: an HTTP/1.0 client with unencoded blanks is answered and disconnected', async (t) => {
  const gateway = aGateway()
  const base = await listening(t, gateway)
  const body = `${formOf(SALE)}&bill_addr=1 Main St #2, Apt @3`
  const received = await converse(
    base,
    `POST ${PATH} HTTP/1.0\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  assert.match(received, /^HTTP\/1\.1 200 .*"TRANS_STATUS_NAME":"APPROVED"/s)
  assert.equal(gateway.payments[0]?.billing.street, '1 Main St #2, Apt @3')
})

test('an incomplete body is given up, and its part is not logged', async (t) => {
  const limits = { headersTimeoutMs: 50, requestTimeoutMs: 100 }
  const gateway = aGateway({}, { limits })
  const base = await listening(t, gateway)
  const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n`
  const received = await converse(base, `${head}PMT_NUMB=${PAN}&`)
  assert.match(received, /^HTTP\/1\.1 408 /)
  assert.deepEqual(gateway.payments, [])
  assertNoBytesLogged(gateway)
})

test('closing lets an open payment finish and answers new requests with 503', async (t) => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const gateway = aGateway({
    takePayment: async () => {
      started.resolve()
      await release.promise
      return { kind: 'done', transaction: aTransaction() }
    },
  })
  const base = await listening(t, gateway)
  const post = (params: Record<string, string | undefined>) =>
    `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${formOf(params).length}\r\n\r\n${formOf(params)}`
  const idle = connect(Number(base.port), base.hostname)
  const payment = converse(base, post(SALE))
  // A request whose head came before the closing and whose body comes after it.
  const late = post({ REQUEST_ACTION: 'TESTAUTH' })
  idle.write(late.slice(0, 20))
  await started.promise

  const closed = gateway.servers.close()
  const received = once(idle, 'data')
  idle.write(late.slice(20))

  assert.match(String((await received)[0]), /^HTTP\/1\.1 503 .*retry-after: 1/is)
  idle.destroy()
  release.resolve()
  assert.match(await payment, /connection: close.*"TRANS_STATUS_NAME":"APPROVED"/is)
  await closed
})

test('R7: HTTPS answers the same over TLS 1.2, keeps its own certificate, and refuses TLS 1.1', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-certificate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const certificate = await selfMadeCertificate(folder, new Date())
  assert.deepEqual(await selfMadeCertificate(folder, new Date()), certificate)
  assert.equal(statSync(join(folder, 'tls-key.pem')).mode & 0o777, 0o600)

  const https = { host: '127.0.0.1', port: 0, certificate }
  const gateway = aGateway({}, { http: null, https })
  const base = await listening(t, gateway)
  const trusted = { ca: certificate.cert, maxVersion: 'TLSv1.2' } as const
  const sent = httpsRequest(new URL(PATH, base), { method: 'POST', agent: false, ...trusted })
  sent.end(formOf(SALE))
  const [response] = await once(sent, 'response')
  assert.match(String((await response.toArray()).join('')), /"TRANS_STATUS_NAME":"APPROVED"/)

  const old = tlsConnect({
    port: Number(base.port),
    host: base.hostname,
    ca: certificate.cert,
    minVersion: 'TLSv1.1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  })
  await assert.rejects(once(old, 'secureConnect'), { code: /PROTOCOL_VERSION|ECONNRESET/ })
})

test('a self-made certificate is renewed before its expiry', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-certificate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const first = await selfMadeCertificate(folder, NOW)
  const later = await selfMadeCertificate(folder, new Date('2027-01-15T00:00:00Z'))
  assert.notEqual(later.cert, first.cert)
})

test('R7: plain HTTP that others can reach is refused, unless a proxy is trusted', () => {
  const http = { host: '0.0.0.0', port: 0 }
  assert.throws(() => aGateway({}, { http }), /Plain HTTP was asked for on 0\.0\.0\.0/)
  aGateway({}, { http, trustedProxies: ['10.0.0.0/8'] })
})

test("R7: behind a proxy only the proxy is answered, and its value for the client's address is used", async () => {
  const http = { host: '0.0.0.0', port: 0 }
  const gateway = aGateway({}, { http, trustedProxies: ['10.0.0.0/8'] })
  const send = (remoteAddress: string) =>
    gateway.app.inject({
      method: 'POST',
      url: PATH,
      remoteAddress,
      headers: { 'x-forwarded-for': '203.0.113.9' },
      payload: formOf(SALE),
    })
  assert.equal((await send('192.0.2.1')).statusCode, 403)
  assert.equal((await send('10.1.2.3')).statusCode, 200)
  assert.deepEqual(
    gateway.logged.map(({ address }) => address),
    ['203.0.113.9'],
  )
})

test('an address of a forwarder is believed only where a proxy is trusted', async () => {
  const gateway = aGateway()
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  await gateway.app.inject({ method: 'POST', url: PATH, headers, payload: formOf(SALE) })
  assert.equal(gateway.logged[0]?.address, '127.0.0.1')
})

test('a trusted proxy is an address or a range, and anything else stops the start', () => {
  const isTrusted = trustedPeers(['10.0.0.0/8', '2001:db8::1'])
  const asked = [
    '10.9.9.9',
    '::ffff:10.1.1.1',
    '2001:db8::1',
    '127.0.0.1',
    '11.0.0.1',
    '',
    '2001:db8::2',
  ]
  assert.deepEqual(asked.map(isTrusted), [true, true, true, true, false, false, false])
  for (const wrong of ['proxy', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.0/', '10.0.0.0/8/9', '']) {
    assert.throws(() => trustedPeers([wrong]), /is no address of a proxy/)
  }
})

test('an invalid address in X-Forwarded-For does not count as the client, and is not kept', async () => {
  const addresses: string[] = []
  const gateway = aGateway(
    {
      authenticate: async (_user, _password, _site, address) => {
        addresses.push(address)
        return { kind: 'refused', refusal: 'credentials_wrong' }
      },
    },
    { trustedProxies: ['127.0.0.1'] },
  )
  for (const sent of ['203.0.113.9', '4111111111111111', 'unknown', '203.0.113.9:4711', '"<x>"']) {
    for (const path of ['pmt_service', 'token_service']) {
      await gateway.app.inject({
        method: 'POST',
        url: `/payment/${path}.cfm`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': sent },
        payload: formOf(SALE),
      })
    }
  }

  assert.deepEqual(addresses, ['203.0.113.9', ...Array<string>(4).fill('127.0.0.1')])
  assert.deepEqual([...new Set(gateway.logged.map(({ address }) => address))].toSorted(), [
    '127.0.0.1',
    '203.0.113.9',
  ])
})

test('an error of a health check is logged without its values, and not shown to the client', async () => {
  const fault = Object.assign(new Error(`no host 10.1.2.3 for ${PAN}`), {
    detail: `Failing row (${PAN})`,
  })
  const gateway = aGateway({ health: () => Promise.reject(fault) })
  const answer = await gateway.app.inject({ url: `/health/ready?n=${PAN}` })

  assert.deepEqual([answer.statusCode, answer.body], [500, 'Internal gateway error.'])
  assert.match(gateway.programLog(), /no host/)
  const id = String(answer.headers['tollgate-request-id'])
  assert.match(id, /^[a-p]{12}-[0-9a-z]+$/)
  assert.ok(gateway.programLog().includes(`"request_id":"${id}"`), 'the line has another id')
  assert.doesNotMatch(gateway.programLog(), new RegExp(PAN))
})

test('an address that cannot be decoded is refused without a repetition, as text and nothing else', async () => {
  const answer = await aGateway().app.inject({ url: `/%ff${PAN}` })
  assert.deepEqual(
    [answer.statusCode, answer.headers['x-content-type-options'], answer.body],
    [400, 'nosniff', 'The address cannot be read.'],
  )
  assert.match(String(answer.headers['tollgate-request-id']), /^[a-p]{12}-/)
})
