import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { connect, type ConnectionOptions } from 'node:tls'
import { openResultsListener } from '../../../src/adapters/three-ds-server/results-listener.ts'
import type { RunningThreeDsServer } from '../../../src/adapters/three-ds-server/three-ds-server.ts'
import { Secret } from '../../../src/base/secret.ts'
import type { ReceiveResult } from '../../../src/usecases/three-ds/three-ds-server.ts'
import { makeAuthority, makePair, type Pair } from './certificates.ts'
import { questionAbout, startBeside, type Told } from './server-beside-simulator.ts'

let beside: Awaited<ReturnType<typeof startBeside>>
let server: RunningThreeDsServer
let told: Told
let port: number
let ds: Pair & { readonly ca: string }
const outcomes: Awaited<ReturnType<ReceiveResult>>[] = []
let receive: ReceiveResult = () => Promise.resolve(outcomes.shift() ?? 'stored')

before(async () => {
  beside = await startBeside((result) => {
    beside.received.push(result)
    return receive(result)
  })
  ;({ server, told } = beside.another())
  const started = await server.start(beside.receive)
  assert.ok(started)
  const url = new URL(started.resultsUrl)
  assert.equal(url.pathname, '/3ds/results')
  assert.equal(url.hostname, 'localhost')
  port = Number(url.port)
  ds = { ...pairOf('ds-client'), ca: file('ca.pem') }
})
after(() => beside.stop())
afterEach(() => {
  outcomes.length = 0
  receive = () => Promise.resolve(outcomes.shift() ?? 'stored')
})

const file = (name: string): string =>
  readFileSync(join(beside.folder, 'bank', 'three-ds', name), 'utf8')
const pairOf = (name: string): Pair => ({ cert: file(`${name}.pem`), key: file(`${name}.key`) })

const RREQ = {
  messageType: 'RReq',
  messageVersion: '2.2.0',
  messageCategory: '01',
  threeDSServerTransID: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
  dsTransID: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
  acsTransID: 'd7c1ee99-9478-44a6-b1f2-391e29c6b340',
  transStatus: 'Y',
  eci: '05',
  authenticationValue: 'AAABBJkZUQAAAABjRWWZEEFgFz8=',
  authenticationType: '02',
  interactionCounter: '01',
}

interface Answer {
  readonly status: number
  readonly message: Record<string, string>
}

interface Sending {
  readonly body?: string | Buffer
  readonly path?: string
  readonly method?: string
  readonly contentType?: string
  readonly tls?: ConnectionOptions
}

/**
 * One request as the Directory Server makes it, changed as a test wants it. Rejects without an
 * answer.
 */
function send(what: Sending = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = request(
    {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      agent: false,
      method: what.method ?? 'POST',
      path: what.path ?? '/3ds/results',
      headers: { 'Content-Type': what.contentType ?? 'application/json; charset=utf-8' },
      ...ds,
      ...(what.tls as object | undefined),
    },
    (incoming) => {
      let text = ''
      incoming.on('data', (part: Buffer) => (text += part.toString()))
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          message: text === '' ? {} : (JSON.parse(text) as Record<string, string>),
        }),
      )
    },
  )
  outgoing.on('error', reject)
  outgoing.end(what.body ?? JSON.stringify(RREQ))
  return promise
}

const sendRreq = (changes: object): Promise<Answer> =>
  send({ body: JSON.stringify({ ...RREQ, ...changes }) })

