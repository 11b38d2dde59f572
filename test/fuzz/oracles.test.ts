import { compileProfile, HOUSE_PROFILE } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { write } from '../../packages/gateway/src/http/payment/formats/format.ts'
import { checkValue } from '../../packages/gateway/src/http/payment/parameter-checks.ts'
import { PARAMETERS } from '../../packages/gateway/src/http/payment/parameters.ts'
import { refusalAnswer } from '../../packages/gateway/src/http/payment/refusal-record.ts'
import { REFUSALS } from '../../packages/gateway/src/http/payment/refusals.ts'
import { readHead } from '../../packages/gateway/src/http/payment/request-head.ts'
import { HTTP_LIMITS } from '../../packages/gateway/src/http/servers/http-limits.ts'
import { makeForm } from '../../tools/fuzz/form-case.ts'
import { readAnswers, type HttpAnswer } from '../../tools/fuzz/http-answers.ts'
import { wrongInAnswer } from '../../tools/fuzz/payment-answer.ts'
import { readPipes } from '../../tools/fuzz/pipes-reader.ts'
import { shorterLists, smallest, tryInputs } from '../../tools/fuzz/target.ts'
import { wrongInNumber } from '../../tools/fuzz/targets/http.ts'
import { wrongInDecoding } from '../../tools/fuzz/targets/iso8583.ts'
import { validValue } from '../../tools/fuzz/wild-values.ts'
import { createChance } from '../../tools/torture/chance.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test('answers are read one after the other, and not a byte may be left over or missing', () => {
  assert.deepEqual(
    readAnswers(Buffer.from(ANSWER + ANSWER)).answers.map(({ body }) => body),
    ['ok', 'ok'],
  )
  for (const broken of [
    `${ANSWER}x`,
    ANSWER.slice(0, -1),
    ANSWER.replace('2', 'two'),
    ANSWER.replace('1.1', '2'),
  ]) {
    assert.notEqual(readAnswers(Buffer.from(broken)).wrong, null, broken)
  }
  const injected = ANSWER.replace('OK\r\n', 'OK\r\nX y: z\r\n')
  assert.match(readAnswers(Buffer.from(injected)).wrong ?? '', /header line/)
})

function answered(name: keyof typeof REFUSALS, format: 'XML' | 'JSON' | 'PIPES'): HttpAnswer {
  const { echo } = readHead(new Map([['XTL_ORDER_ID', 'a||b']]), format)
  const answer = refusalAnswer(REFUSALS[name], '', { ...echo, requestId: 1n })
  const { type, body } = write(answer, format)
  return { status: 200, headers: new Map([['content-type', type]]), body }
}

for (const format of ['XML', 'JSON', 'PIPES'] as const) {
  test(`a refusal in ${format} is in order; a fault of the gateway and a field too many are not`, () => {
    const good = answered('value_invalid', format)
    assert.equal(wrongInAnswer(good, format), null)
    assert.match(wrongInAnswer(answered('system_error', format), format) ?? '', /^API 120/)
    const field = { XML: '<X/></RESPONSE>', JSON: ',"X":""}', PIPES: '||X=' }[format]
    const end = { XML: '</RESPONSE>', JSON: '}', PIPES: '' }[format]
    const more = good.body.slice(0, good.body.length - end.length) + field
    assert.match(wrongInAnswer({ ...good, body: more }, format) ?? '', /no documented layout/)
    const other = format === 'JSON' ? 'XML' : 'JSON'
    assert.match(wrongInAnswer(good, other) ?? '', /was asked for/)
  })
}

test('fields of 3-D Secure are in order behind P3DS_RESPONSE only, and a challenge on PENDING only', () => {
  const outcome =
    '"P3DS_ECI":"05","P3DS_PROCTRANSID":"a","P3DS_PROCVERSION":"2.2.0","P3DS_TRANSID":"b",'
  const challenge = `"P3DS_ACS_URL":"u","P3DS_PAYLOAD":"j",${outcome}"P3DS_JWT":"j",`
  const good = answered('value_invalid', 'JSON')
  const wrong = (
    fields: string,
    changes: readonly (readonly [string, string])[] = [],
  ): string | null => {
    let body = good.body.replace('"TRANS_NTOKEN_USED"', `${fields}"TRANS_NTOKEN_USED"`)
    for (const [from, to] of changes) body = body.replace(from, to)
    return wrongInAnswer({ ...good, body }, 'JSON')
  }
  const pending = ['"TRANS_STATUS_NAME":""', '"TRANS_STATUS_NAME":"PENDING"'] as const
  const redirect = ['"PROC_REDIRECT_URL":""', '"PROC_REDIRECT_URL":"u"'] as const
  assert.equal(wrong(outcome), null)
  assert.equal(wrong(`${outcome}"P3DS_CARDHOLDER_INFO":"c",`), null)
  assert.equal(wrong(challenge, [pending, redirect]), null)
  assert.match(wrong('"P3DS_ECI":"05",') ?? '', /no documented layout/)
  assert.match(wrong(`${outcome}"P3DS_CAVV":"x",`) ?? '', /no documented layout/)
  assert.match(wrong(challenge, [redirect]) ?? '', /A challenge is reported/)
  assert.match(wrong(outcome, [pending]) ?? '', /A challenge is reported/)
  assert.match(wrong(challenge, [pending]) ?? '', /is not PROC_REDIRECT_URL/)
})

