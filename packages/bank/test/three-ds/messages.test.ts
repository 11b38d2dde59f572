import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import { MESSAGE_FIELDS } from '../../src/three-ds/answer-fields.ts'
import type { MessageType } from '../../src/three-ds/answer-fields.ts'
import { findDuplicateNames } from '../../src/three-ds/duplicate-names.ts'
import type { Leg } from '../../src/three-ds/field-rule.ts'
import { isCountry, isCurrency, showAmount } from '../../src/three-ds/iso-codes.ts'
import { ProtocolError } from '../../src/three-ds/protocol-error.ts'
import { checkMessage, parseMessage } from '../../src/three-ds/read-message.ts'
import { anAReq } from './scripted-server.ts'
import type { Fields } from './scripted-server.ts'

const IDS = {
  threeDSServerTransID: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
  dsTransID: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
  acsTransID: 'd7c1ee99-9478-44a6-b1f2-391e29c6b340',
}
const VALUE = 'AAABBJkZUQAAAABjRWWZEEFgFz8='

/** A good message of every type. */
const GOOD: Readonly<Record<MessageType, readonly [leg: Leg, message: Fields]>> = {
  AReq: ['to_ds', anAReq({ threeDSServerTransID: IDS.threeDSServerTransID })],
  ARes: [
    'to_server',
    {
      messageType: 'ARes',
      messageVersion: '2.2.0',
      ...IDS,
      dsReferenceNumber: 'SIM_DS_0001',
      acsReferenceNumber: 'SIM_ACS_0001',
      transStatus: 'Y',
      eci: '05',
      authenticationValue: VALUE,
    },
  ],
  CReq: [
    'to_acs',
    {
      messageType: 'CReq',
      messageVersion: '2.2.0',
      threeDSServerTransID: IDS.threeDSServerTransID,
      acsTransID: IDS.acsTransID,
      challengeWindowSize: '03',
    },
  ],
  CRes: [
    'to_server',
    {
      messageType: 'CRes',
      messageVersion: '2.2.0',
      threeDSServerTransID: IDS.threeDSServerTransID,
      acsTransID: IDS.acsTransID,
      challengeCompletionInd: 'Y',
      transStatus: 'Y',
    },
  ],
  Erro: [
    'to_ds',
    {
      messageType: 'Erro',
      messageVersion: '2.2.0',
      errorCode: '203',
      errorComponent: 'S',
      errorDescription: 'Wrong',
      errorDetail: 'eci',
    },
  ],
  PReq: [
    'to_ds',
    {
      messageType: 'PReq',
      messageVersion: '2.2.0',
      threeDSServerTransID: IDS.threeDSServerTransID,
      threeDSServerRefNumber: 'SIM_3DSS_0001',
    },
  ],
  PRes: [
    'to_server',
    {
      messageType: 'PRes',
      messageVersion: '2.2.0',
      threeDSServerTransID: IDS.threeDSServerTransID,
      dsTransID: IDS.dsTransID,
      dsStartProtocolVersion: '2.1.0',
      dsEndProtocolVersion: '2.2.0',
    },
  ],
  RReq: [
    'to_ds',
    {
      messageType: 'RReq',
      messageVersion: '2.2.0',
      ...IDS,
      messageCategory: '01',
      transStatus: 'Y',
      eci: '05',
      authenticationValue: VALUE,
      authenticationType: '02',
      authenticationMethod: '02',
      interactionCounter: '01',
    },
  ],
  RRes: ['to_ds', { messageType: 'RRes', messageVersion: '2.2.0', ...IDS, resultsStatus: '01' }],
}

const TYPES = Object.keys(GOOD) as MessageType[]

/** The refusal of a message: `code detail`; `ok` when it is accepted. */
function verdict(type: MessageType, message: Fields, leg?: Leg): string {
  return verdictOf(type, JSON.stringify(message), leg)
}

function verdictOf(type: MessageType, json: string, leg: Leg = GOOD[type][0]): string {
  try {
    checkMessage(parseMessage(json), json, { type, leg })
    return 'ok'
  } catch (error) {
    if (error instanceof ProtocolError) return `${error.code} ${error.detail}`
    throw error
  }
}

const changed = (type: MessageType, changes: Fields) => ({ ...GOOD[type][1], ...changes })

