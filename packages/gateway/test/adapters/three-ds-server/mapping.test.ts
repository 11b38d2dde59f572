import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { buildAuthenticationRequest } from '../../../src/adapters/three-ds-server/authentication-request.ts'
import {
  fullAddress,
  shortLanguage,
} from '../../../src/adapters/three-ds-server/browser-elements.ts'
import { cardholderName, phone } from '../../../src/adapters/three-ds-server/cardholder-elements.ts'
import type { Message } from '../../../src/adapters/three-ds-server/protocol-fault.ts'
import { outboundFaults } from '../../../src/adapters/three-ds-server/read-message.ts'
import { Secret } from '../../../src/base/secret.ts'
import { findCurrency, type Currency } from '../../../src/domain/currency.ts'
import type { ThreeDsDirectory } from '../../../src/usecases/three-ds/directory.ts'
import type {
  AuthenticationQuestion,
  Browser,
} from '../../../src/usecases/three-ds/three-ds-server.ts'
import { ACCOUNT, questionAbout } from './server-beside-simulator.ts'

const DIRECTORY: ThreeDsDirectory = {
  name: 'live visa',
  mode: 'live',
  brands: null,
  url: 'https://ds.example/3ds',
  ca: '',
  cert: '',
  key: new Secret(''),
  refNumber: 'REF_1',
  operatorId: 'OP_1',
  resultSubjects: [],
  versions: { from: '2.1.0', to: '2.2.0' },
  browserHosts: null,
  simulated: false,
}
const OWN = {
  resultsUrl: 'https://3ds.example/3ds/results',
  notificationUrl: 'https://pay.example/V2/Cruise/Term',
}
const PAN = '4000000000002701'
const ID = '8a880dc0-d2d2-4067-bcb1-b08d1690b26e'

function build(changes: Partial<AuthenticationQuestion> = {}): Message {
  const question = questionAbout(PAN, { serverTransId: ID, ...changes })
  const built = buildAuthenticationRequest(question, DIRECTORY, OWN)
  assert.ok('message' in built, JSON.stringify(built))
  assert.deepEqual(outboundFaults(built.message, 'AReq', question.version), [])
  return built.message
}

function currency(code: string): Currency {
  const found = findCurrency(code)
  assert.ok(found)
  return found
}

const withBrowser = (changes: Partial<Browser>): Message =>
  build({ browser: { ...questionAbout(PAN).browser, ...changes } })
const portalUser = (firstName: string, lastName: string, others = {}) => ({
  ...questionAbout(PAN).customer,
  firstName,
  lastName,
  ...others,
})
const address = (changes: object) => ({ ...questionAbout(PAN).shipping, ...changes })

/** The whole message, as it was checked by hand once. */
function assertGolden(name: string, message: Message): void {
  const file = join(import.meta.dirname, 'golden', `${name}.json`)
  assert.deepEqual(message, JSON.parse(readFileSync(file, 'utf8')))
}

describe('whole messages', () => {
  test('a payment from a browser in 2.2.0', () => {
    assertGolden(
      'areq-2.2.0',
      build({
        challengePreference: '03',
        customer: portalUser('Zoë', 'Müller-Ødegård', {
          reference: 'C-7',
          email: 'zoe@example.com',
          phone: '+47 22 33 44 55',
        }),
        billing: address({
          street: 'Hauptstraße 1',
          street2: 'Hof',
          city: 'Köln',
          state: 'NW',
          postalCode: '50667',
          country: 'DE',
        }),
        shipping: address({
          street: 'Elsewhere 2',
          city: 'Oslo',
          postalCode: '0150',
          country: 'no',
        }),
      }),
    )
  })
  test('a payment from a browser in 2.1.0, which knows nothing of JavaScript', () => {
    assertGolden('areq-2.1.0', build({ version: '2.1.0', methodCompletion: 'N' }))
  })
  test('the first of recurring payments in yen', () => {
    assertGolden(
      'areq-recurring-jpy',
      build({
        currency: currency('JPY'),
        amountMinor: 1_234n,
        recurring: { everyDays: 28, until: '99991231' },
      }),
    )
  })
  test('a membership that ends after one period has that expiry', () => {
    const at = new Date('2026-12-31T23:00:00Z')
    const { recurringExpiry, recurringFrequency } = build({
      at,
      recurring: { everyDays: 28, until: null },
    })
    assert.deepEqual([recurringExpiry, recurringFrequency], ['20270128', '28'])
  })
  test('a card without a payment, in dinars', () => {
    assertGolden('areq-no-payment-kwd', build({ currency: currency('KWD'), amountMinor: 0n }))
  })
})

test('headers without readable text do not prevent the authentication', () => {
  const { browserAcceptHeader, browserUserAgent } = withBrowser({
    acceptHeader: '\u0001',
    userAgent: '\u0001\u0002',
  })
  assert.deepEqual([browserAcceptHeader, browserUserAgent], ['*/*', 'unknown'])
})

