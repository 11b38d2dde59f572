import { credentials } from '../../test/support/running-gateway.ts'
import type { Chance } from '../torture/chance.ts'
import { encodeForm, type Pair } from './form-case.ts'
import type { Ending } from './http-exchange.ts'

/** Bytes for one connection, and the expected answers. */
export interface RawCase {
  readonly shape: string
  readonly pieces: readonly Buffer[]
  readonly ending: Ending
  readonly isTls: boolean
  /** `any`: anything that is HTTP. A number: so many answers. `refused`: only one refusal. */
  readonly expected: 'any' | 'refused' | number
}

const LINE_END = '\r\n'
const PATH = '/payment/pmt_service.cfm'
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded'

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** The form of a health check or a small payment. */
function form(chance: Chance): Buffer {
  const pairs: Pair[] = Object.entries(credentials()).map(([name, value]) => ({ name, value }))
  const action = chance.pick(['TESTGW', 'TESTAUTH', 'CCAUTHORIZE'])
  pairs.push({ name: 'REQUEST_ACTION', value: action })
  if (action === 'CCAUTHORIZE') {
    const card = { PMT_NUMB: '4111111111111111', PMT_EXPIRY: '122040', LI_VALUE_1: '1.00' }
    pairs.push(...Object.entries(card).map(([name, value]) => ({ name, value })))
  }
  return encodeForm(pairs)
}

interface Parts {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  readonly headers?: readonly string[]
  readonly body?: Buffer
}

function request({
  method = 'POST',
  target = PATH,
  version = 'HTTP/1.1',
  headers,
  body,
}: Parts): Buffer {
  const content = body ?? Buffer.alloc(0)
  const lines = headers ?? [FORM_TYPE, `Content-Length: ${content.length}`, 'Connection: close']
  const head = [`${method} ${target} ${version}`, 'Host: localhost', ...lines].join(LINE_END)
  return Buffer.concat([bytes(`${head}${LINE_END}${LINE_END}`), content])
}

function chunked(body: Buffer, chance: Chance, sizes: (size: number) => string): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length;) {
    const size = Math.min(chance.between(1, 40), body.length - at)
    parts.push(bytes(`${sizes(size)}${LINE_END}`), body.subarray(at, at + size), bytes(LINE_END))
    at += size
  }
  return Buffer.concat(parts)
}

const CHUNKED = [FORM_TYPE, 'Transfer-Encoding: chunked', 'Connection: close']

/** Two lengths for one body: a reader of the other length finds a second request in it. */
function smuggled(chance: Chance): Buffer {
  const inner = request({ body: form(chance) })
  const both = (headers: readonly string[]): Buffer =>
    Buffer.concat([
      request({ headers: [FORM_TYPE, ...headers] }),
      bytes(`0${LINE_END}${LINE_END}`),
      inner,
    ])
  const length = inner.length + 5
  return chance.pick([
    () => both([`Content-Length: ${length}`, 'Transfer-Encoding: chunked']),
    () => both(['Transfer-Encoding: chunked', `Content-Length: ${length}`]),
    () => both(['Content-Length: 5', `Content-Length: ${length}`]),
    () => both([`Content-Length: 5, ${length}`]),
    () => both(['Content-Length: +5']),
    () => both(['Content-Length: 0x5']),
    () => both(['Content-Length: -1']),
    () => both(['Content-Length: 5 5']),
    () => both(['Content-Length: 99999999999999999999']),
    () => both(['Content-Length: ']),
    () => both(['Content-Length : 5']),
    () => both(['Content-Length\t: 5']),
    () => both(['Transfer-Encoding: xchunked']),
    () => both(['Transfer-Encoding : chunked']),
    () => both(['Transfer-Encoding: chunked, identity']),
    () => both(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']),
    () => both(['Transfer-Encoding:\u000bchunked']),
    () => both(['X: y\nTransfer-Encoding: chunked']),
    () => both(['X: y\rTransfer-Encoding: chunked']),
    () => both([' Transfer-Encoding: chunked']),
    () => both(['X: y', ' Transfer-Encoding: chunked']),
  ])()
}

type Shape = (chance: Chance) => Omit<RawCase, 'shape' | 'isTls'>

function any(...pieces: Buffer[]): ReturnType<Shape> {
  return { pieces, ending: 'wait a little', expected: 'any' }
}

const TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  '\u00ff',
  ' ',
  '\t',
  ':',
  'Content-Length: 3\r\n',
  ',',
  ';',
  'Transfer-Encoding: chunked\r\n',
  '%',
  '%00',
  '&',
  '=',
  '99999999999',
  '-1',
  'HTTP/1.1',
  'HTTP/9.9',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  'Connection: upgrade\r\n',
]

