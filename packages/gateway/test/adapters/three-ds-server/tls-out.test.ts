import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { before, test, type TestContext } from 'node:test'
import type { SecureContextOptions, TlsOptions } from 'node:tls'
import {
  createDirectoryClient,
  type PostResult,
} from '../../../src/adapters/three-ds-server/directory-client.ts'
import { Secret } from '../../../src/base/secret.ts'
import type { ThreeDsDirectory } from '../../../src/usecases/three-ds/directory.ts'
import { makeAuthority, makePair, type Pair } from './certificates.ts'

let authority: Pair
let foreign: Pair
let ours: Pair

before(async () => {
  ;[authority, foreign] = await Promise.all([makeAuthority('DS CA'), makeAuthority('Another CA')])
  ours = await makePair(authority, 'our client')
})

interface Ds {
  readonly port: number
  readonly got: { readonly body: string; readonly client: string }[]
}

/** A Directory Server that shows a certificate, and answers `{}`. */
async function startDs(
  t: TestContext,
  pair: Pair,
  options: TlsOptions & SecureContextOptions = {},
): Promise<Ds> {
  const got: { body: string; client: string }[] = []
  const server = createServer(
    {
      cert: pair.cert,
      key: pair.key,
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: true,
      ...options,
    },
    (request, response) => {
      let body = ''
      request.on('data', (part: Buffer) => (body += part.toString()))
      request.on('end', () => {
        const { subject } = (
          request.socket as unknown as { getPeerCertificate(): { subject?: { CN?: string } } }
        ).getPeerCertificate()
        got.push({ body, client: subject?.CN ?? '' })
        response.end('{}')
      })
    },
  )
  server.on('tlsClientError', () => undefined)
  return { port: await listen(t, server), got }
}

async function listen(
  t: TestContext,
  server: Server & { closeAllConnections?(): void },
): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections?.()
  })
  return (server.address() as AddressInfo).port
}

async function post(
  t: TestContext,
  port: number,
  changes: Partial<ThreeDsDirectory> = {},
): Promise<PostResult> {
  const client = createDirectoryClient({
    name: 'live x',
    mode: 'live',
    brands: null,
    url: `https://localhost:${port}/3ds`,
    ca: authority.cert,
    cert: ours.cert,
    key: new Secret(ours.key),
    refNumber: 'R',
    operatorId: null,
    resultSubjects: [],
    versions: { from: '2.1.0', to: '2.2.0' },
    browserHosts: null,
    simulated: false,
    ...changes,
  })
  t.after(() => client.close())
  return await client.post('{"a":1}', { readMs: 3_000, maxBytes: 100 })
}

test('a Directory Server with a valid certificate gets the message, and sees our certificate', async (t) => {
  const { got, port } = await startDs(t, await makePair(authority, 'ds'))
  const result = await post(t, port)
  assert.equal(result.kind, 'answer', JSON.stringify(result))
  assert.deepEqual(got, [{ body: '{"a":1}', client: 'our client' }])
})

test('a certificate of another authority is refused before anything is sent', async (t) => {
  const { got, port } = await startDs(t, await makePair(foreign, 'ds'))
  assert.equal((await post(t, port)).kind, 'not_connected')
  assert.deepEqual(got, [])
})

test('a certificate for another host is refused', async (t) => {
  const { got, port } = await startDs(t, await makePair(authority, 'ds', { host: 'ds.example' }))
  assert.deepEqual(await post(t, port), {
    kind: 'not_connected',
    reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  assert.deepEqual(got, [])
})

test('an expired certificate is refused', async (t) => {
  const { got, port } = await startDs(t, await makePair(authority, 'ds', { expired: true }))
  assert.deepEqual(await post(t, port), { kind: 'not_connected', reason: 'CERT_HAS_EXPIRED' })
  assert.deepEqual(got, [])
})

test('a Directory Server that speaks nothing newer than TLS 1.1 is refused', async (t) => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
  const { got, port } = await startDs(t, await makePair(authority, 'ds'), old)
  assert.equal((await post(t, port)).kind, 'not_connected')
  assert.deepEqual(got, [])
})

test('plain HTTP is refused', async (t) => {
  let requests = 0
  const server = createPlainServer((_request, response) => {
    requests += 1
    response.end('{}')
  })
  assert.equal((await post(t, await listen(t, server))).kind, 'not_connected')
  assert.equal(requests, 0)
})

test("the simulator's certificate is refused for live accounts under any authority, and accepted for test ones", async (t) => {
  const { got, port } = await startDs(t, await makePair(authority, 'SIM Directory Server'))
  assert.deepEqual(await post(t, port), { kind: 'not_connected', reason: 'SIMULATOR_REFUSED' })
  assert.deepEqual(got, [])
  assert.equal((await post(t, port, { mode: 'test' })).kind, 'answer')
})

test('no answer is believed from a server that refuses our own certificate', async (t) => {
  const { got, port } = await startDs(t, await makePair(authority, 'ds'))
  const wrong = await makePair(foreign, 'our client')
  const result = await post(t, port, { cert: wrong.cert, key: new Secret(wrong.key) })
  // With TLS 1.3 a client learns of it only after its first bytes.
  assert.match(result.kind, /^(not_connected|broken)$/)
  assert.deepEqual(got, [])
})

test('an answer that is too long is given up', async (t) => {
  const pair = await makePair(authority, 'ds')
  const server = createServer({ ...pair }, (_request, response) => response.end('x'.repeat(101)))
  const port = await listen(t, server)
  assert.deepEqual(await post(t, port), { kind: 'too_long' })
})

test('a failed connection is retried once', async (t) => {
  const pair = await makePair(authority, 'ds')
  let connections = 0
  const server = createServer({ ...pair }, (_request, response) => response.end('{}'))
  server.on('connection', (socket) => {
    connections += 1
    if (connections === 1) socket.destroy()
  })
  assert.equal((await post(t, await listen(t, server))).kind, 'answer')
  assert.equal(connections, 2)
})

test('a message that was sent is never sent again', async (t) => {
  const pair = await makePair(authority, 'ds')
  let requests = 0
  const server = createServer({ ...pair }, (_request, response) => {
    requests += 1
    response.socket?.destroy()
  })
  assert.equal((await post(t, await listen(t, server))).kind, 'broken')
  assert.equal(requests, 1)
})

test('a server that never answers is given up at the timeout, and a late answer is ignored', async (t) => {
  const pair = await makePair(authority, 'ds')
  const asked = Promise.withResolvers<import('node:http').ServerResponse>()
  const server = createServer({ ...pair }, (_request, response) => asked.resolve(response))
  const port = await listen(t, server)
  const result = await post(t, port)
  assert.deepEqual(result, { kind: 'timed_out' })
  const response = await asked.promise
  response.end('{}')
  assert.deepEqual(result, { kind: 'timed_out' })
})