describe('a result', () => {
  test('a result of a challenge that is kept is answered with an RRes of its three ids', async () => {
    beside.received.length = 0
    const { message, status } = await send()
    assert.equal(status, 200)
    assert.deepEqual(message, {
      messageType: 'RRes',
      messageVersion: '2.2.0',
      threeDSServerTransID: RREQ.threeDSServerTransID,
      dsTransID: RREQ.dsTransID,
      acsTransID: RREQ.acsTransID,
      resultsStatus: '01',
    })
    const [result] = beside.received
    assert.ok(result)
    const { cavv, digest, ...rest } = result
    assert.equal(cavv?.reveal(), RREQ.authenticationValue)
    assert.match(digest, /^[0-9a-f]{64}$/)
    assert.deepEqual(rest, {
      mode: 'test',
      brands: null,
      serverTransId: RREQ.threeDSServerTransID,
      dsTransId: RREQ.dsTransID,
      acsTransId: RREQ.acsTransID,
      version: '2.2.0',
      messageCategory: '01',
      status: 'Y',
      reason: '',
      eci: '05',
      challengeCancel: '',
    })
  })

  test('a result of a challenge has one digest for any order of its elements, and another for other contents', async () => {
    beside.received.length = 0
    await send()
    await send({ body: JSON.stringify(Object.fromEntries(Object.entries(RREQ).toReversed())) })
    await sendRreq({ interactionCounter: '02' })
    const digests = beside.received.map(({ digest }) => digest)
    assert.equal(digests.length, 3)
    assert.equal(digests[0], digests[1])
    assert.notEqual(digests[0], digests[2])
  })

  test('a result of a challenge that belongs to nothing is Erro 301', async () => {
    outcomes.push('unknown')
    const { message, status } = await send()
    assert.equal(status, 200)
    assert.equal(message['messageType'], 'Erro')
    assert.equal(message['errorCode'], '301')
    assert.equal(message['errorComponent'], 'S')
    assert.equal(message['errorMessageType'], 'RReq')
    assert.equal(message['dsTransID'], RREQ.dsTransID)
  })

  test('a result of a challenge that contradicts earlier data is answered with the Erro of the use case', async () => {
    outcomes.push({ kind: 'invalid', errorCode: '203', detail: 'eci' })
    const { message } = await send()
    assert.deepEqual([message['errorCode'], message['errorDetail']], ['203', 'eci'])
  })

  test('a result of a challenge that could not be kept is Erro 403, so that it is sent again', async () => {
    receive = () => Promise.reject(new Error('the database is away'))
    const { message, status } = await send()
    assert.equal(status, 200)
    assert.equal(message['errorCode'], '403')
    assert.ok(!JSON.stringify(message).includes('database'))
    assert.equal(told.results.at(-1), 'failed')
  })

  test('a result of a challenge that is kept too slowly is Erro 403 before the Directory Server gives up', async () => {
    const held = Promise.withResolvers<'stored'>()
    receive = () => held.promise
    const { message } = await send()
    assert.equal(message['errorCode'], '403')
    held.resolve('stored')
  })

  for (const [name, body, code] of [
    ['not JSON', '<html>', '101'],
    ['empty', '', '101'],
    ['an object for its type', '{"messageType":{"toString":1}}', '101'],
    ['another message', JSON.stringify({ ...RREQ, messageType: 'ARes' }), '101'],
    ['of an unknown version', JSON.stringify({ ...RREQ, messageVersion: '2.3.1' }), '102'],
    ['without a status', JSON.stringify({ ...RREQ, transStatus: undefined }), '201'],
    [
      'with status C',
      JSON.stringify({ ...RREQ, transStatus: 'C', authenticationValue: undefined }),
      '203',
    ],
    ['with an element twice', JSON.stringify(RREQ).replace('{', '{"eci":"05",'), '204'],
    ['with bytes that are no UTF-8', Buffer.from([0x7b, 0xff]), '101'],
  ] as const) {
    test(`a result of a challenge that is ${name} is Erro ${code}, and reaches no use case`, async () => {
      beside.received.length = 0
      const { message, status } = await send({ body })
      assert.equal(status, 200)
      assert.equal(message['messageType'], 'Erro')
      assert.equal(message['errorCode'], code)
      assert.deepEqual(beside.received, [])
    })
  }

  test('a result of a challenge of another content type is Erro 101', async () => {
    const { message } = await send({ contentType: 'text/plain' })
    assert.equal(message['errorCode'], '101')
  })

  test('a result of a challenge that is longer than 64 kB is not read', async () => {
    beside.received.length = 0
    const body = JSON.stringify({ ...RREQ, x: 'x'.repeat(70_000) })
    assert.equal((await send({ body })).status, 413)
    assert.deepEqual(beside.received, [])
  })
})

test('there is nothing else at this port', async () => {
  assert.equal((await send({ path: '/' })).status, 404)
  assert.equal((await send({ path: '/payment/pmt_service.cfm' })).status, 404)
  assert.equal((await send({ method: 'GET', body: '' })).status, 405)
})

