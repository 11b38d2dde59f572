import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { methodDataViolations, violationsOf } from './schemas/violations.ts'
import { creqOf, openStepUp } from './support/challenge.ts'
import { collect } from './support/collection.ts'
import {
  aresOf,
  rreqOf,
  startRecordingDirectory,
  type Message,
} from './support/recording-directory.ts'
import { carried, formsOf } from './support/scripted-browser.ts'
import { EXPIRY, type Changes } from './support/shop.ts'
import { gist, startRecordedWorld, type RecordedWorld } from './support/world.ts'

const CARD = '4000000000002701'
const OLD_CARD = '4000000000001000'

/** Requests that are unlike each other, and elements that their AReq must have. */
const REQUESTS: readonly (readonly [
  what: string,
  pan: string,
  more: Changes,
  elements: Message,
])[] = [
  [
    'an everyday payment',
    CARD,
    {},
    {
      messageVersion: '2.2.0',
      purchaseAmount: '1000',
      purchaseCurrency: '840',
      purchaseExponent: '2',
      cardExpiryDate: `${EXPIRY.slice(4)}${EXPIRY.slice(0, 2)}`,
      messageCategory: '01',
      deviceChannel: '02',
      threeDSRequestorAuthenticationInd: '01',
      browserJavascriptEnabled: true,
      browserIP: '203.0.113.7',
    },
  ],
  ['a card of 2.1.0', OLD_CARD, {}, { messageVersion: '2.1.0', browserJavaEnabled: false }],
  [
    'yen',
    CARD,
    { REQUEST_CURRENCY: 'JPY', LI_VALUE_1: '1000' },
    { purchaseAmount: '1000', purchaseCurrency: '392', purchaseExponent: '0' },
  ],
  [
    'dinars of three decimals',
    CARD,
    { REQUEST_CURRENCY: 'KWD', LI_VALUE_1: '10.125' },
    { purchaseAmount: '10125', purchaseCurrency: '414', purchaseExponent: '3' },
  ],
  [
    'several lines',
    CARD,
    { LI_VALUE_1: '10.00', LI_COUNT_1: '2', LI_VALUE_2: '0.01' },
    { purchaseAmount: '1001' },
  ],
  ['a card check', CARD, { LI_VALUE_1: '0.00' }, { messageCategory: '02', purchaseAmount: '0' }],
  [
    'no screen and no time zone',
    CARD,
    {
      P3DS_SCREEN_HEIGHT: null,
      P3DS_SCREEN_WIDTH: null,
      P3DS_BROWSER_COLOR_DEPTH: null,
      P3DS_BROWSER_TIME_ZONE: null,
      P3DS_JAVA_ENABLED: null,
      P3DS_JAVASCRIPT_ENABLED: null,
    },
    { browserJavascriptEnabled: false },
  ],
  [
    'ten million colours and two bits more',
    CARD,
    { P3DS_BROWSER_COLOR_DEPTH: '30' },
    { browserColorDepth: '24' },
  ],
  [
    'a language of many parts',
    CARD,
    { P3DS_BROWSER_LANGUAGE: 'zh-Hant-TW' },
    { browserLanguage: 'zh-Hant' },
  ],
  [
    'headers without end',
    CARD,
    { USER_AGENT_XTL: 'x'.repeat(2500), P3DS_BROWSER_HEADER: 'y'.repeat(2500) },
    { browserUserAgent: 'x'.repeat(2048), browserAcceptHeader: 'y'.repeat(2048) },
  ],
  [
    'an address of IPv6',
    CARD,
    { XTL_IP: '2001:db8::7' },
    { browserIP: '2001:0db8:0000:0000:0000:0000:0000:0007' },
  ],
  [
    'a whole customer',
    CARD,
    {
      CUST_FNAME: 'Renée',
      CUST_LNAME: 'Müller',
      CUST_EMAIL: 'renee@shop.example',
      CUST_PHONE: '+41441234567',
      BILL_ADDR: '1 Main Street',
      BILL_ADDR_CITY: 'Zürich',
      BILL_ADDR_STATE: 'ZH',
      BILL_ADDR_ZIP: '8001',
      BILL_ADDR_COUNTRY: 'CH',
    },
    { email: 'renee@shop.example', billAddrCountry: '756' },
  ],
  ['a name in letters that no card has', CARD, { CUST_FNAME: '王', CUST_LNAME: '小明' }, {}],
  ['a state of no country', CARD, { BILL_ADDR_STATE: 'IL' }, {}],
  [
    'the first of a subscription',
    CARD,
    { REQUEST_REBILL: '2' },
    {
      threeDSRequestorAuthenticationInd: '02',
      recurringExpiry: '99991231',
      recurringFrequency: '1',
    },
  ],
]

