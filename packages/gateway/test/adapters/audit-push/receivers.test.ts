import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttps, type Server } from 'node:https'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { createServer as createTls, type TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'
import { createHttpReceiver } from '../../../src/adapters/audit-push/http-receiver.ts'
import { createSyslogReceiver } from '../../../src/adapters/audit-push/syslog-receiver.ts'
import { Secret } from '../../../src/base/secret.ts'
import type { ChainedEntry } from '../../../src/usecases/audit/audit-chain.ts'
import { entryLine } from '../../../src/usecases/audit/entry-line.ts'
import { parseSyslog } from './strict-syslog.ts'

const SECRET = 'a-bearer-secret-of-the-test'
const SOURCE = { host: 'pay-1', processId: 42 }

function entry(number: bigint, result: string): ChainedEntry {
  return {
    number,
    at: '2026-11-28T10:00:00.000000Z',
    actor: 'operator:Zoë',
    operation: 'merchant.disabled',
    object: 'merchant 7\n107 <14>1 - - - - - - forged',
    merchantId: '7',
    address: '',
    result,
    details: '{"reason":"gestohlene Karten für 5 €"}',
    previousHash: 'a'.repeat(64),
    hash: 'b'.repeat(64),
  }
}

const ENTRIES = [entry(1n, 'done'), entry(2n, 'refused'), entry(3n, 'failed')]

let pems: { readonly cert: string; readonly private: string }
before(async () => {
  pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      { name: 'basicConstraints', cA: true },
    ],
  })
})

async function listen(server: NetServer | Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

suite('a syslog receiver over TLS', () => {
  let server: NetServer
  let port: number
  let onSocket: (socket: TLSSocket) => void
  before(async () => {
    server = createTls({ cert: pems.cert, key: pems.private }, (socket) => {
      socket.on('error', () => undefined)
      onSocket(socket)
    })
    port = await listen(server)
  })
  after(() => server.close())

  const receiver = (ca: string | null, exchangeMs: number, host = 'localhost', settleMs = 0) =>
    createSyslogReceiver(
      { url: new URL(`syslog+tls://${host}:${port}`), ca, secret: null, exchangeMs, settleMs },
      SOURCE,
    )

  test('gets RFC 5424 messages with their lengths in bytes, although entries have line feeds and other alphabets', async () => {
    const chunks: Buffer[] = []
    onSocket = (socket) => socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await receiver(pems.cert, 20_000)(ENTRIES)
    const { messages, rest } = parseSyslog(Buffer.concat(chunks))
    assert.equal(rest.length, 0)
    assert.deepEqual(
      messages.map(({ priority, host, messageId }) => [priority, host, messageId]),
      [110, 109, 108].map((priority) => [priority, 'pay-1', 'merchant.disabled']),
    )
    assert.deepEqual(
      messages.map(({ text }) => JSON.parse(text) as unknown),
      ENTRIES.map((one) => JSON.parse(entryLine(one)) as unknown),
    )
  })

  test('does not count as having the batch if it resets or ends the connection in the middle', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => entry(BigInt(at + 1), 'done'))
    for (const leave of ['destroy', 'end'] as const) {
      onSocket = (socket) => socket.once('data', () => socket[leave]())
      await assert.rejects(receiver(pems.cert, 20_000)(many))
    }
  })

  test('does not count as having the batch if it ends the connection before the gateway does', async () => {
    onSocket = (socket) => socket.once('data', () => socket.end())
    const patient = receiver(pems.cert, 20_000, 'localhost', 10_000)
    await assert.rejects(patient(ENTRIES), /ended the connection before/)
  })

  test('does not count as having the batch if it never ends the connection', async () => {
    onSocket = (socket) => socket.pause()
    await assert.rejects(receiver(pems.cert, 200)(ENTRIES), /did not end the connection in time/)
  })

  test('gets nothing if its certificate is of an unknown authority, or for another name', async () => {
    let received = 0
    onSocket = (socket) => socket.on('data', ({ length }) => (received += length))
    await assert.rejects(receiver(null, 20_000)(ENTRIES), /self-signed certificate/)
    await assert.rejects(
      receiver(pems.cert, 20_000, '127.0.0.1')(ENTRIES),
      /does not match certificate's altnames/,
    )
    assert.equal(received, 0)
  })
})

suite('an HTTPS receiver', () => {
  let server: Server
  let port: number
  let status = 204
  let seen: { readonly authorization: string | undefined; readonly body: string } | null = null
  before(async () => {
    server = createHttps({ cert: pems.cert, key: pems.private }, (request, response) => {
      if (status === 0) {
        request.socket.destroy()
        return
      }
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        seen = {
          authorization: request.headers.authorization,
          body: Buffer.concat(chunks).toString(),
        }
        response.writeHead(status, { location: '/elsewhere' }).end()
      })
    })
    port = await listen(server)
  })
  after(() => server.close())

  const send = (entries = ENTRIES): Promise<void> =>
    createHttpReceiver({
      url: new URL(`https://localhost:${port}/audit`),
      ca: pems.cert,
      secret: new Secret(SECRET),
      exchangeMs: 20_000,
      settleMs: 0,
    })(entries)

  test('gets the lines of an export with the bearer secret', async () => {
    status = 204
    await send()
    assert.deepEqual(seen, {
      authorization: `Bearer ${SECRET}`,
      body: ENTRIES.map((one) => `${entryLine(one)}\n`).join(''),
    })
  })

  test('may answer 400 to an empty batch, and to no other', async () => {
    status = 400
    await send([])
    await assert.rejects(send(), /answered HTTP 400; 2xx was expected/)
  })

  test('that answers 500 or redirects does not count as having the batch', async () => {
    for (const refused of [500, 302]) {
      status = refused
      await assert.rejects(send(), new RegExp(`answered HTTP ${refused}; 2xx was expected`))
    }
  })

  test('that breaks the connection does not count as having the batch, and no error has the secret', async () => {
    status = 0
    await assert.rejects(send(), (error) => !String(error).includes(SECRET))
  })
})
