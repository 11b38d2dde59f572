import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { test, type TestContext } from 'node:test'
import { generate } from 'selfsigned'
import { ClientError, createClient } from '../src/index.ts'
import { LOGIN_OF_TESTS } from './scripted-gateway.ts'

const REQUEST = { amount: '12.50', cardToken: 'token', orderReference: 'basket-1' }

async function portOf(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** The error of a payment to this address. */
async function errorOf(baseUrl: string, timeoutMs = 2_000): Promise<ClientError> {
  const client = createClient({ ...LOGIN_OF_TESTS, baseUrl, timeoutMs })
  const error: unknown = await client.pay(REQUEST).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ClientError)
  assert.doesNotMatch(error.message, /pass word/)
  return error
}

test('a payment to a port without a listener was not accepted, and the error has the cause', async (t) => {
  const server = createServer()
  const port = await portOf(t, server)
  server.close()
  const { accepted, message } = await errorOf(`http://127.0.0.1:${port}`)
  assert.equal(accepted, 'no')
  assert.match(message, /could not be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+\. It accepted/)
})

test('a payment to a host without an address was not accepted, and the error has the cause', async () => {
  const { accepted, message } = await errorOf('http://gateway.invalid')
  assert.equal(accepted, 'no')
  assert.match(message, /could not be reached: getaddrinfo \w+ gateway\.invalid/)
})

test('a payment to an untrusted certificate was not accepted, and the error has the cause', async (t) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }])
  let requests = 0
  const server = createTlsServer({ cert, key }, (_, response) => {
    requests += 1
    response.end('{}')
  })
  const port = await portOf(t, server)
  const { accepted, message } = await errorOf(`https://127.0.0.1:${port}`)
  assert.equal(accepted, 'no')
  assert.match(message, /could not be reached: .*(DEPTH_ZERO_SELF_SIGNED_CERT|self.signed)/i)
  assert.equal(requests, 0)
})

test('a payment over TLS to a port without TLS was not accepted', async (t) => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const { accepted } = await errorOf(`https://127.0.0.1:${await portOf(t, server)}`)
  assert.equal(accepted, 'no')
})

test('a payment whose connection is cut after the request was sent is unknown', async (t) => {
  let sent = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (bytes) => {
      sent += bytes.toString()
      if (sent.includes('basket-1')) socket.resetAndDestroy()
    })
  })
  const port = await portOf(t, server)
  let message = ''
  // The time of the last try may be over before its connection breaks: then once more.
  for (let turn = 0; turn < 10 && !message.includes(' broke: '); turn += 1) {
    const error = await errorOf(`http://127.0.0.1:${port}`, 400)
    assert.equal(error.accepted, 'unknown')
    ;({ message } = error)
  }
  assert.match(message, /The connection to http:\S+ broke: .*Make the same call again/)
})
