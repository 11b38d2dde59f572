import assert from 'node:assert/strict'
import { createServer as createHttp, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { createServer as createTcp, type AddressInfo, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { generate } from 'selfsigned'
import {
  createPostOutwards,
  resolveName,
  type ResolveName,
} from '../../../src/adapters/outwards/outward-request.ts'
import type { OutwardRules } from '../../../src/domain/webhooks/outward-rules.ts'

const LOCAL: OutwardRules = { allowsLoopback: true, allowed: [], refused: [], ports: [443] }
const STRICT: OutwardRules = { ...LOCAL, allowsLoopback: false }
const LIMITS = { connectMs: 300, wholeMs: 600, readBytes: 65_536, keptBytes: 4_096 }
const BODY = Buffer.from('{"type":"endpoint.tested"}')

let http: Server
let https: Server
/** Accepts connections and never speaks. */
const silent = createTcp()
const open = new Set<Socket>()
let certificate = ''
let requests = 0
before(async () => {
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  })
  certificate = made.cert
  http = createHttp((request, response) => {
    requests += 1
    misbehave(request.url ?? '', response)
  })
  https = createHttps({ key: made.private, cert: made.cert }, (_, response) => {
    response.end('secure')
  })
  for (const server of [http, https, silent]) {
    server.on('connection', (socket: Socket) => open.add(socket))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  }
})
after(() => {
  for (const socket of open) socket.destroy()
  for (const server of [http, https, silent]) server.close()
})

function misbehave(path: string, response: ServerResponse): void {
  if (path === '/closes') response.socket?.destroy()
  else if (path === '/redirects') response.writeHead(302, { location: '/accepts' }).end()
  else if (path === '/busy') response.writeHead(503, { 'retry-after': '7' }).end('later')
  else if (path === '/endless') {
    const write = (): void => {
      if (!response.destroyed) response.write(Buffer.alloc(16_384, 'x'), () => setImmediate(write))
    }
    write()
  } else if (path === '/byte-by-byte') {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 50)
    response.on('close', () => clearInterval(timer))
  } else if (path === '/echo') response.end('card 4111111111111111 \0 end')
  else if (path !== '/hangs') response.writeHead(200).end('thanks')
}

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port

function post(url: string, rules = LOCAL, resolve: ResolveName = resolveName) {
  const send = createPostOutwards({
    limits: LIMITS,
    resolve,
    monotonicMs: () => performance.now(),
    connection: { ca: certificate },
  })
  return send(url, { 'webhook-id': 'evt_1' }, BODY, rules)
}

const at = (path: string): string => `http://127.0.0.1:${portOf(http)}${path}`

test('an accepted request has status and answer, and no fault', async () => {
  const { durationMs: _, ...answer } = await post(at('/accepts'))
  assert.deepEqual(answer, { status: 200, retryAfter: undefined, fault: '', text: 'thanks' })
})

test('HTTPS is verified by the name of the URL', async () => {
  const good = await post(`https://localhost:${portOf(https)}/`)
  assert.deepEqual([good.status, good.text], [200, 'secure'])
  const wrong = await post(`https://127.0.0.1:${portOf(https)}/`)
  assert.equal(wrong.status, null)
  assert.match(wrong.fault, /ERR_TLS_CERT_ALTNAME_INVALID/)
})

test('a receiver that closes at once is a fault', async () => {
  const answer = await post(at('/closes'))
  assert.deepEqual([answer.status, answer.fault], [null, 'The exchange failed: ECONNRESET.'])
})

test('a receiver that hangs, and one that answers byte by byte, are left when the time is over', async () => {
  const answers = await Promise.all([post(at('/hangs')), post(at('/byte-by-byte'))])
  for (const { fault, status } of answers) {
    assert.deepEqual([status, fault], [null, 'No whole answer within 0.6 s.'])
  }
})

test('a receiver that accepts no TLS connection in time is left', async () => {
  const answer = await post(`https://127.0.0.1:${portOf(silent)}/`)
  assert.deepEqual([answer.status, answer.fault], [null, 'No connection within 0.3 s.'])
})

test('an endless answer is cut, and its status counts', async () => {
  const answer = await post(at('/endless'))
  assert.equal(answer.status, 200)
  assert.equal(answer.text.length, LIMITS.keptBytes)
})

test('a redirect is not followed', async () => {
  const before = requests
  const answer = await post(at('/redirects'))
  assert.deepEqual([answer.status, answer.fault], [302, 'The endpoint answered 302.'])
  assert.equal(requests, before + 1)
})

test('an answer with Retry-After reports it', async () => {
  const answer = await post(at('/busy'))
  assert.deepEqual([answer.status, answer.retryAfter, answer.text], [503, '7', 'later'])
})

test('a card number in an answer is masked before anybody keeps it', async () => {
  const { text } = await post(at('/echo'))
  assert.ok(!text.includes('4111111111111111') && text.includes('1111') && !text.includes('\0'))
})

test('a proxy of the environment is ignored', async () => {
  const former = process.env['HTTP_PROXY']
  process.env['HTTP_PROXY'] = 'http://127.0.0.1:1'
  try {
    assert.equal((await post(at('/accepts'))).status, 200)
  } finally {
    if (former === undefined) delete process.env['HTTP_PROXY']
    else process.env['HTTP_PROXY'] = former
  }
})

test('a literal private address is refused before a connection is made', async () => {
  const before = requests
  const answer = await post(at('/accepts'), STRICT)
  assert.match(answer.fault, /machine itself/)
  assert.equal(requests, before)
})

test('a public name that resolves to a private address is refused, also as one of several', async () => {
  const both: ResolveName = () =>
    Promise.resolve([
      { address: '93.184.215.14', family: 4 },
      { address: '::ffff:10.0.0.1', family: 6 },
    ])
  const answer = await post('https://shop.example/', STRICT, both)
  assert.equal(answer.status, null)
  assert.equal(
    answer.fault,
    'shop.example resolves to ::ffff:10.0.0.1, which is no public address.',
  )
})

test('a name is resolved once, so that its second address is never reached', async () => {
  let resolved = 0
  const rebinding: ResolveName = () => {
    resolved += 1
    return Promise.resolve([{ address: resolved === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }])
  }
  const answer = await post('https://shop.example/', STRICT, rebinding)
  assert.match(answer.fault, /resolves to 192\.0\.2\.1/)
  assert.equal(resolved, 1)
})

test('a name without an address is a fault', async () => {
  const answer = await post('https://shop.example/', STRICT, () => Promise.resolve([]))
  assert.equal(answer.fault, 'shop.example has no address.')
})
