import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { decodeText, parseObject } from '../../../src/adapters/three-ds-server/json-text.ts'
import type { MessageType } from '../../../src/adapters/three-ds-server/message-tables.ts'
import {
  ProtocolFault,
  type Message,
} from '../../../src/adapters/three-ds-server/protocol-fault.ts'
import { readMessage, type Expected } from '../../../src/adapters/three-ds-server/read-message.ts'

const IDS = {
  threeDSServerTransID: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
  dsTransID: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
  acsTransID: 'd7c1ee99-9478-44a6-b1f2-391e29c6b340',
}
const CAVV = 'AAABBJkZUQAAAABjRWWZEEFgFz8='
const ARES_HEAD = {
  messageType: 'ARes',
  messageVersion: '2.2.0',
  ...IDS,
  dsReferenceNumber: 'DS_1',
  acsReferenceNumber: 'ACS_1',
}
const ARES_Y = {
  ...ARES_HEAD,
  acsOperatorID: 'OP',
  transStatus: 'Y',
  eci: '05',
  authenticationValue: CAVV,
}
const ARES_C = {
  ...ARES_HEAD,
  transStatus: 'C',
  acsURL: 'https://acs.example/creq',
  acsChallengeMandated: 'Y',
  authenticationType: '02',
  cardholderInfo: 'Call your bank.',
  whiteListStatus: 'Y',
  whiteListStatusSource: '01',
}
const ARES_N = { ...ARES_HEAD, transStatus: 'N', transStatusReason: '01' }
const RREQ_Y = {
  messageType: 'RReq',
  messageVersion: '2.2.0',
  ...IDS,
  messageCategory: '01',
  transStatus: 'Y',
  eci: '05',
  authenticationValue: CAVV,
  authenticationType: '02',
  interactionCounter: '01',
}
const RREQ_N = {
  ...RREQ_Y,
  transStatus: 'N',
  transStatusReason: '14',
  challengeCancel: '04',
  authenticationValue: undefined,
  eci: undefined,
}
const RANGE = {
  startRange: '4000000000002000',
  endRange: '4000000000002999',
  actionInd: 'A',
  acsStartProtocolVersion: '2.1.0',
  acsEndProtocolVersion: '2.2.0',
  threeDSMethodURL: 'https://acs.example/method',
  acsInfoInd: ['01', '02'],
}
const PRES = {
  messageType: 'PRes',
  messageVersion: '2.2.0',
  threeDSServerTransID: IDS.threeDSServerTransID,
  dsTransID: IDS.dsTransID,
  serialNum: '1',
  dsStartProtocolVersion: '2.1.0',
  dsEndProtocolVersion: '2.2.0',
  cardRangeData: [RANGE],
}
const ERRO = {
  messageType: 'Erro',
  messageVersion: '2.2.0',
  ...IDS,
  errorCode: '203',
  errorComponent: 'D',
  errorDescription: 'Wrong',
  errorDetail: 'purchaseExponent',
  errorMessageType: 'AReq',
}
const CRES = {
  messageType: 'CRes',
  messageVersion: '2.2.0',
  threeDSServerTransID: IDS.threeDSServerTransID,
  acsTransID: IDS.acsTransID,
  challengeCompletionInd: 'Y',
  transStatus: 'Y',
}
const VALID: Readonly<Record<string, Message>> = {
  ARES_Y,
  ARES_C,
  ARES_N,
  RREQ_Y,
  RREQ_N,
  PRES,
  ERRO,
  CRES,
}

/** `code names` of what a text is refused for; the elements that were read where it is not. */
function read(json: string, expected: Partial<Expected> = {}): string | Message {
  try {
    const message = parseObject(json)
    const type = (expected.type ?? message['messageType']) as MessageType
    return readMessage(message, json, { type, ...expected }).elements
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error
    return `${error.code} ${error.detail}`
  }
}

const changed = (base: Message, name: string, value: unknown): string =>
  JSON.stringify({ ...base, [name]: value })