describe('the clients of the endpoint', () => {
  let foreign: Pair

  const refused = async (tls: ConnectionOptions): Promise<void> => {
    beside.received.length = 0
    await assert.rejects(send({ tls }))
    assert.deepEqual(beside.received, [])
  }
  before(async () => {
    foreign = await makeAuthority('Foreign CA')
  })

  test('a client without a certificate is refused', () => refused({ cert: '', key: '' }))
  test('a client with a certificate of another authority is refused under any name', async () => {
    await refused(await makePair(foreign, 'SIM Directory Server client'))
  })
  test('a client with a self-signed certificate is refused', async () => {
    await refused(foreign)
  })
  test('a client whose certificate has another name gets 403', async () => {
    for (const name of ['acs-client', 'gateway-client']) {
      beside.received.length = 0
      assert.equal((await send({ tls: pairOf(name) })).status, 403)
      assert.deepEqual(beside.received, [])
    }
  })
  test('a client with TLS 1.1 is refused', () =>
    refused({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }))
  test('a client with plain HTTP is refused', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const outgoing = plainRequest(
      { host: '127.0.0.1', port, method: 'POST', path: '/3ds/results' },
      () => resolve('answered'),
    )
    outgoing.on('error', () => resolve('refused'))
    outgoing.end(JSON.stringify(RREQ))
    assert.equal(await promise, 'refused')
  })
  test('the Directory Server with TLS 1.2 and with TLS 1.3', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      assert.equal((await send({ tls: { minVersion: version, maxVersion: version } })).status, 200)
    }
  })
  test('an expired certificate is refused by a listener of its own scheme', async (t) => {
    const authority = await makeAuthority('Scheme CA')
    const [own, fresh, old] = await Promise.all([
      makePair(authority, 'results'),
      makePair(authority, 'ds.example'),
      makePair(authority, 'ds.example', { expired: true }),
    ])
    const listener = await openResultsListener({
      host: '127.0.0.1',
      port: 0,
      mayMove: false,
      identities: [
        {
          host: null,
          ...own,
          directories: [
            {
              name: 'live x',
              mode: 'live',
              brands: null,
              url: 'https://ds.example/',
              ca: authority.cert,
              cert: own.cert,
              key: new Secret(own.key),
              refNumber: 'R',
              operatorId: null,
              resultSubjects: ['ds.example'],
              versions: { from: '2.1.0', to: '2.2.0' },
              browserHosts: null,
              simulated: false,
            },
          ],
        },
      ],
      answer: (_body, directory) => Promise.resolve(JSON.stringify({ mode: directory.mode })),
    })
    t.after(() => listener.close())
    const at = (pair: Pair): ConnectionOptions => ({
      ...pair,
      ca: authority.cert,
      port: listener.port,
    })
    assert.deepEqual((await send({ tls: at(fresh) })).message, { mode: 'live' })
    await assert.rejects(send({ tls: at(old) }))
    // The new authority did not sign the certificate of the simulator's Directory Server.
    await assert.rejects(send({ tls: { ...at(fresh), cert: ds.cert, key: ds.key } }))
  })
})

test('the simulator reports a challenge to the 3DS Server before it releases the browser', async () => {
  beside.received.length = 0
  const question = questionAbout('4000000000002503')
  const reply = await server.authenticate(question)
  assert.equal(reply.kind, 'answered')
  assert.equal(reply.status, 'C')
  const creq = {
    messageType: 'CReq',
    messageVersion: '2.2.0',
    threeDSServerTransID: question.serverTransId,
    acsTransID: reply.acsTransId,
    challengeWindowSize: '05',
  }
  const page = await browse(reply.acsUrl, {
    creq: Buffer.from(JSON.stringify(creq)).toString('base64url'),
  })
  const mac = /name="mac" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const form = { acsTransID: reply.acsTransId, mac, challengeDataEntry: '1234', do: 'submit' }
  const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1] ?? ''
  const released = await browse(new URL(action, reply.acsUrl).href, form)
  assert.match(released, /name="cres"/)
  assert.equal(beside.received.length, 1)
  const [result] = beside.received
  assert.equal(result?.status, 'Y')
  assert.equal(result?.serverTransId, question.serverTransId)
  assert.equal(result?.acsTransId, reply.acsTransId)
  assert.equal(result?.dsTransId, reply.dsTransId)
})

/** Posts a form as a browser does, and returns the page. */
function browse(url: string, fields: Record<string, string>): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const outgoing = request(
    url,
    {
      method: 'POST',
      ca: ds.ca,
      agent: false,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    },
    (incoming) => {
      let text = ''
      incoming.on('data', (part: Buffer) => (text += part.toString()))
      incoming.on('end', () => resolve(text))
    },
  )
  outgoing.on('error', reject)
  outgoing.end(new URLSearchParams(fields).toString())
  return promise
}

test('an unfinished handshake delays no other client', async () => {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', ca: ds.ca })
  socket.on('error', () => undefined)
  assert.equal((await send()).status, 200)
  socket.destroy()
})