suite('messages that the 3DS Server writes', () => {
  let world: RecordedWorld
  before(async () => {
    world = await startRecordedWorld(await startRecordingDirectory())
  })
  after(() => world?.stop())

  for (const [what, pan, more, elements] of REQUESTS) {
    test(`an AReq for ${what} is as the schema of its version wants it`, async () => {
      const before = world.directory.questions().length
      const { answer } = await world.shop().enrol(pan, more)
      const asked = world.directory.questions().slice(before)
      assert.equal(asked.length, 1, JSON.stringify(answer))
      const [areq = {}] = asked
      assert.deepEqual(violationsOf(areq, false), [])
      assert.equal(areq['acctNumber'], pan)
      for (const [name, value] of Object.entries(elements))
        assert.deepEqual(areq[name], value, name)
    })
  }

  test('a browser that cannot be described in 2.1.0 is not asked about, and not authenticated', async () => {
    const before = world.directory.questions().length
    const none = {
      P3DS_SCREEN_HEIGHT: null,
      P3DS_SCREEN_WIDTH: null,
      P3DS_BROWSER_COLOR_DEPTH: null,
      P3DS_BROWSER_TIME_ZONE: null,
      P3DS_JAVA_ENABLED: null,
      P3DS_JAVASCRIPT_ENABLED: null,
    }
    const { answer } = await world.shop().enrol(OLD_CARD, none)
    assert.equal(gist(answer), 'APPROVED U 07')
    assert.equal(world.directory.questions().length, before)
  })

  test("data that the page collected completes the shop's data, with the sign of the time zone", async () => {
    const shop = world.shop()
    const prepared = await shop.prepare(CARD)
    await collect(world, prepared, { method: false })
    const none = {
      P3DS_SCREEN_HEIGHT: null,
      P3DS_SCREEN_WIDTH: null,
      P3DS_BROWSER_COLOR_DEPTH: null,
      P3DS_BROWSER_TIME_ZONE: '60',
      P3DS_JAVA_ENABLED: null,
    }
    await shop.enrol(CARD, { DDC_REFERENCEID: prepared['DDC_REFERENCEID'] ?? '', ...none })
    const areq = world.directory.questions().at(-1) ?? {}
    assert.deepEqual(violationsOf(areq, false), [])
    assert.equal(areq['browserScreenWidth'], '1600')
    assert.equal(areq['browserColorDepth'], '24')
    assert.equal(areq['browserTZ'], '-60')
  })

  test("the data for the 3DS Method are as the schema wants them, and of the session's own id", async () => {
    const shop = world.shop()
    const prepared = await shop.prepare(CARD)
    const page = await collect(world, prepared, { method: false })
    const form = formsOf(page).find(({ fields }) => 'threeDSMethodData' in fields)
    const data = form?.fields['threeDSMethodData'] ?? ''
    assert.match(data, /^[A-Za-z0-9_-]+$/)
    assert.deepEqual(methodDataViolations(carried(data)), [])
    await shop.enrol(CARD, { DDC_REFERENCEID: prepared['DDC_REFERENCEID'] ?? '' })
    assert.equal(
      world.directory.questions().at(-1)?.['threeDSServerTransID'],
      carried(data)['threeDSServerTransID'],
    )
  })

  for (const size of ['01', '02', '03', '04', '05']) {
    test(`a CReq for a window of size ${size} is as the schema wants it, with session data of at most 1024`, async () => {
      world.directory.answerWith((areq) => aresOf(areq, 'C', { acsURL: world.directory.acsUrl }))
      const { answer } = await world.shop().enrol(CARD, { P3DS_CHALLENGE_WINDOW: size })
      world.directory.answerWith((areq) => aresOf(areq, 'Y'))
      const { fields, url } = creqOf(await openStepUp(world, answer))
      assert.equal(url, world.directory.acsUrl)
      assert.match(fields['creq'] ?? '', /^[A-Za-z0-9_-]+$/)
      const creq = carried(fields['creq'] ?? '')
      assert.deepEqual(violationsOf(creq, false), [])
      assert.equal(creq['challengeWindowSize'], size)
      assert.ok((fields['threeDSSessionData'] ?? '').length <= 1024)
    })
  }

  test('an RRes and the Erro for what is wrong with an RReq are as the schemas want them', async () => {
    let ares: Message = {}
    world.directory.answerWith(
      (areq) => (ares = aresOf(areq, 'C', { acsURL: world.directory.acsUrl })),
    )
    await world.shop().enrol(CARD)
    world.directory.answerWith((areq) => aresOf(areq, 'Y'))
    const answers: Message[] = []
    const good = rreqOf(ares, 'Y')
    const bodies = [
      { ...good, transStatus: 'C' },
      { ...good, transStatus: 7 },
      rreqOf(ares, 'Y', { authenticationValue: 'AAAA' }),
      { ...good, messageVersion: '2.1.0' },
      { ...good, messageVersion: '9.9.9' },
      { ...good, acsTransID: crypto.randomUUID() },
      { ...good, threeDSServerTransID: crypto.randomUUID() },
      { ...good, messageType: 'CReq' },
      JSON.stringify(good).replace('"transStatus":"Y"', '"transStatus":"N","transStatus":"Y"'),
      'no JSON at all',
      good,
    ]
    for (const body of bodies) {
      const { status, message } = await world.directory.sendResult(world.resultsUrl(), body)
      assert.equal(status, 200, JSON.stringify(body))
      answers.push(message)
    }
    assert.deepEqual(
      answers.flatMap((message) => violationsOf(message, false)),
      [],
    )
    assert.deepEqual(
      answers.map(({ errorCode, resultsStatus }) => errorCode ?? `RRes ${String(resultsStatus)}`),
      ['203', '203', '203', '203', '102', '301', '301', '101', '204', '101', 'RRes 01'],
    )
    assert.doesNotMatch(JSON.stringify(answers), new RegExp(CARD))
  })

  test('a PReq continues from the last serial number, and starts again where that is refused', async () => {
    const preqs = world.directory.received.filter(
      ({ message }) => message['messageType'] === 'PReq',
    )
    assert.deepEqual(
      preqs.flatMap(({ message }) => violationsOf(message, false)),
      [],
    )
    assert.equal(preqs[0]?.message['serialNum'], undefined)
  })

  test('everything is posted as JSON in UTF-8, and only messages are sent to a Directory Server', () => {
    for (const { headers, message } of world.directory.received) {
      assert.match(headers['content-type'] ?? '', /^application\/json; ?charset=utf-8$/i)
      assert.match(String(message['messageType']), /^(?:AReq|PReq|Erro)$/)
    }
  })

  test('every message that a Directory Server got in all this is as the schemas want it', () => {
    const violations = world.directory.received.flatMap(({ message }) =>
      violationsOf(message, false),
    )
    assert.deepEqual([...new Set(violations)], [])
    assert.ok(world.directory.received.length > REQUESTS.length)
  })
})