describe('a message that is right', () => {
  for (const [name, message] of Object.entries(VALID)) {
    test(`${name} is read as it is`, () => {
      assert.deepEqual(read(JSON.stringify(message)), JSON.parse(JSON.stringify(message)))
    })
  }
  test('unknown elements are ignored, and so are those of a later version', () => {
    const elements = read(
      JSON.stringify({
        ...ARES_Y,
        sdkTransID: 7,
        x: null,
        messageVersion: '2.1.0',
        acsDecConInd: 9,
      }),
    )
    assert.deepEqual(elements, { ...ARES_Y, messageVersion: '2.1.0' })
  })
  test('__proto__ in a message changes nothing', () => {
    const json = JSON.stringify(ARES_Y).replace(
      '{',
      '{"__proto__":{"transStatus":"N","toString":1},',
    )
    assert.deepEqual(read(json), ARES_Y)
    const none = JSON.stringify({ ...ARES_Y, transStatus: undefined }).replace(
      '{',
      '{"__proto__":{"transStatus":"Y"},',
    )
    assert.equal(read(none), '201 transStatus')
  })
})

/** Required elements, by message. */
const REQUIRED: readonly [keyof typeof VALID, string][] = [
  [
    'ARES_Y',
    'messageVersion threeDSServerTransID dsTransID acsTransID dsReferenceNumber acsReferenceNumber transStatus authenticationValue',
  ],
  ['ARES_C', 'acsURL acsChallengeMandated authenticationType'],
  ['ARES_N', 'transStatusReason'],
  [
    'RREQ_Y',
    'messageVersion threeDSServerTransID dsTransID acsTransID messageCategory transStatus authenticationValue authenticationType interactionCounter',
  ],
  ['RREQ_N', 'transStatusReason authenticationType challengeCancel'],
  ['PRES', 'messageVersion threeDSServerTransID dsTransID dsStartProtocolVersion'],
  ['ERRO', 'messageVersion errorCode errorComponent errorDescription errorDetail'],
  ['CRES', 'messageVersion threeDSServerTransID acsTransID challengeCompletionInd transStatus'],
]

describe('a missing element is 201 with its name', () => {
  for (const [name, fields] of REQUIRED) {
    for (const field of fields.split(' ')) {
      test(`${name} without ${field}`, () => {
        assert.equal(read(changed(VALID[name] ?? {}, field, undefined)), `201 ${field}`)
      })
    }
  }
  for (const field of [
    'startRange',
    'endRange',
    'acsStartProtocolVersion',
    'acsEndProtocolVersion',
  ]) {
    test(`a card range without ${field}`, () => {
      const json = changed(PRES, 'cardRangeData', [RANGE, { ...RANGE, [field]: undefined }])
      assert.equal(read(json), `201 cardRangeData.${field}`)
    })
  }
  test('all missing elements are named at once', () => {
    const { dsTransID: _ds, acsTransID: _acs, ...rest } = RREQ_Y
    assert.equal(read(JSON.stringify(rest)), '201 dsTransID,acsTransID')
  })
})

const LONG = (length: number): string => 'x'.repeat(length)
const HTTPS = (length: number): string => `https://acs.example/${'x'.repeat(length - 20)}`

/**
 * Values that are refused, by message and element: too short, too long, another form, no such
 * value.
 */