const SHAPES: Readonly<Record<string, Shape>> = {
  'changed bytes': (chance) => {
    let out = request({ body: form(chance) })
    for (let change = chance.between(1, 4); change > 0; change -= 1) {
      const at = chance.between(0, out.length)
      const cut = chance.happens(0.3) ? chance.between(1, 30) : 0
      const put = chance.happens(0.5)
        ? bytes(chance.pick(TOKENS))
        : Buffer.of(chance.between(0, 255))
      out = Buffer.concat([out.subarray(0, at), put, out.subarray(at + cut)])
    }
    return any(out)
  },
  noise: (chance) =>
    any(
      Buffer.from(Array.from({ length: chance.between(0, 3_000) }, () => chance.between(0, 255))),
    ),
  chunks: (chance) => {
    const body = form(chance)
    const ext = chance.pick(['', ';a=b', ';a', `;${'x'.repeat(200)}`, ';a="b"'])
    const trailer = chance.pick(['', 'X-T: 1\r\n', 'Content-Length: 1\r\n', 'x'.repeat(30_000)])
    const whole = chunked(body, chance, (size) => size.toString(16) + ext)
    return any(request({ headers: CHUNKED }), whole, bytes(`0\r\n${trailer}\r\n`))
  },
  'broken chunks': (chance) => {
    const size = chance.pick([
      'FFFFFFFFFFFFFFFFF',
      '-1',
      '0x10',
      '',
      'g',
      '1 0',
      '+5',
      '7fffffff',
      '5;\u0000',
      '5\n',
      ' 5',
    ])
    return any(
      request({ headers: CHUNKED }),
      chunked(form(chance), chance, () => size),
      bytes('0\r\n\r\n'),
    )
  },
  'one chunk a byte, too many': (chance) => {
    const count = chance.pick([1_000, 70_000])
    return any(request({ headers: CHUNKED }), bytes('1\r\nx\r\n'.repeat(count)), bytes('0\r\n\r\n'))
  },
  smuggling: (chance) => ({
    pieces: [smuggled(chance)],
    ending: 'wait a little',
    expected: 'refused',
  }),
  'many headers': (chance) => {
    const count = chance.pick([10, 100, 1_990, 2_100, 10_000])
    const headers = Array.from({ length: count }, (_, n) => `X-${n}: ${n}`)
    const body = form(chance)
    return any(
      request({
        headers: [...headers, FORM_TYPE, `Content-Length: ${body.length}`, 'Connection: close'],
        body,
      }),
    )
  },
  'odd headers': (chance) => {
    const line = chance.pick([
      `X: ${'a'.repeat(chance.pick([8_000, 16_500, 100_000]))}`,
      `${'a'.repeat(20_000)}: b`,
      ': b',
      'X',
      'X\u0000: b',
      'X: \u0000',
      'X: \u00ff',
      'X y: b',
      ' folded',
      'Host: other',
      'Host: a\r\nHost: b',
      'Expect: 100-continue',
      'Expect: x',
      'Upgrade: websocket\r\nConnection: Upgrade',
      'Connection: x',
      'Content-Encoding: gzip',
      'Content-Type: a\r\nContent-Type: b',
      'X-Forwarded-For: 1.2.3.4, x',
      'X-Forwarded-Proto: https',
      'Forwarded: for=x',
      'Cookie: a=b',
      'Range: bytes=0-',
      'TE: trailers',
      'HTTP2-Settings: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings',
      'Max-Forwards: 0',
    ])
    const body = form(chance)
    return any(
      request({
        headers: [line, FORM_TYPE, `Content-Length: ${body.length}`, 'Connection: close'],
        body,
      }),
    )
  },
  'odd methods': (chance) => {
    const method = chance.pick([
      'GET',
      'HEAD',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'CONNECT',
      'PROPFIND',
      'QUERY',
      'post',
      'PO ST',
      '',
      'P\u0000ST',
      'X'.repeat(5_000),
      'PRI',
      'SEARCH',
      'SOURCE',
      'M-SEARCH',
      'DESCRIBE',
    ])
    return any(request({ method, body: form(chance) }))
  },
  'odd addresses': (chance) => {
    const target = chance.pick([
      '*',
      '/',
      '//',
      '',
      '/payment',
      '/payment/',
      `${PATH}/`,
      `${PATH}?a=b`,
      `${PATH}?${'a'.repeat(9_000)}`,
      `http://localhost${PATH}`,
      'http://[',
      'localhost:1',
      '/payment/%70mt_service.cfm',
      '/%',
      '/%zz',
      '/%00',
      '/%ff',
      '/payment/../payment/pmt_service.cfm',
      '/payment\\pmt_service.cfm',
      `/${'a/'.repeat(5_000)}`,
      '/payment/PMT_SERVICE.CFM',
      `${PATH};x=y`,
      `${PATH}%00`,
      '/payment/token_service.cfm',
      '/health/live',
      '/health/ready',
      '/metrics',
      '/payment/pmt_service.cfm#x',
      '/\u00e9',
      '/payment/ pmt_service.cfm',
      '/__proto__',
      '/health/live?x=%',
    ])
    return any(request({ method: chance.pick(['POST', 'GET']), target, body: form(chance) }))
  },
  'odd versions': (chance) => {
    const version = chance.pick([
      'HTTP/1.0',
      'HTTP/0.9',
      'HTTP/2.0',
      'HTTP/1.2',
      'http/1.1',
      'HTTP/1.',
      'HTTP/11',
      '',
    ])
    return any(request({ version, body: form(chance) }))
  },
  'long bodies': (chance) => {
    const length = chance.pick([65_535, 65_536, 65_537, 200_000, 2_000_000])
    const filler = Buffer.alloc(length, chance.pick(['a', '&', '=', '%', 'a=&', '%41', '\u0000']))
    return any(request({ body: filler }))
  },
  'lengths that are not so': (chance) => {
    const body = form(chance)
    const length = chance.pick([0, 1, body.length - 1, body.length + 1, body.length + 10_000])
    return any(request({ headers: [FORM_TYPE, `Content-Length: ${length}`], body }))
  },
  pipelining: (chance) => {
    const count = chance.between(2, 20)
    const whole = Array.from({ length: count }, (_, n) => {
      const body = form(chance)
      const last = n === count - 1 ? ['Connection: close'] : []
      return request({ headers: [FORM_TYPE, `Content-Length: ${body.length}`, ...last], body })
    })
    return { pieces: [Buffer.concat(whole)], ending: 'stay', expected: count }
  },
  'split anywhere': (chance) => {
    const whole = request({ body: form(chance) })
    const at = chance.between(1, whole.length - 1)
    return { pieces: [whole.subarray(0, at), whole.subarray(at)], ending: 'stay', expected: 1 }
  },
  'byte by byte': (chance) => {
    const whole = request({ body: form(chance) })
    return { pieces: [...whole].map((byte) => Buffer.of(byte)), ending: 'stay', expected: 1 }
  },
  'early leave': (chance) => {
    const whole = request({ body: form(chance) })
    return {
      pieces: [whole.subarray(0, chance.between(0, whole.length))],
      ending: 'leave',
      expected: 'any',
    }
  },
}

export const SHAPE_NAMES: readonly string[] = Object.keys(SHAPES)

/** The wrong protocol at a port: plain HTTP for TLS, or a handshake that was changed. */
export function makeRaw(chance: Chance): RawCase {
  const shape = chance.pick(SHAPE_NAMES)
  const build = SHAPES[shape]
  if (build === undefined) throw new Error(`There is no shape ${shape}.`)
  const built = build(chance)
  return { shape, isTls: chance.happens(0.2), ...built }
}

/** The same case with fewer bytes, as long as any answer is fine; else in fewer pieces. */
export function* smallerRaw(raw: RawCase): Generator<RawCase> {
  const whole = Buffer.concat(raw.pieces)
  if (raw.pieces.length > 1) yield { ...raw, pieces: [whole] }
  if (raw.expected !== 'any') return
  for (let size = whole.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < whole.length; at += size) {
      yield { ...raw, pieces: [Buffer.concat([whole.subarray(0, at), whole.subarray(at + size)])] }
    }
  }
}