test('a 408 is in order once a request has taken longer than the limit, and found before', () => {
  const raw = { shape: 'byte by byte', expected: 1 }
  const after = (tookMs: number): string | null =>
    wrongInNumber(raw, [{ status: 408 }], { tookMs, wasReset: false })
  assert.equal(after(HTTP_LIMITS.headersTimeoutMs), null)
  assert.match(after(HTTP_LIMITS.headersTimeoutMs - 1) ?? '', /1 answers were due, and 408 came/)
})

test('XML that is not well-formed, or holds what XML has no room for, is found', () => {
  const good = answered('value_invalid', 'XML')
  for (const text of ['<', '&', '&nope;', ']]>', '\u0001', '\uffff']) {
    const body = good.body.replace('<REQ_ID>1', `<REQ_ID>1${text}`)
    assert.notEqual(wrongInAnswer({ ...good, body }, 'XML'), null, JSON.stringify(text))
  }
})

test('a PIPES line with a pipe, a pair without a name or a name twice is found', () => {
  assert.equal(readPipes('A=1||B=').size, 2)
  for (const line of ['A=1|', 'A=1||', 'A=1||=x', 'A=1||A=2', 'A=1|||B=2', 'a=1', 'A=x\ry']) {
    assert.throws(() => readPipes(line), Error, line)
  }
})

test('the oracle finds a codec that encodes differently or throws an unexpected error', () => {
  const codec = compileProfile(HOUSE_PROFILE)
  const bytes = codec.encode({ mti: '0800', fields: { 7: '1121142530', 11: '000001', 70: '301' } })
  assert.equal(wrongInDecoding(codec, bytes), null)
  const other = { ...codec, encode: () => Buffer.from('x') }
  assert.match(wrongInDecoding(other, bytes) ?? '', /another way/)
  const broken = {
    ...codec,
    decode: () => {
      throw new RangeError('past the end')
    },
  }
  assert.match(wrongInDecoding(broken, bytes) ?? '', /past the end/)
})

test('values that are made to be right are right by the check of their parameter', () => {
  const chance = createChance(1)
  for (const parameter of PARAMETERS) {
    for (let count = 0; count < 30; count += 1) {
      const value = validValue(parameter, chance)
      assert.equal(checkValue(parameter, value), null, `${parameter.name}: ${value}`)
    }
  }
})

test('one seed makes the same forms again, and another one others', () => {
  const known = { orders: new Map(), customers: [], lines: [] }
  const forms = (seed: number) =>
    JSON.stringify(
      Array.from({ length: 20 }, (_, at) => makeForm(createChance(`${seed}/${at}`), known)),
    )
  assert.equal(forms(1), forms(1))
  assert.notEqual(forms(1), forms(2))
})

test('a failing input is made as small as it can be', async () => {
  const trial = {
    check: async (list: readonly number[]) =>
      list.includes(7) && list.includes(3) ? 'both' : null,
    smaller: shorterLists<number>,
  }
  const found = await smallest(trial, {
    input: Array.from({ length: 50 }, (_, at) => at),
    what: 'both',
  })
  assert.deepEqual(found, { input: [3, 7], what: 'both' })
})

test('a run ends at the first fault and reports its smallest input', async () => {
  let tried = 0
  const run = {
    chance: createChance(1),
    goesOn: () => tried < 10_000,
    count: () => void (tried += 1),
    note: () => undefined,
  }
  const failure = await tryInputs(run, {
    make: (chance) => chance.between(0, 1_000),
    check: async (number) => (number > 900 ? 'too large' : null),
    *smaller(number) {
      yield number - 1
    },
    show: String,
  })
  assert.deepEqual(failure, { what: 'too large', input: '901' })
  assert.ok(tried < 1_000)
})