const WRONG: readonly [keyof typeof VALID, string, readonly unknown[]][] = [
  [
    'ARES_Y',
    'threeDSServerTransID',
    ['', 'x', IDS.dsTransID.slice(1), `${IDS.dsTransID}0`, LONG(36)],
  ],
  ['ARES_Y', 'dsTransID', ['', LONG(36), `{${IDS.dsTransID.slice(2)}}`]],
  ['ARES_Y', 'acsTransID', ['', LONG(36)]],
  ['ARES_Y', 'dsReferenceNumber', ['', LONG(33)]],
  ['ARES_Y', 'acsReferenceNumber', ['', LONG(33)]],
  ['ARES_Y', 'acsOperatorID', ['', LONG(33)]],
  ['ARES_Y', 'eci', ['', '5', '005', 'ab']],
  [
    'ARES_Y',
    'authenticationValue',
    ['', CAVV.slice(1), `${CAVV}=`, CAVV.replace('8=', '9='), LONG(28), CAVV.replace('F', '_')],
  ],
  [
    'ARES_C',
    'acsURL',
    [
      '',
      'acs.example',
      'http://acs.example/',
      'javascript:alert(1)',
      'https://user@acs.example/',
      'https://:pw@acs.example/',
      'https:\\\\acs.example',
      'https://acs.example/a b',
      'data:text/html,x',
      HTTPS(2_049),
    ],
  ],
  ['ARES_C', 'acsChallengeMandated', ['', 'y', 'X', 'YY']],
  ['ARES_C', 'authenticationType', ['', '2', '05', '79']],
  ['ARES_C', 'cardholderInfo', ['', LONG(129)]],
  ['ARES_C', 'whiteListStatus', ['', 'X']],
  ['ARES_C', 'whiteListStatusSource', ['', '04', '1']],
  ['ARES_N', 'transStatusReason', ['', '00', '1', '27', '79', '100']],
  ['RREQ_Y', 'messageCategory', ['', '03', '79', '1']],
  ['RREQ_Y', 'authenticationType', ['', '05']],
  ['RREQ_Y', 'interactionCounter', ['', '1', '001', 'x1']],
  ['RREQ_Y', 'eci', ['', '5', '005']],
  ['RREQ_Y', 'authenticationValue', ['', CAVV.slice(4), LONG(28)]],
  ['RREQ_N', 'challengeCancel', ['', '02', '09', '1']],
  ['RREQ_N', 'transStatusReason', ['27', '']],
  ['PRES', 'serialNum', ['', LONG(21)]],
  ['PRES', 'dsStartProtocolVersion', ['', '2.1', '2.1.0.0.0', 'two']],
  ['PRES', 'dsEndProtocolVersion', ['', '2', '123456789']],
  ['PRES', 'cardRangeData', [[], 'x', {}, ['x'], [null]]],
  ['ERRO', 'errorCode', ['', '20', '2030', 'abc']],
  ['ERRO', 'errorComponent', ['', 'X']],
  ['ERRO', 'errorDescription', ['', LONG(2_049)]],
  ['ERRO', 'errorDetail', ['', LONG(2_049)]],
  ['ERRO', 'errorMessageType', ['', 'AReqs']],
  ['CRES', 'challengeCompletionInd', ['', 'N', 'X']],
  ['CRES', 'transStatus', ['', 'A', 'U', 'C']],
]
const OTHER_TYPES: readonly unknown[] = [1, true, null, {}, ['x'], 0.5]

describe('an invalid element is 203 with its name', () => {
  for (const [name, field, values] of WRONG) {
    test(`${name}: ${field}`, () => {
      const others = field === 'cardRangeData' ? [1, true, null] : OTHER_TYPES
      for (const value of [...values, ...others]) {
        assert.equal(
          read(changed(VALID[name] ?? {}, field, value)),
          `203 ${field}`,
          JSON.stringify(value),
        )
      }
    })
  }
  test('an invalid status is 203, and elements that depend on the status do not hide it', () => {
    const { authenticationValue: _value, ...bare } = ARES_Y
    for (const value of ['', 'X', 'y', 'YY', 'S', 1, null]) {
      assert.equal(read(changed(bare, 'transStatus', value)), '203 transStatus', String(value))
    }
    const { authenticationValue: _cavv, ...plain } = RREQ_Y
    for (const value of ['C', 'D', 'I', 'X']) {
      assert.equal(read(changed(plain, 'transStatus', value)), '203 transStatus', value)
    }
  })
  const ranges: readonly [string, readonly unknown[]][] = [
    ['startRange', ['', '400000000000', '4'.repeat(20), '400000000000200x', 4000000000002000]],
    ['endRange', ['', '400000000000', '4'.repeat(20), 1]],
    ['actionInd', ['', 'X', 'a', 1]],
    ['acsStartProtocolVersion', ['', '2.1', 2]],
    ['acsEndProtocolVersion', ['', 'x.y.z', null]],
    [
      'threeDSMethodURL',
      ['', 'http://acs.example/', 'javascript:1', 'https://u:p@acs.example/', HTTPS(257), 1],
    ],
    ['acsInfoInd', [[], ['1'], ['05'], '01', [1]]],
  ]
  for (const [field, values] of ranges) {
    test(`a card range: ${field}`, () => {
      for (const value of values) {
        const json = changed(PRES, 'cardRangeData', [RANGE, { ...RANGE, [field]: value }])
        assert.equal(read(json), `203 cardRangeData.${field}`, JSON.stringify(value))
      }
    })
  }
})

