import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openCertificates } from '../../packages/bank/src/three-ds/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { untilRow } from '../support/payments.ts'
import { fc } from '../support/properties.ts'
import { bankRequests } from './support/bank-requests.ts'
import {
  aresOf,
  rangesOf,
  rreqOf,
  startRecordingDirectory,
  type Message,
  type Reply,
} from './support/recording-directory.ts'
import { openScriptedBrowser } from './support/scripted-browser.ts'
import { gist, startRecordedWorld, type RecordedWorld } from './support/world.ts'

const CARD = '4000000000002503'
const IS_REFUSED = /ECONNRESET|EPIPE|EPROTO|ECONNREFUSED|CERTIFICATE|socket hang up|SSL|TLS|closed/i

suite('a Directory Server, or a server that claims to be one', () => {
  let world: RecordedWorld
  before(async () => {
    world = await startRecordedWorld(await startRecordingDirectory())
  })
  after(() => world?.stop())
  const ask = () => world.shop().enrol(CARD)

  /** One enrolment whose AReq is answered with this. */
  async function answered(
    reply: (areq: Message) => Reply,
  ): Promise<{ readonly gist: string; readonly sent: number; readonly erros: readonly unknown[] }> {
    const before = world.directory.received.length
    const sent = bankRequests(world.tap).length
    world.directory.answerWith(reply)
    const { answer } = await ask()
    world.directory.answerWith((areq) => aresOf(areq, 'Y'))
    const erros = world.directory.received
      .slice(before)
      .filter(({ message }) => message['messageType'] === 'Erro')
    return {
      gist: gist(answer),
      sent: bankRequests(world.tap).length - sent,
      erros: erros.map(({ message }) => message['errorCode']),
    }
  }
  /** A pending payment and the ARes that made it so. */
  async function challenged(): Promise<{
    readonly ares: Message
    readonly enrolled: Awaited<ReturnType<typeof ask>>
  }> {
    let ares: Message = {}
    world.directory.answerWith(
      (areq) => (ares = aresOf(areq, 'C', { acsURL: world.directory.acsUrl })),
    )
    const enrolled = await ask()
    world.directory.answerWith((areq) => aresOf(areq, 'Y'))
    assert.equal(gist(enrolled.answer), 'PENDING C -')
    return { ares, enrolled }
  }
  const tell = (body: Message | string, options = {}) =>
    world.directory.sendResult(world.resultsUrl(), body, options)
  const finish = async (enrolled: Awaited<ReturnType<typeof ask>>) =>
    gist(await world.shop().finish(enrolled))

  const SENDERS = ['nobody', 'a anonymous', 'the gateway itself', 'the ACS'] as const
  for (const sender of SENDERS) {
    test(`T2: a result from ${sender} is not taken, with any content`, async () => {
      const { ares, enrolled } = await challenged()
      const {
        acs,
        ca,
        ds,
        'acs-client': acsClient,
        'gateway-client': own,
      } = world.directory.certificates
      assert.ok(acs.cert !== ds.cert)
      const folder = mkdtempSync(join(tmpdir(), 'tollgate-anonymous-'))
      const strange = await openCertificates(folder, Date.now(), ['localhost'])
      rmSync(folder, { recursive: true })
      const credential = {
        nobody: {},
        'a anonymous': strange['ds-client'],
        'the gateway itself': own,
        'the ACS': acsClient,
      }[sender]
      const nothing = { cert: undefined, key: undefined }
      const reply = tell(rreqOf(ares, 'Y'), { ca, ...nothing, ...credential })
      const outcome = await reply.then(
        ({ message, status }) =>
          `${status} ${String(message['messageType'])} ${String(message['errorCode'])}`,
        (error: unknown) => String(error),
      )
      assert.ok(IS_REFUSED.test(outcome) || /^(?:4\d\d|200 Erro 303)/.test(outcome), outcome)
      assert.match(await finish(enrolled), /^DECLINED U /)
    })
  }

  test('T2: a result without TLS is not taken', async () => {
    await challenged()
    const { port } = new URL(world.resultsUrl())
    const answer = await fetch(`http://127.0.0.1:${port}/3ds/results`, {
      method: 'POST',
      body: '{}',
    }).then(
      (got) => got.status,
      (error: unknown) => String(error),
    )
    assert.ok(typeof answer === 'string' || answer >= 400, String(answer))
  })

  for (const id of ['threeDSServerTransID', 'dsTransID', 'acsTransID']) {
    test(`T2: a result with another ${id} is Erro 301, and the right one counts afterwards`, async () => {
      const { ares, enrolled } = await challenged()
      const wrong = await tell(rreqOf(ares, 'Y', { [id]: randomUUID() }))
      assert.equal(wrong.message['errorCode'], '301')
      assert.equal((await tell(rreqOf(ares, 'Y'))).message['resultsStatus'], '01')
      assert.match(await finish(enrolled), /^DECLINED|^APPROVED Y/)
    })
  }

  test('T2: a result for a payment that was never challenged is Erro 301', async () => {
    let ares: Message = {}
    await answered((areq) => (ares = aresOf(areq, 'Y')))
    assert.equal((await tell(rreqOf(ares, 'N'))).message['errorCode'], '301')
  })

  test('T8: the highest version that all speak is asked for, and a lower one is not taken for an answer', async () => {
    const lower = await answered((areq) => aresOf({ ...areq, messageVersion: '2.1.0' }, 'Y'))
    assert.equal(world.directory.questions().at(-1)?.['messageVersion'], '2.2.0')
    assert.equal(lower.gist, 'APPROVED U 07')
    assert.deepEqual(lower.erros, ['203'])
  })

  const ADDRESSES = [
    'javascript:alert(1)',
    'http://localhost/creq',
    'https://me:secret@localhost/creq',
    'data:text/html,x',
    '/creq',
    'https://',
    `https://localhost/${'x'.repeat(2050)}`,
    'https://evil.example/creq',
  ]
  for (const acsURL of ADDRESSES) {
    test(`T10: no cardholder is sent to an issuer at ${acsURL.slice(0, 40)}`, async () => {
      const result = await answered((areq) => aresOf(areq, 'C', { acsURL }))
      assert.equal(result.gist, 'APPROVED U 07')
    })
  }

  test('T11: what an issuer says to the cardholder is data in the answer, and on no page', async () => {
    const cardholderInfo = '</script><script>alert(1)</script>'
    world.directory.answerWith((areq) => aresOf(areq, 'N', { cardholderInfo }))
    const { answer } = await ask()
    world.directory.answerWith((areq) => aresOf(areq, 'Y'))
    assert.equal(gist(answer), 'DECLINED N 07')
    assert.equal(answer['P3DS_CARDHOLDER_INFO'], cardholderInfo)
  })

  test('T18: the same result twice gets the same RRes, and a contradiction Erro 301', async () => {
    const { ares, enrolled } = await challenged()
    const first = await tell(rreqOf(ares, 'Y'))
    const second = await tell(rreqOf(ares, 'Y'))
    assert.deepEqual(second.message, first.message)
    for (const other of [rreqOf(ares, 'N'), rreqOf(ares, 'Y', { eci: '06' }), rreqOf(ares, 'A')]) {
      assert.equal((await tell(other)).message['messageType'], 'Erro')
    }
    // The value is not the simulator's, so that the bank declines; but it was Y that was used.
    assert.match(await finish(enrolled), /^(?:DECLINED|APPROVED) Y 05$/)
  })

  test('T18: a result after the payment was decided changes nothing', async () => {
    const { ares, enrolled } = await challenged()
    await tell(rreqOf(ares, 'N'))
    assert.equal(await finish(enrolled), 'DECLINED N 07')
    assert.equal((await tell(rreqOf(ares, 'Y'))).message['errorCode'], '301')
    assert.match(await finish(enrolled), /^DECLINED N /)
  })

  test('T18: no two AReqs have one threeDSServerTransID', async () => {
    await Promise.all(Array.from({ length: 10 }, ask))
    const ids = world.directory.questions().map(({ threeDSServerTransID }) => threeDSServerTransID)
    assert.equal(new Set(ids).size, ids.length)
  })

  const good = (areq: Message) => JSON.stringify(aresOf(areq, 'Y'))
  const TRICKS: readonly (readonly [what: string, reply: (areq: Message) => Reply])[] = [
    [
      'an element twice',
      (areq) => good(areq).replace('"transStatus"', '"transStatus":"N","transStatus"'),
    ],
    [
      'an element twice, once escaped',
      (areq) => good(areq).replace('"transStatus"', '"trans\\u0053tatus":"N","transStatus"'),
    ],
    ['ten megabytes', (areq) => `${good(areq).slice(0, -1)},"x":"${'x'.repeat(10_000_000)}"}`],
    [
      'brackets without end',
      (areq) => `${good(areq).slice(0, -1)},"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
    ],
    ['numbers for texts', (areq) => JSON.stringify({ ...aresOf(areq, 'Y'), eci: 5 })],
    ['a list for a text', (areq) => JSON.stringify({ ...aresOf(areq, 'Y'), transStatus: ['Y'] })],
    ['a list', () => '[]'],
    ['a text', () => '"Y"'],
    ['null', () => 'null'],
    ['nothing', () => ''],
    ['half of it', (areq) => good(areq).slice(0, 100)],
    ['two of them', (areq) => good(areq) + good(areq)],
    [
      'bytes that are no UTF-8',
      (areq) => (response) =>
        void response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(
            Buffer.concat([
              Buffer.from(good(areq).slice(0, -1)),
              Buffer.from(',"x":"'),
              Buffer.from([0xff, 0xfe]),
              Buffer.from('"}'),
            ]),
          ),
    ],
    [
      'a page',
      () => (response) =>
        void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Maintenance</h1>'),
    ],
    [
      'a redirect',
      () => (response) => void response.writeHead(302, { Location: 'https://evil.example/' }).end(),
    ],
    [
      'a body that is cut off',
      (areq) => (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100000' })
        response.write(good(areq))
        setImmediate(() => response.destroy())
      },
    ],
    [
      'an extension that is critical and unknown',
      (areq) =>
        aresOf(areq, 'Y', {
          messageExtension: [{ name: 'x', id: 'x', criticalityIndicator: true, data: { x: '1' } }],
        }),
    ],
    [
      'a value with a status that has none',
      (areq) => aresOf(areq, 'U', { authenticationValue: 'x'.repeat(28) }),
    ],
    ['a status of its own', (areq) => aresOf(areq, 'Y', { transStatus: 'X' })],
    ['an id of our own making', (areq) => aresOf(areq, 'Y', { dsTransID: 'x' })],
  ]
  for (const [what, reply] of TRICKS) {
    test(`T20: ${what} in place of an ARes is no authentication, and no fault of ours`, async () => {
      const faults =
        world.gateway.logged().match(/failed with an internal error|unhandled/gi)?.length ?? 0
      const result = await answered(reply)
      assert.equal(result.gist, 'APPROVED U 07')
      assert.equal(result.sent, 1)
      assert.equal(
        world.gateway.logged().match(/failed with an internal error|unhandled/gi)?.length ?? 0,
        faults,
      )
    })
  }

  test('T20: __proto__ in an ARes is an element like any other unknown one', async () => {
    const result = await answered(
      (areq) =>
        `${good(areq).slice(0, -1)},"__proto__":{"transStatus":"N"},"constructor":{"prototype":{"x":1}}}`,
    )
    assert.match(result.gist, /^(?:APPROVED|DECLINED) (?:Y 05|U 07)$/)
    assert.equal(({} as Record<string, unknown>)['x'], undefined)
  })

  const BODIES: readonly (readonly [what: string, body: (rreq: string) => string])[] = [
    [
      'an element twice',
      (rreq) => rreq.replace('"transStatus"', '"transStatus":"N","transStatus"'),
    ],
    [
      'brackets without end',
      (rreq) => `${rreq.slice(0, -1)},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
    ],
    [
      'numbers for texts',
      (rreq) => rreq.replace('"interactionCounter":"01"', '"interactionCounter":1'),
    ],
    ['a megabyte', (rreq) => `${rreq.slice(0, -1)},"x":"${'x'.repeat(1_000_000)}"}`],
    ['a list', () => '[]'],
    ['nothing', () => ''],
    ['null', () => 'null'],
    ['half of it', (rreq) => rreq.slice(0, 100)],
    ['a form', () => 'transStatus=Y'],
  ]
  for (const [what, body] of BODIES) {
    test(`T20: ${what} in place of an RReq is answered with an Erro or refused, and the right one counts afterwards`, async () => {
      const { ares, enrolled } = await challenged()
      const outcome = await tell(body(JSON.stringify(rreqOf(ares, 'N')))).then(
        ({ message, status }) =>
          status === 200 ? `Erro ${String(message['errorCode'])}` : `HTTP ${status}`,
        (error: unknown) => String(error),
      )
      assert.ok(
        /^Erro (?:101|201|203|204)$|^HTTP 4\d\d$/.test(outcome) || IS_REFUSED.test(outcome),
        outcome,
      )
      assert.equal((await tell(rreqOf(ares, 'N'))).message['resultsStatus'], '01')
      assert.equal(await finish(enrolled), 'DECLINED N 07')
    })
  }

  test('T20: any bytes in place of an RReq are answered as nonsense, and the right one counts afterwards', async () => {
    const { ares, enrolled } = await challenged()
    const good = JSON.stringify(rreqOf(ares, 'Y'))
    const cut = fc.nat(good.length).map((at) => good.slice(0, at))
    const put = fc
      .tuple(fc.nat(good.length), fc.string({ unit: 'binary', maxLength: 20 }))
      .map(([at, text]) => good.slice(0, at) + text + good.slice(at))
    const replaced = fc
      .tuple(fc.constantFrom(...Object.keys(rreqOf(ares, 'Y'))), fc.jsonValue())
      .map(([name, value]) => JSON.stringify({ ...rreqOf(ares, 'Y'), [name]: value }))
    const anything = fc.oneof(cut, put, replaced, fc.string({ unit: 'binary' }), fc.json())
    let isTold = false
    await fc.assert(
      fc.asyncProperty(anything, async (body) => {
        const { message, status } = await tell(body)
        assert.ok(status === 200 || (status >= 400 && status < 500), `HTTP ${status}`)
        // An insertion may hit where blanks are allowed, or an element that does not matter.
        if (message['messageType'] === 'RRes') isTold = true
        else if (status === 200) assert.equal(message['messageType'], 'Erro')
        assert.ok(text(message).length < 5_000)
      }),
      { seed: 414, numRuns: 100 },
    )
    const last = await tell(rreqOf(ares, 'Y'))
    assert.ok(isTold || last.message['resultsStatus'] === '01')
    assert.match(await finish(enrolled), /^APPROVED Y 05$/)
  })
  const text = (message: Message): string => JSON.stringify(message)

  test('T21: no Erro that was sent holds a card number, a value or the name of a file', () => {
    const texts = world.directory.received
      .filter(({ message }) => message['messageType'] === 'Erro')
      .map(({ text }) => text)
    assert.ok(texts.length > 5)
    for (const text of texts)
      assert.doesNotMatch(text, /40000000000025|authenticationValue":|\.ts\b|node:|\bat /)
  })
})

