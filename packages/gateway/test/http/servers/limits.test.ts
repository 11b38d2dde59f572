import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { suite, test, type TestContext } from 'node:test'
import { eventually, untilSeen } from '../../../../../test/support/eventually.ts'
import { connectionsThatFit, openFileLimit } from '../../../src/http/servers/connection-room.ts'
import { HTTP_LIMITS, type HttpLimits } from '../../../src/http/servers/http-limits.ts'
import { createRequestRate } from '../../../src/http/servers/request-rate.ts'
import { aGateway, formOf, PAN, SALE, type FakeGateway } from '../fake-gateway.ts'
import { LIVE } from './tls-client.ts'

const PATH = '/payment/pmt_service.cfm'

interface Client {
  readonly socket: Socket
  received(): string
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<unknown>
}

async function listening(t: TestContext, gateway: FakeGateway): Promise<URL> {
  t.after(() => gateway.servers.close())
  const [base = ''] = await gateway.servers.listen()
  return new URL(base)
}

function open(base: URL): Client {
  const socket = connect(Number(base.port), base.hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  socket.on('error', () => undefined)
  // Not events.once, which rejects on an error: a reset is a way to be closed.
  const closed = new Promise((resolve) => socket.once('close', resolve))
  return { socket, received: () => received, closed }
}

async function converse(base: URL, bytes: string): Promise<string> {
  const client = open(base)
  client.socket.write(bytes)
  await client.closed
  return client.received()
}

/** The server hears of a connection's end a moment after the client. */
async function untilNoneIsOpen({ servers }: FakeGateway): Promise<void> {
  await untilSeen(
    'no connection is open',
    () => servers.connections().open,
    (open) => open === 0,
    { everyMs: 5 },
  )
}

function post(params: Record<string, string | undefined>, headers = ''): string {
  const body = formOf(params)
  return `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** Sends one byte after the other, for as long as the connection lasts. */
function trickle(client: Client, bytes: string): void {
  const timer = setInterval(() => {
    const [next = ' '] = bytes
    bytes = bytes.slice(1)
    client.socket.write(next)
  }, 20)
  void client.closed.then(() => clearInterval(timer))
}

const CLOSE = 'Connection: close\r\n'

test('16 KiB of header lines are read, more are 431, and nothing of them is logged', async (t) => {
  const gateway = aGateway()
  const base = await listening(t, gateway)
  const line = (length: number): string => `X-Filler: ${PAN}${'y'.repeat(length)}\r\n`
  assert.match(await converse(base, post(SALE, CLOSE + line(16_000))), /^HTTP\/1\.1 200 /)
  assert.match(await converse(base, post(SALE, CLOSE + line(17_000))), /^HTTP\/1\.1 431 /)
  const long = LIVE.replace('/live', `/${PAN}${'y'.repeat(17_000)}`)
  assert.match(await converse(base, long), /^HTTP\/1\.1 431 /)
  assert.equal(gateway.payments.length, 1)
  assert.doesNotMatch(gateway.programLog(), /411111/)
})

test('a hundred header lines are read, and one more is 431', async (t) => {
  const gateway = aGateway()
  const base = await listening(t, gateway)
  // Three more are Host, Connection and Content-Length.
  const lines = (count: number): string => CLOSE + 'X-A: 1\r\n'.repeat(count - 3)
  assert.match(await converse(base, post(SALE, lines(100))), /^HTTP\/1\.1 200 /)
  assert.match(await converse(base, post(SALE, lines(101))), /^HTTP\/1\.1 431 /)
  assert.match(await converse(base, post(SALE, lines(2_000))), /^HTTP\/1\.1 431 /)
  assert.equal(gateway.payments.length, 1)
})

for (const [what, headers] of [
  ['two lengths', 'Content-Length: 5\r\n'],
  ['a length and chunks', 'Transfer-Encoding: chunked\r\n'],
  ['a line that is continued', 'X-A: 1\r\n 2\r\n'],
  ['a blank before the colon', 'X-A : 1\r\n'],
] as const) {
  test(`a request with ${what} is refused, since a proxy may read it differently`, async (t) => {
    const gateway = aGateway()
    const base = await listening(t, gateway)
    assert.match(await converse(base, post(SALE, CLOSE + headers)), /^HTTP\/1\.1 400 /)
    assert.deepEqual(gateway.payments, [])
  })
}

for (const [what, bytes] of [
  ['header lines', `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${'y'.repeat(5_000)}`],
  [
    'a body',
    `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n${'y'.repeat(4_000)}`,
  ],
] as const) {
  test(`${what} of one byte after the other are cut at the time for them`, async (t) => {
    const limits = { headersTimeoutMs: 150, requestTimeoutMs: 300 }
    const gateway = aGateway({}, { limits })
    const client = open(await listening(t, gateway))
    const [head = '', body] = bytes.split('\r\n\r\n')
    if (body !== undefined) client.socket.write(`${head}\r\n\r\n`)
    trickle(client, body ?? head)
    await client.closed
    assert.match(client.received(), /^HTTP\/1\.1 408 /)
    assert.deepEqual(gateway.payments, [])
  })
}

test('a silent connection, and one that is kept and idle, are cut', async (t) => {
  const limits = { headersTimeoutMs: 500, keepAliveTimeoutMs: 500 }
  const base = await listening(t, aGateway({}, { limits }))
  const silent = open(base)
  const kept = open(base)
  kept.socket.write(LIVE.replace('Connection: close\r\n', ''))
  await Promise.all([silent.closed, kept.closed])
  assert.match(kept.received(), /^HTTP\/1\.1 200 /)
})

test('blank lines for ever do not keep a connection', async (t) => {
  const limits = { keepAliveTimeoutMs: 300, requestTimeoutMs: 300, headersTimeoutMs: 300 }
  const gateway = aGateway({}, { limits })
  const client = open(await listening(t, gateway))
  client.socket.write(LIVE.replace('Connection: close\r\n', ''))
  trickle(client, '\r\n'.repeat(1_000))
  await client.closed
  await untilNoneIsOpen(gateway)
})

test('a client that never reads its answers keeps neither the connection nor the memory', async (t) => {
  const limits = { answerTimeoutMs: 200, keepAliveTimeoutMs: 600_000 }
  const gateway = aGateway({}, { limits })
  const base = await listening(t, gateway)
  const socket = connect(Number(base.port), base.hostname).pause()
  socket.on('error', () => undefined)
  const ask = post({ REQUEST_ACTION: 'TESTAUTH' })
  // More than the buffers of the system take; the unread socket stops it.
  const flood = setInterval(() => {
    if (socket.writableLength < 1_000_000) for (let n = 0; n < 100; n += 1) socket.write(ask)
  }, 1)
  t.after(() => {
    clearInterval(flood)
    socket.destroy()
  })
  await eventually(
    'the connection whose answers are not read is cut',
    () => gateway.servers.connections().cut.unread > 0,
  )
  await untilNoneIsOpen(gateway)
})

test('requests in a row without waiting are answered up to sixteen, the rest 503', async (t) => {
  const release = Promise.withResolvers<void>()
  let waiting = 0
  const gateway = aGateway({
    takePayment: async () => {
      waiting += 1
      if (waiting === 16) release.resolve()
      await release.promise
      return { kind: 'refused', refusal: 'currency_not_configured', field: null }
    },
  })
  const base = await listening(t, gateway)
  const received = await converse(base, post(SALE).repeat(20))
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
  assert.deepEqual(statuses, [...Array.from({ length: 16 }, () => '200'), '503'])
  assert.match(received, /^retry-after: 1\r$/m)
  assert.equal(waiting, 16)
})

test('a payment is accepted and served when slow clients hold all places', async (t) => {
  const gateway = aGateway({}, { limits: { connections: 10 } })
  const base = await listening(t, gateway)
  const slow = Array.from({ length: 30 }, () => open(base))
  for (const { socket } of slow)
    socket.write(`POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx`)
  await Promise.all(slow.slice(0, 20).map(({ closed }) => closed))
  assert.match(await converse(base, post(SALE, CLOSE)), /"TRANS_STATUS_NAME":"APPROVED"/)
  assert.equal(gateway.servers.connections().cut.full, 21)
  for (const { socket } of slow) socket.destroy()
})

test('a payment that waits for the bank keeps its connection, however many come', async (t) => {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const gateway = aGateway(
    {
      takePayment: async () => {
        started.resolve()
        await release.promise
        return { kind: 'refused', refusal: 'currency_not_configured', field: null }
      },
    },
    { limits: { connections: 2 } },
  )
  const base = await listening(t, gateway)
  const payment = converse(base, post(SALE, CLOSE))
  await started.promise
  const crowd = Array.from({ length: 20 }, () => open(base))
  await Promise.all(crowd.slice(0, 19).map(({ closed }) => closed))
  release.resolve()
  assert.match(await payment, /^HTTP\/1\.1 200 /)
  for (const { socket } of crowd) socket.destroy()
})

test('a gateway that leaves serves on, is not ready, and lets no connection be kept', async (t) => {
  const gateway = aGateway({}, {})
  const base = await listening(t, gateway)
  // Shorter than in production: the clean-up waits for it.
  const left = gateway.servers.leave(1_000)
  t.after(() => left)

  // The client asks to keep the connection, and would wait if the server kept it.
  assert.match(await converse(base, post(SALE, '')), /^HTTP\/1\.1 200 [^]*connection: close/i)
  const ready = 'GET /health/ready HTTP/1.1\r\nHost: localhost\r\n\r\n'
  assert.match(await converse(base, ready), /^HTTP\/1\.1 503 [^]*"status":"unavailable"/)
  assert.match(await converse(base, LIVE), /^HTTP\/1\.1 200 /)
})

test('a stop does not wait for connections without requests', async (t) => {
  const limits = {
    drainMs: 50,
    closeTimeoutMs: 600_000,
    requestTimeoutMs: 600_000,
    headersTimeoutMs: 600_000,
  }
  const gateway = aGateway({}, { limits })
  const base = await listening(t, gateway)
  const [silent, half] = [open(base), open(base)]
  await once(silent.socket, 'connect')
  const waits = 'Content-Length: 9\r\nExpect: 100-continue'
  half.socket.write(`POST ${PATH} HTTP/1.1\r\nHost: localhost\r\n${waits}\r\n\r\n`)
  // Now the server waits for the body.
  assert.match(String((await once(half.socket, 'data'))[0]), /^HTTP\/1\.1 100 /)
  await gateway.servers.close()
  await Promise.all([silent.closed, half.closed])
})

test('one address gets its share of the connections, and a proxy all that there are', async (t) => {
  const limits = { connectionsPerAddress: 3 }
  const crowd = async (trustedProxies: readonly string[]): Promise<number> => {
    const gateway = aGateway({}, { limits, trustedProxies })
    const base = await listening(t, gateway)
    const sockets = Array.from({ length: 8 }, () => open(base).socket)
    t.after(() => sockets.forEach((socket) => socket.destroy()))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    assert.match(await converse(base, LIVE), /^HTTP\/1\.1 200 /)
    return gateway.servers.connections().cut.address
  }
  assert.equal(await crowd([]), 6)
  assert.equal(await crowd(['127.0.0.1']), 0)
})

test('connections leave room for the other files that a worker opens', () => {
  assert.equal(connectionsThatFit(2_000, null), 2_000)
  assert.equal(connectionsThatFit(2_000, 20_000), 2_000)
  assert.equal(connectionsThatFit(2_000, 1_024), 768)
  assert.equal(connectionsThatFit(2_000, 128), 64)
  assert.ok((openFileLimit() ?? 0) > 0)
})

suite('R8: the volume of a user, counted by one process alone', () => {
  const rate = (now: () => number) => createRequestRate({ perSecond: 500, burst: 2_000 }, now)
  const passed = (allow: (user: string) => boolean, user: string, times: number): number =>
    Array.from({ length: times }, () => allow(user)).filter(Boolean).length

  test('R8: the volume of a user in one process is 2,000 at once and 500 a second from then on, for each by itself', () => {
    let now = 0
    const allow = rate(() => now)
    assert.equal(passed(allow, 'shop', 2_500), 2_000)
    assert.equal(passed(allow, 'other', 10), 10)
    now = 1_000
    assert.equal(passed(allow, 'shop', 2_500), 500)
    now = 3_000
    assert.equal(passed(allow, 'shop', 2_500), 1_000)
    now = 60_000
    assert.equal(passed(allow, 'shop', 2_500), 2_000)
  })

  test('R8: the volume of a user in one process is not granted again because many others come', () => {
    const allow = rate(() => 0)
    assert.equal(passed(allow, 'shop', 2_000), 2_000)
    for (let user = 0; user < 30_000; user += 1) {
      allow(`user ${user}`)
      if (user % 1_000 === 0) assert.equal(allow('shop'), false)
    }
  })
})

test('docs/operators/limits.md states the actual limits', () => {
  const page = readFileSync(
    new URL('../../../../../docs/operators/limits.md', import.meta.url),
    'utf8',
  )
  const told = Object.fromEntries(
    [...page.matchAll(/^\| `(\w+)` \| ([\d,]+)/gm)].map(([, name = '', value = '']) => [
      name,
      Number(value.replaceAll(',', '')),
    ]),
  )
  const { connections, connectionsPerAddress, ...fixed } = HTTP_LIMITS
  assert.deepEqual(told, fixed satisfies Partial<HttpLimits>)
  assert.equal(connections, 2_000)
  assert.equal(connectionsPerAddress, 0)
})

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.internal === false && address.family === 'IPv4')?.address

test(
  'R7: an unauthenticated client at the plain port is refused before the body is read',
  { skip: outside === undefined && 'needs an address that is not loopback' },
  async (t) => {
    const http = { host: outside ?? '', port: 0 }
    assert.throws(() => aGateway({}, { http }), /Plain HTTP was asked for on/)
    const gateway = aGateway({}, { http, trustedProxies: ['203.0.113.7'] })
    const base = await listening(t, gateway)
    const refused = await converse(base, post(SALE, `${CLOSE}X-Forwarded-For: 127.0.0.1\r\n`))
    assert.match(refused, /^HTTP\/1\.1 403 .*trusted proxy only/s)
    assert.deepEqual(gateway.payments, [])

    const trusting = aGateway({}, { http, trustedProxies: [outside ?? ''] })
    const answered = await converse(await listening(t, trusting), post(SALE, CLOSE))
    assert.match(answered, /^HTTP\/1\.1 200 /)
  },
)