describe('an element whose condition is false is 203 with its name', () => {
  const cases: readonly [keyof typeof VALID, string, unknown][] = [
    ['ARES_N', 'authenticationValue', CAVV],
    ['ARES_C', 'authenticationValue', CAVV],
    ['ARES_Y', 'acsURL', 'https://acs.example/creq'],
    ['ARES_Y', 'acsChallengeMandated', 'Y'],
    ['ARES_Y', 'authenticationType', '02'],
    ['ARES_Y', 'transStatusReason', '01'],
    ['ARES_Y', 'whiteListStatusSource', '01'],
    ['RREQ_N', 'authenticationValue', CAVV],
    ['RREQ_Y', 'transStatusReason', '01'],
    ['RREQ_Y', 'whiteListStatusSource', '01'],
  ]
  for (const [name, field, value] of cases) {
    test(`${name} with ${field}`, () => {
      assert.equal(read(changed(VALID[name] ?? {}, field, value)), `203 ${field}`)
    })
  }
})

describe('versions', () => {
  test('an unsupported version is 102 with the supported ones', () => {
    for (const version of ['2.0.0', '2.3.1', '1.0.2', '3.0.0']) {
      assert.equal(read(changed(RREQ_Y, 'messageVersion', version)), '102 2.1.0,2.2.0')
    }
  })
  test('an invalid version is 203', () => {
    for (const version of ['', '2', '2.2', '2.2.0 ', 2.2, null, {}]) {
      assert.equal(read(changed(RREQ_Y, 'messageVersion', version)), '203 messageVersion')
    }
  })
  test('another version than that of the transaction is 203, whether supported or not', () => {
    for (const version of ['2.1.0', '2.3.1']) {
      const json = changed(ARES_Y, 'messageVersion', version)
      assert.equal(read(json, { version: '2.2.0' }), '203 messageVersion')
    }
  })
  test('values of 2.2.0 are invalid in 2.1.0', () => {
    const old = { ...ARES_N, messageVersion: '2.1.0' }
    assert.equal(typeof read(changed(old, 'transStatusReason', '21')), 'object')
    for (const value of ['22', '26'])
      assert.equal(read(changed(old, 'transStatusReason', value)), '203 transStatusReason')
    assert.equal(typeof read(changed(ARES_N, 'transStatusReason', '26')), 'object')
    const { transStatusReason: _reason, ...bare } = old
    assert.equal(read(changed(bare, 'transStatus', 'I')), '203 transStatus')
  })
})

describe('types', () => {
  test('a message that is not expected is 101', () => {
    for (const type of ['RReq', '', 'Erro', 'ares', 1, null, undefined]) {
      assert.match(String(read(changed(ARES_Y, 'messageType', type), { type: 'ARes' })), /^101 /)
    }
  })
  test('a text that is no JSON object is 101, and so is a BOM', () => {
    for (const text of [
      '',
      'x',
      '[]',
      '"x"',
      '1',
      'null',
      `${JSON.stringify(ARES_Y)}x`,
      `\ufeff${JSON.stringify(ARES_Y)}`,
    ]) {
      assert.match(String(read(text, { type: 'ARes' })), /^101 /, text.slice(0, 10))
    }
    assert.throws(() => decodeText(Buffer.from([0x7b, 0xff, 0x7d])), { code: '101' })
    assert.match(
      String(read(decodeText(Buffer.from(`\ufeff${JSON.stringify(ARES_Y)}`)), { type: 'ARes' })),
      /^101 /,
    )
  })
  test('a message that is nested too deep is 101', () => {
    const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    assert.equal(typeof read(JSON.stringify(ARES_Y).replace('{', `{"x":${deep(15)},`)), 'object')
    assert.match(String(read(JSON.stringify(ARES_Y).replace('{', `{"x":${deep(16)},`))), /^101 /)
    assert.match(
      String(read(JSON.stringify(ARES_Y).replace('{', `{"x":${deep(20_000)},`))),
      /^101 /,
    )
  })
})