suite('the tables of the messages', () => {
  test('a valid message of every type is accepted', () => {
    for (const type of TYPES) assert.equal(verdict(type, GOOD[type][1]), 'ok', type)
    const old = anAReq({ messageVersion: '2.1.0' })
    assert.equal(verdict('AReq', old), 'ok')
  })

  test('an element that is required and missing is 201 with its name', () => {
    let seen = 0
    for (const type of TYPES) {
      const [leg, message] = GOOD[type]
      for (const [name, rule] of Object.entries(MESSAGE_FIELDS[type])) {
        if (name === 'messageType') continue
        if (rule.presence({ message, version: '2.2.0', leg }) !== 'required') continue
        // Others may depend on the one that is gone; it is named in any case.
        const found = verdict(type, changed(type, { [name]: undefined }))
        assert.match(found, new RegExp(`^201 (.*,)?${name}(,|$)`), `${type}.${name}`)
        seen += 1
      }
    }
    assert.ok(seen > 70, `${seen}`)
  })

  test('several that are missing are all named', () => {
    const message = changed('AReq', { mcc: undefined, browserTZ: undefined })
    assert.equal(verdict('AReq', message), '201 mcc,browserTZ')
  })

  test('an element of another type than its own is 203, and nothing is made of it', () => {
    let seen = 0
    for (const type of TYPES) {
      const [, message] = GOOD[type]
      for (const [name, value] of Object.entries(message)) {
        if (name === 'messageType' || name === 'messageVersion') continue
        const wrong = [null, 1, [], {}, '']
        if (typeof value === 'string') wrong.push(true as never, Number(value) as never)
        else wrong.push('true', 'false', 0)
        for (const other of wrong) {
          const found = verdict(type, changed(type, { [name]: other }))
          assert.match(
            found,
            new RegExp(`^203 (.*,)?${name}(,|$)`),
            `${type}.${name} ${JSON.stringify(other)}`,
          )
          seen += 1
        }
      }
    }
    assert.ok(seen > 400, `${seen}`)
  })

  test('a text that is too long is 203 with its name, for every element', () => {
    for (const type of TYPES) {
      for (const [name, value] of Object.entries(GOOD[type][1])) {
        if (typeof value !== 'string' || name === 'messageType' || name === 'messageVersion')
          continue
        const found = verdict(type, changed(type, { [name]: `${value}${'1'.repeat(2100)}` }))
        assert.match(found, new RegExp(`^203 (.*,)?${name}(,|$)`), `${type}.${name}`)
      }
    }
  })

  const edges: readonly (readonly [
    type: MessageType,
    name: string,
    good: unknown,
    bad: unknown,
  ])[] = [
    ['AReq', 'acctNumber', '4'.repeat(13), '4'.repeat(12)],
    ['AReq', 'acctNumber', '4'.repeat(19), '4'.repeat(20)],
    ['AReq', 'cardExpiryDate', '2812', '2813'],
    ['AReq', 'cardExpiryDate', '2801', '2800'],
    ['AReq', 'threeDSServerRefNumber', 'x'.repeat(32), 'x'.repeat(33)],
    ['AReq', 'threeDSServerOperatorID', 'x'.repeat(32), 'x'.repeat(33)],
    ['AReq', 'threeDSRequestorID', 'x'.repeat(35), 'x'.repeat(36)],
    ['AReq', 'threeDSRequestorName', 'é'.repeat(40), 'é'.repeat(41)],
    ['AReq', 'merchantName', 'x'.repeat(40), 'x'.repeat(41)],
    ['AReq', 'acquirerBIN', '1'.repeat(11), '1'.repeat(12)],
    ['AReq', 'acquirerMerchantID', 'x'.repeat(35), 'x'.repeat(36)],
    ['AReq', 'purchaseAmount', '9'.repeat(48), '9'.repeat(49)],
    ['AReq', 'purchaseAmount', '0', '-1'],
    ['AReq', 'purchaseAmount', '1000', '10.00'],
    ['AReq', 'purchaseDate', '20240229235959', '20230229235959'],
    ['AReq', 'purchaseDate', '20261121000000', '20261121240000'],
    ['AReq', 'browserAcceptHeader', 'x'.repeat(2048), 'x'.repeat(2049)],
    ['AReq', 'browserUserAgent', 'x'.repeat(2048), 'x'.repeat(2049)],
    ['AReq', 'browserLanguage', 'zh-Hant', 'zh-Hant-TW'],
    ['AReq', 'browserLanguage', 'de', 'de_DE'],
    ['AReq', 'browserColorDepth', '24', '30'],
    ['AReq', 'browserScreenHeight', '999999', '1000000'],
    ['AReq', 'browserTZ', '-720', '+60'],
    ['AReq', 'browserTZ', '0', '1.5'],
    ['AReq', 'browserIP', '203.0.113.7', '203.0.113'],
    ['AReq', 'browserIP', '2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    ['AReq', 'notificationURL', `https://x/${'y'.repeat(246)}`, `https://x/${'y'.repeat(247)}`],
    ['AReq', 'notificationURL', 'http://127.0.0.1:8080/term', 'javascript:alert(1)'],
    ['AReq', 'notificationURL', 'https://x/y', 'https://a:b@x/y'],
    ['AReq', 'notificationURL', 'https://x', '/V2/Cruise/Term'],
    ['AReq', 'threeDSServerURL', 'https://x/3ds', 'http://x/3ds'],
    ['AReq', 'threeDSServerTransID', IDS.dsTransID, 'f25084f05b164c0aae5db24808a95e4b'],
    ['AReq', 'threeDSRequestorAuthenticationInd', '06', '07'],
    ['AReq', 'threeDSRequestorChallengeInd', '09', '10'],
    ['AReq', 'threeDSRequestorChallengeInd', '80', '79'],
    ['AReq', 'threeDSCompInd', 'U', 'X'],
    ['AReq', 'messageCategory', '80', '03'],
    ['AReq', 'deviceChannel', '02', '01'],
    ['AReq', 'transType', '28', '02'],
    ['AReq', 'email', 'a@b', 'a b@c'],
    ['AReq', 'cardholderName', 'Ab', 'A'],
    ['AReq', 'cardholderName', 'x'.repeat(45), '张三'],
    ['AReq', 'billAddrCity', 'x'.repeat(50), 'x'.repeat(51)],
    ['AReq', 'billAddrPostCode', 'x'.repeat(16), 'x'.repeat(17)],
    ['AReq', 'billAddrState', 'BY', 'Bayern'],
    ['AReq', 'addrMatch', 'N', 'n'],
    ['AReq', 'payTokenInd', true, false],
    ['AReq', 'messageExtension', [], Array(11).fill(0)],
    ['ARes', 'eci', '02', '2'],
    ['ARes', 'authenticationValue', VALUE, VALUE.slice(4)],
    ['ARes', 'authenticationValue', VALUE, `${VALUE.slice(0, 27)}A`],
    ['ARes', 'cardholderInfo', 'x'.repeat(128), 'x'.repeat(129)],
    ['CReq', 'challengeWindowSize', '05', '00'],
    ['CRes', 'transStatus', 'N', 'A'],
    ['CRes', 'challengeCompletionInd', 'Y', 'N'],
    ['RReq', 'interactionCounter', '00', '1'],
    ['RReq', 'transStatus', 'Y', 'C'],
    ['RReq', 'challengeCancel', '01', '02'],
    ['RRes', 'resultsStatus', '03', '04'],
    ['PReq', 'serialNum', 'x'.repeat(20), 'x'.repeat(21)],
    ['Erro', 'errorComponent', 'C', 'X'],
  ]
  test('values at the limit are accepted, and those beyond it are 203', () => {
    for (const [type, name, good, bad] of edges) {
      assert.equal(verdict(type, changed(type, { [name]: good })), 'ok', `${name} ${String(good)}`)
      const found = verdict(type, changed(type, { [name]: bad }))
      assert.match(found, new RegExp(`^203 ${name}(,|$)`), `${name} ${String(bad)}`)
    }
  })

  const conditions: readonly (readonly [type: MessageType, changes: Fields, expected: string])[] = [
    ['AReq', { recurringExpiry: '20301231' }, '203 recurringExpiry'],
    ['AReq', { threeDSRequestorAuthenticationInd: '02' }, '201 recurringExpiry,recurringFrequency'],
    [
      'AReq',
      {
        threeDSRequestorAuthenticationInd: '02',
        recurringExpiry: '99991231',
        recurringFrequency: '28',
      },
      'ok',
    ],
    ['AReq', { purchaseInstalData: '3' }, '203 purchaseInstalData'],
    ['AReq', { threeDSRequestorDecMaxTime: '10' }, '203 threeDSRequestorDecMaxTime'],
    ['AReq', { threeDSRequestorDecReqInd: 'Y', threeDSRequestorDecMaxTime: '10080' }, 'ok'],
    [
      'AReq',
      { threeDSRequestorDecReqInd: 'Y', threeDSRequestorDecMaxTime: '10081' },
      '203 threeDSRequestorDecMaxTime',
    ],
    ['AReq', { billAddrState: 'CA', billAddrCountry: undefined }, '201 billAddrCountry'],
    ['AReq', { browserJavaEnabled: undefined }, '201 browserJavaEnabled'],
    ['AReq', { browserJavascriptEnabled: false, browserTZ: undefined }, 'ok'],
    ['AReq', { dsTransID: IDS.dsTransID }, '203 dsTransID'],
    ['AReq', { messageVersion: '2.1.0' }, '203 browserJavascriptEnabled'],
    [
      'AReq',
      {
        messageVersion: '2.1.0',
        browserJavascriptEnabled: undefined,
        threeDSRequestorChallengeInd: '05',
      },
      '203 threeDSRequestorChallengeInd',
    ],
    ['AReq', { messageCategory: '02', mcc: undefined, purchaseDate: undefined }, 'ok'],
    ['AReq', { mobilePhone: { cc: '1' } }, '201 mobilePhone.subscriber'],
    ['AReq', { mobilePhone: { cc: '1234', subscriber: '1' } }, '203 mobilePhone.cc'],
    ['AReq', { purchaseCurrency: '999' }, '304 purchaseCurrency'],
    ['AReq', { purchaseCurrency: '392' }, '304 purchaseExponent'],
    ['AReq', { purchaseExponent: '3' }, '304 purchaseExponent'],
    ['AReq', { merchantCountryCode: '901' }, '304 merchantCountryCode'],
    ['AReq', { merchantCountryCode: '84' }, '203 merchantCountryCode'],
    ['AReq', { billAddrCountry: '999' }, '304 billAddrCountry'],
    ['AReq', { mcc: '0000' }, '306 mcc'],
    ['ARes', { transStatus: 'N' }, '201 transStatusReason'],
    ['ARes', { transStatus: 'A', authenticationValue: undefined }, '201 authenticationValue'],
    ['ARes', { transStatus: 'U', transStatusReason: '22' }, '203 authenticationValue'],
    ['ARes', { transStatusReason: '01' }, '203 transStatusReason'],
    [
      'ARes',
      { transStatus: 'C', authenticationValue: undefined },
      '201 acsURL,acsChallengeMandated,authenticationType',
    ],
    ['ARes', { messageVersion: '2.1.0', transStatus: 'I' }, '203 transStatus'],
    ['RReq', { transStatus: 'N', authenticationValue: undefined }, '201 transStatusReason'],
    ['RReq', { transStatus: 'N', transStatusReason: '19' }, '203 authenticationValue'],
    [
      'RReq',
      { transStatus: 'N', authenticationValue: undefined, transStatusReason: '14' },
      '201 challengeCancel',
    ],
    [
      'RReq',
      {
        messageVersion: '2.1.0',
        transStatus: 'N',
        authenticationValue: undefined,
        transStatusReason: '26',
      },
      '203 transStatusReason',
    ],
  ]
  test('a conditional element is required, allowed or refused by its condition', () => {
    for (const [type, changes, expected] of conditions) {
      assert.equal(verdict(type, changed(type, changes)), expected, JSON.stringify(changes))
    }
  })

  test('elements of one leg are missed on it, and refused on the other', () => {
    const missing = '201 dsReferenceNumber,dsTransID,dsURL'
    assert.equal(verdict('AReq', GOOD.AReq[1], 'to_acs'), missing)
    assert.equal(verdict('RReq', GOOD.RReq[1], 'to_server'), '203 authenticationMethod')
  })

  test('unknown elements are accepted, unless one is a critical extension', () => {
    assert.equal(verdict('AReq', changed('AReq', { somethingNew: { a: 1 } })), 'ok')
    const extension = { name: 'x', id: 'A1', criticalityIndicator: false, data: {} }
    const critical = { ...extension, id: 'A2', criticalityIndicator: true }
    const messageExtension = (items: readonly unknown[]) =>
      verdict('AReq', changed('AReq', { messageExtension: items }))
    assert.equal(messageExtension([extension]), 'ok')
    assert.equal(messageExtension([extension, critical]), '202 A2')
    assert.equal(messageExtension([{ ...extension, id: '' }]), '203 messageExtension')
    assert.equal(messageExtension([{ ...extension, data: 'x' }]), '203 messageExtension')
    assert.equal(messageExtension([null]), '203 messageExtension')
  })

  test('the version is one that is spoken, and does not change', () => {
    const json = (messageVersion: unknown) => JSON.stringify(changed('RRes', { messageVersion }))
    assert.equal(verdictOf('RRes', json('2.3.1')), '102 2.1.0,2.2.0')
    assert.equal(verdictOf('RRes', json('2')), '203 messageVersion')
    assert.equal(verdictOf('RRes', json(2)), '203 messageVersion')
    assert.equal(verdictOf('RRes', json(undefined)), '201 messageVersion')
    for (const version of ['2.1.0', '2.3.1']) {
      const text = json(version)
      const check = () =>
        checkMessage(parseMessage(text), text, { type: 'RRes', leg: 'to_ds', version: '2.2.0' })
      assert.throws(check, { code: '203', detail: 'messageVersion' })
    }
  })

  test('a text that is no JSON object, another message, or nested too deeply is 101', () => {
    for (const json of ['', '{', '[]', 'null', '"AReq"', '1', '{}', '\ufeff{}']) {
      assert.match(verdictOf('AReq', json), /^101 /, json)
    }
    assert.match(verdict('AReq', GOOD.ARes[1]), /^101 /)
    assert.match(verdict('AReq', changed('AReq', { messageType: 'areq' })), /^101 /)
    const deep = '['.repeat(60_000) + ']'.repeat(60_000)
    assert.match(verdictOf('AReq', `{"messageType":"AReq","x":${deep}}`), /^101 /)
  })

  test('a name that comes twice is 204, however deep it is', () => {
    const json = JSON.stringify(GOOD.AReq[1])
    const twice = json
      .replace('{', '{"eci":"05","purchaseAmount":"1",')
      .replace(/}$/, ',"eci":"06"}')
    assert.equal(verdictOf('AReq', twice), '204 purchaseAmount,eci')
    assert.deepEqual(findDuplicateNames('{"a":{"b":1,"\\u0062":2},"c":[{"d":1,"d":2}]}'), [
      'a.b',
      'c.d',
    ])
    assert.deepEqual(findDuplicateNames('{"a":"{\\"a\\":1}","b":["a","a"],"c":{"a":1}}'), [])
  })

  test('a message with any one change is accepted or has a code, and never throws', () => {
    const any = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom('', '0', 'Y', '2.1.0', '01'))
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.nat(), any, (type, index, value) => {
        const names = Object.keys(MESSAGE_FIELDS[type])
        const name = names[index % names.length] ?? ''
        const found = verdict(type, changed(type, { [name]: value }))
        assert.match(found, /^(ok|(101|102|201|202|203|304|306) .+)$/)
      }),
      { numRuns: 3000, seed: 20_260_321 },
    )
  })

  test('texts of any kind are refused or read, and never throw anything else', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '"a"', '1', '__proto__')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.string(), (pieces, text) => {
        for (const json of [pieces.join(''), text]) assert.match(verdictOf('AReq', json), /^\d{3} /)
      }),
      { numRuns: 2000, seed: 20_260_322 },
    )
  })

  test('names that come twice are found in any JSON, as a reader that counts them would', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(findDuplicateNames(JSON.stringify({ a: value })), [])
        const doubled = `{"x":${JSON.stringify(value)},"y":1,"x":2}`
        assert.deepEqual(findDuplicateNames(doubled), ['x'])
      }),
      { numRuns: 500, seed: 20_260_323 },
    )
  })

  test('the ISO tables have the codes in use, and not those left out on purpose', () => {
    const all = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))
    assert.equal(all.filter(isCountry).length, 249)
    assert.ok(['840', '276', '826', '356'].every(isCountry))
    assert.ok(['840', '978', '392', '414'].every(isCurrency))
    assert.ok(!['955', '964', '999', '000'].some(isCurrency))
    assert.equal(showAmount('1000', '840'), '10.00 USD')
    assert.equal(showAmount('1000', '392'), '1000 JPY')
    assert.equal(showAmount('5', '414'), '0.005 KWD')
  })
})