describe('amounts', () => {
  for (const [code, minor, expected] of [
    ['USD', 1_000n, ['1000', '840', '2']],
    ['JPY', 1_000n, ['1000', '392', '0']],
    ['KWD', 1_000n, ['1000', '414', '3']],
    ['EUR', 1n, ['1', '978', '2']],
    ['CLP', 99_999_999n, ['99999999', '152', '0']],
  ] as const) {
    test(`${minor} minor units of ${code}`, () => {
      const areq = build({ currency: currency(code), amountMinor: minor })
      assert.deepEqual(
        [areq['purchaseAmount'], areq['purchaseCurrency'], areq['purchaseExponent']],
        expected,
      )
    })
  }
})

describe('the browser', () => {
  for (const [tag, expected] of [
    ['en', 'en'],
    ['en-US', 'en-US'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['sr-Latn-RS', 'sr-Latn'],
    ['de_AT', 'de-AT'],
    ['en-US,en;q=0.9', 'en-US'],
    ['x-whatever-else', 'x'],
    ['de-1996-x-long', 'de-1996'],
    ['', 'und'],
    ['*', 'und'],
    ['ünknown', 'und'],
    ['en-<script>', 'en'],
  ] as const) {
    test(`language ${tag} is ${expected}`, () => {
      assert.equal(shortLanguage(tag), expected)
      assert.equal(withBrowser({ language: tag })['browserLanguage'], expected)
    })
  }
  test('headers are cut at 2048 characters, never inside of one', () => {
    const areq = withBrowser({
      acceptHeader: 'a'.repeat(3_000),
      userAgent: `${'b'.repeat(2_047)}😀`,
    })
    assert.equal(String(areq['browserAcceptHeader']).length, 2_048)
    assert.equal(areq['browserUserAgent'], 'b'.repeat(2_047))
  })
  for (const [given, expected] of [
    [24, '24'],
    [30, '24'],
    [48, '48'],
    [64, '48'],
    [31, '24'],
    [2, '1'],
    [1, '1'],
    [12, '8'],
  ] as const) {
    test(`a colour depth of ${given} is sent as ${expected}`, () => {
      assert.equal(withBrowser({ colorDepth: given })['browserColorDepth'], expected)
    })
  }
  for (const [given, expected] of [
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:0db8:0000:0000:0000:0000:0000:0001'],
    ['::', '0000:0000:0000:0000:0000:0000:0000:0000'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['fe80::1%eth0', 'fe80:0000:0000:0000:0000:0000:0000:0001'],
    ['1.2.3', null],
    ['', null],
  ] as const) {
    test(`the address ${given || '(none)'} is sent as ${expected ?? 'none'}`, () => {
      assert.equal(fullAddress(given), expected)
      assert.equal(withBrowser({ ip: given })['browserIP'], expected ?? undefined)
    })
  }
  for (const [minutes, expected] of [
    [300, '300'],
    [-60, '-60'],
    [0, '0'],
    [-0, '0'],
  ] as const) {
    test(`a time zone of ${Object.is(minutes, -0) ? '-0' : minutes} minutes is ${expected}`, () => {
      assert.equal(withBrowser({ timeZone: minutes })['browserTZ'], expected)
    })
  }
  test('2.2.0 without data of the screen says that there are no scripts, and leaves out their values', () => {
    for (const missing of ['colorDepth', 'screenHeight', 'screenWidth', 'timeZone'] as const) {
      const areq = withBrowser({ [missing]: null })
      assert.equal(areq['browserJavascriptEnabled'], false)
      for (const name of ['JavaEnabled', 'ColorDepth', 'ScreenHeight', 'ScreenWidth', 'TZ']) {
        assert.ok(!Object.hasOwn(areq, `browser${name}`), name)
      }
    }
  })
  test('2.1.0 without data of the screen is refused, and the refusal names the missing values', () => {
    const { browser } = questionAbout(PAN)
    const question = questionAbout(PAN, {
      version: '2.1.0',
      browser: { ...browser, timeZone: null, colorDepth: null },
    })
    assert.deepEqual(buildAuthenticationRequest(question, DIRECTORY, OWN), {
      missing: ['browserColorDepth', 'browserTZ'],
    })
  })
})

describe('the customer', () => {
  for (const [given, expected] of [
    ['Mister Tester', 'Mister Tester'],
    ['Zoë Müller', 'Zoe Muller'],
    ['Łukasz Ødegård', 'Lukasz Odegard'],
    ['Groß', 'Gross'],
    ['O’Neil', "O'Neil"],
    ['  Ann   Lee ', 'Ann Lee'],
    ['山田 太郎', null],
    ['Ив', null],
    ['A', null],
    ['x'.repeat(60), 'x'.repeat(45)],
  ] as const) {
    test(`the name ${given.slice(0, 20)} is sent as ${expected?.slice(0, 20) ?? 'none'}`, () => {
      assert.equal(cardholderName(given), expected)
    })
  }
  for (const [given, expected] of [
    ['+1 (555) 123-4567', { cc: '1', subscriber: '5551234567' }],
    ['+49 221 1234567', { cc: '49', subscriber: '2211234567' }],
    ['00353 1 234 5678', { cc: '353', subscriber: '12345678' }],
    ['+7 495 1234567', { cc: '7', subscriber: '4951234567' }],
    ['555-1234', null],
    ['+0123456789', null],
    ['+1234567890123456', null],
    ['call me', null],
    ['', null],
  ] as const) {
    test(`the phone number ${given || '(none)'} is sent as ${expected === null ? 'none' : `+${expected.cc}`}`, () => {
      assert.deepEqual(phone(given), expected)
    })
  }
  test('countries are numbers, unknown ones are left out, and a state goes with its country only', () => {
    const told = (billing: object): Message => build({ billing: address(billing) })
    assert.equal(told({ country: 'us' })['billAddrCountry'], '840')
    assert.equal(told({ country: 'DE' })['billAddrCountry'], '276')
    assert.equal(told({ country: 'XX' })['billAddrCountry'], undefined)
    assert.equal(told({ country: 'US', state: 'CA' })['billAddrState'], 'CA')
    assert.equal(told({ country: 'US', state: 'California' })['billAddrState'], undefined)
    assert.equal(told({ country: 'XX', state: 'CA' })['billAddrState'], undefined)
  })
  test('addresses match, do not match, or are unknown', () => {
    const home = address({ street: 'A 1', city: 'B', country: 'US' })
    assert.equal(build({ billing: home, shipping: home })['addrMatch'], 'Y')
    assert.equal(build({ billing: home, shipping: { ...home, city: 'C' } })['addrMatch'], 'N')
    assert.equal(build({ billing: home })['addrMatch'], undefined)
  })
  test('the account id is a digest that distinguishes merchants and customers, and is not their number', () => {
    const told = (reference: string, merchantId = 1n): unknown =>
      build({ customer: portalUser('A', 'B', { reference }), account: { ...ACCOUNT, merchantId } })[
        'acctID'
      ]
    assert.equal(told(''), undefined)
    assert.match(String(told('C-1')), /^[0-9a-f]{64}$/)
    assert.equal(new Set([told('C-1'), told('C-2'), told('C-1', 2n)]).size, 3)
  })
})

test('a merchant is sent as the acquirer knows it', () => {
  const areq = build({
    account: {
      ...ACCOUNT,
      nameAndLocation: 'A name of twenty-five ch.'.padEnd(25) + 'Bern'.padEnd(13) + 'CH',
    },
  })
  assert.equal(areq['merchantName'], 'A name of twenty-five ch.')
  assert.equal(areq['merchantCountryCode'], '756')
})

test('an account without 3-D Secure has no message', () => {
  const question = questionAbout(PAN, { account: { ...ACCOUNT, threeDs: null } })
  assert.deepEqual(buildAuthenticationRequest(question, DIRECTORY, OWN), {
    missing: ['threeDSRequestorID'],
  })
})

test('the message is valid for any customer, browser and address, without empty texts and nulls', () => {
  const words = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 90 }),
    fc.constantFrom('', 'US', 'CA', '+1 555 123 4567', 'a@b.c', '::1'),
  )
  const number = fc.option(fc.integer({ min: -5_000, max: 5_000_000 }))
  fc.assert(
    fc.property(
      fc.record({
        acceptHeader: words,
        language: words,
        ip: words,
        javascriptEnabled: fc.boolean(),
        javaEnabled: fc.option(fc.boolean()),
        colorDepth: number,
        screenHeight: number,
        screenWidth: number,
        timeZone: number,
      }),
      fc.record({
        street: words,
        street2: words,
        city: words,
        state: words,
        postalCode: words,
        country: words,
        district: words,
      }),
      fc.record({
        reference: words,
        firstName: words,
        lastName: words,
        email: words,
        phone: words,
      }),
      (browser, where, who) => {
        const question = questionAbout(PAN, {
          browser: { ...browser, userAgent: 'x' },
          billing: where,
          shipping: where,
          customer: { ...questionAbout(PAN).customer, ...who },
        })
        const built = buildAuthenticationRequest(question, DIRECTORY, OWN)
        assert.ok('message' in built)
        assert.deepEqual(outboundFaults(built.message, 'AReq', '2.2.0'), [])
        const text = JSON.stringify(built.message)
        assert.ok(!text.includes(':""') && !text.includes(':null'))
      },
    ),
    { seed: 20_261_121, numRuns: 500 },
  )
})

describe('outgoing messages are checked', () => {
  test('an element that is unknown, empty, null or missing does not leave', () => {
    const areq = build()
    const faults = (changes: object): string[] =>
      outboundFaults({ ...areq, ...changes }, 'AReq', '2.2.0')
    assert.deepEqual(faults({ x: 1 }), ['x'])
    assert.deepEqual(faults({ email: '' }), ['email'])
    assert.deepEqual(faults({ email: null }), ['email'])
    assert.deepEqual(faults({ mcc: undefined }), ['mcc'])
    assert.deepEqual(faults({ purchaseExponent: '3' }), ['purchaseExponent'])
    assert.deepEqual(faults({ merchantCountryCode: '999' }), ['merchantCountryCode'])
    assert.deepEqual(outboundFaults({ ...areq, messageVersion: '2.1.0' }, 'AReq', '2.1.0'), [
      'browserJavascriptEnabled',
    ])
  })
})