describe('repeated names are 204', () => {
  for (const [name, message] of Object.entries(VALID)) {
    test(`every one of ${name}`, () => {
      const json = JSON.stringify(message)
      for (const [field, value] of Object.entries(JSON.parse(json) as Message)) {
        const twice = json.replace('{', `{${JSON.stringify(field)}:${JSON.stringify(value)},`)
        assert.equal(read(twice), `204 ${field}`)
      }
    })
  }
  test('written with an escape, unknown, or inside of another', () => {
    const json = JSON.stringify(ARES_Y)
    assert.equal(read(json.replace('{', '{"e\\u0063i":"05",')), '204 eci')
    assert.equal(read(json.replace('{', '{"x":1,"x":2,')), '204 x')
    assert.equal(read(json.replace('{', '{"x":{"y":1,"y":2},')), '204 x.y')
    assert.equal(read(json.replace('{', '{"x":[{"y":1},{"y":2}],')) instanceof Object, true)
    assert.equal(read(json.replace('{', '{"x":"\\"eci\\":\\"05\\"",')) instanceof Object, true)
  })
})

describe('extensions', () => {
  const extension = { name: 'n', id: 'A000000003-001', criticalityIndicator: false, data: { a: 1 } }
  const withThem = (...items: unknown[]): string => changed(ARES_Y, 'messageExtension', items)
  test('an unknown extension is ignored unless it is critical, which is 202 with its id', () => {
    assert.equal(read(withThem(extension)) instanceof Object, true)
    assert.equal(
      read(withThem(extension, { ...extension, criticalityIndicator: true })),
      '202 A000000003-001',
    )
  })
  test('an invalid extension is 203', () => {
    for (const wrong of [
      { ...extension, id: undefined },
      { ...extension, id: LONG(65) },
      { ...extension, name: '' },
      { ...extension, criticalityIndicator: 'true' },
      { ...extension, data: 'x' },
      { ...extension, data: { a: LONG(8_060) } },
      1,
      null,
      [],
    ])
      assert.equal(
        read(withThem(wrong)),
        '203 messageExtension',
        JSON.stringify(wrong)?.slice(0, 60),
      )
    assert.equal(
      read(withThem(...Array.from({ length: 11 }, () => extension))),
      '203 messageExtension',
    )
    assert.equal(read(changed(ARES_Y, 'messageExtension', 'x')), '203 messageExtension')
  })
})

test('a message that was changed anywhere is refused by a code with the name, or read unchanged', () => {
  const messages = Object.values(VALID).map(
    (message) => JSON.parse(JSON.stringify(message)) as Message,
  )
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.constantFrom('Y', 'N', 'C', '01', '', null, '2.1.0'),
  )
  fc.assert(
    fc.property(fc.constantFrom(...messages), fc.nat(), anything, (message, at, value) => {
      const names = Object.keys(message)
      const name = names[at % names.length] ?? ''
      const outcome = read(changed(message, name, value), {
        type: message['messageType'] as MessageType,
      })
      if (typeof outcome === 'string') return /^(101|102|201|202|203|204) ./.test(outcome)
      assert.deepEqual(outcome[name], JSON.parse(JSON.stringify(value)))
      return true
    }),
    { seed: 20_261_121, numRuns: 3_000 },
  )
})

test('bytes that were changed anywhere are refused by a code or read, and never anything else', () => {
  const texts = Object.values(VALID).map((message) => Buffer.from(JSON.stringify(message)))
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255), cut: fc.boolean() })
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      (text, changes) => {
        let bytes = Buffer.from(text)
        for (const { at, byte, cut } of changes) {
          if (bytes.length === 0) break
          if (cut) bytes = bytes.subarray(0, at % bytes.length)
          else bytes[at % bytes.length] = byte
        }
        try {
          const json = decodeText(bytes)
          readMessage(parseObject(json), json, { type: 'ARes' })
        } catch (error) {
          assert.ok(error instanceof ProtocolFault, String(error))
        }
      },
    ),
    { seed: 20_261_121, numRuns: 3_000 },
  )
})