suite('a Directory Server of another authority', () => {
  test('T19: is sent nothing, and authenticates no card', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-certificates-'))
    const { ds } = await openCertificates(folder, Date.now(), ['localhost'])
    rmSync(folder, { recursive: true })
    const directory = await startRecordingDirectory({ tls: ds })
    const world = await startRecordedWorld(directory, { waits: false })
    try {
      const { answer } = await world.shop().enrol(CARD)
      assert.equal(gist(answer), 'APPROVED U 07')
      assert.deepEqual(directory.received, [])
    } finally {
      await world.stop()
    }
  })
})

suite('a Directory Server that lists what it should not', () => {
  test('T10: a method address that is no address of an issuer is never opened', async () => {
    const directory = await startRecordingDirectory()
    directory.listWith((preq) => ({
      messageType: 'PRes',
      messageVersion: preq['messageVersion'],
      threeDSServerTransID: preq['threeDSServerTransID'],
      dsTransID: randomUUID(),
      serialNum: '1',
      dsStartProtocolVersion: '2.1.0',
      dsEndProtocolVersion: '2.2.0',
      cardRangeData: rangesOf('javascript:alert(1)'),
    }))
    const world = await startRecordedWorld(directory, { waits: false })
    try {
      const prepared = await world.shop().prepare(CARD)
      const browser = openScriptedBrowser(directory.certificates.ca)
      const page = await browser.post(prepared['DDC_URL'] ?? '', { JWT: prepared['JWT'] ?? '' })
      assert.doesNotMatch(page.text + JSON.stringify(page.headers), /javascript:/)
    } finally {
      await world.stop()
    }
  })

  test('T8: without a list of card ranges no card is authenticated, and the operator is notified', async () => {
    const directory = await startRecordingDirectory()
    directory.listWith(() => 'no JSON')
    const world = await startRecordedWorld(directory, { waits: false })
    try {
      const { answer } = await world.shop().enrol(CARD)
      assert.equal(gist(answer), 'APPROVED U 07')
      assert.deepEqual(directory.questions(), [])
      await eventually('the log warns of the card ranges', () =>
        /"level":(?:40|50)[^\n]*(?:card range|PRes|ranges)/i.test(world.gateway.logged()),
      )
      await untilRow(
        world.gateway,
        'the payment is there',
        `select 1 from transactions where id = $1`,
        [answer['TRANS_ID']],
      )
    } finally {
      await world.stop()
    }
  })
})
