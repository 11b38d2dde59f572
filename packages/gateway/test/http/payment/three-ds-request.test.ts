import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ThreeDsPolicy } from '../../../src/domain/three-ds/policy.ts'
import type { PaymentCommand } from '../../../src/usecases/payments/payment-command.ts'
import { aGateway, SALE, SITE } from '../fake-gateway.ts'

type Params = Record<string, string | undefined>

const BROWSER = {
  P3DS_BROWSER_LANGUAGE: 'en-US',
  USER_AGENT_XTL: 'Mozilla/5.0',
  P3DS_BROWSER_HEADER: 'text/html',
}
const ENROL = {
  ...SALE,
  ...BROWSER,
  REQUEST_ENROLLMENT: '1',
  DDC_REFERENCEID: '700001-2001',
  P3DS_RETURN_URL: 'https://shop.example/back?order=1',
}
const CAVV = 'AAABBJkZUQAAAABjRWWZEEFgFz8='
const DS_TRANS_ID = 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b'
const OUTSIDE = { ...SALE, P3DS_ECI: '05', P3DS_CAVV: CAVV }
const MASTERCARD = { PMT_NUMB: '5555555555554444' }

async function answerTo(
  params: Params,
  site: Partial<typeof SITE> = {},
): Promise<{ readonly codes: string; readonly threeDs: PaymentCommand['threeDs'] | undefined }> {
  const gateway = aGateway({ site })
  const record = (await gateway.send(params)).json()
  const codes = [record['API_RESPONSE'], record['REF_FIELD']].join(' ').trim()
  return { codes, threeDs: gateway.payments[0]?.threeDs }
}

async function enrolled(params: Params) {
  const { codes, threeDs } = await answerTo({ ...ENROL, ...params })
  assert.ok(threeDs?.kind === 'enrol', `${codes}, ${threeDs?.kind}`)
  return threeDs
}

function policy(changes: Partial<ThreeDsPolicy>): Partial<typeof SITE> {
  return { threeDs: { ...SITE.threeDs, ...changes } }
}

const KINDS: readonly (readonly [name: string, params: Params, kind: string | undefined])[] = [
  ['nothing of it', SALE, undefined],
  ['the browser alone', { ...SALE, ...BROWSER }, undefined],
  ['P3DS_VERSION alone', { ...SALE, P3DS_VERSION: '2' }, undefined],
  ['REQUEST_ENROLLMENT=0', { ...ENROL, REQUEST_ENROLLMENT: '0' }, undefined],
  ['an exemption of 0', { ...SALE, REQ_LOW_VALUE_SCAEXEMPTION: '0' }, undefined],
  ['an empty P3DS_PROCTRANSID', { ...SALE, P3DS_PROCTRANSID: '', REQUEST_PARES: '' }, undefined],
  ['REQUEST_PARES alone', { ...SALE, REQUEST_PARES: 'x' }, undefined],
  ['an enrolment', ENROL, 'enrol'],
  ['an enrolment of an authorization', { ...ENROL, REQUEST_ACTION: 'CCAUTHORIZE' }, 'enrol'],
  ['an enrolment with REQUEST_PARES', { ...ENROL, REQUEST_PARES: '' }, 'enrol'],
  ['an enrolment with an exemption', { ...ENROL, REQ_LOW_VALUE_SCAEXEMPTION: '1' }, 'enrol'],
  ['P3DS_PROCTRANSID', { ...SALE, P3DS_PROCTRANSID: 'a' }, 'final'],
  ['P3DS_PROCTRANSID beside an enrolment', { ...ENROL, P3DS_PROCTRANSID: 'a' }, 'final'],
  ['P3DS_PROCTRANSID beside an outside result', { ...OUTSIDE, P3DS_PROCTRANSID: 'a' }, 'final'],
  ['P3DS_TRANSID and REQUEST_PARES', { ...SALE, P3DS_TRANSID: 'a', REQUEST_PARES: '' }, 'final'],
  ['the same beside an enrolment', { ...ENROL, P3DS_TRANSID: 'a', REQUEST_PARES: 'x' }, 'final'],
  ['an outside result', OUTSIDE, 'outside'],
  [
    'an outside result with REQUEST_PARES',
    { ...OUTSIDE, P3DS_TRANSID: DS_TRANS_ID, REQUEST_PARES: '' },
    'outside',
  ],
  ['an exemption', { ...SALE, REQ_LOW_VALUE_SCAEXEMPTION: '1' }, 'exempt'],
]

for (const [name, params, kind] of KINDS) {
  test(`3-D Secure: ${name} makes it ${kind ?? 'no such request'}`, async () => {
    const { codes, threeDs } = await answerTo(params)
    assert.equal(codes, '0')
    assert.equal(threeDs?.kind, kind)
  })
}

const FAULTS: readonly (readonly [name: string, params: Params, codes: string])[] = [
  ['REQUEST_ENROLLMENT is 0 or 1', { ...SALE, REQUEST_ENROLLMENT: '2' }, '113 REQUEST_ENROLLMENT'],
  ['an enrolment needs a reference', { ...ENROL, DDC_REFERENCEID: '' }, '110 DDC_REFERENCEID'],
  [
    'an enrolment needs a return URL',
    { ...ENROL, P3DS_RETURN_URL: undefined },
    '110 P3DS_RETURN_URL',
  ],
  [
    'the reference is missed first',
    { ...ENROL, P3DS_RETURN_URL: '', DDC_REFERENCEID: '' },
    '110 DDC_REFERENCEID',
  ],
  [
    'what any payment needs is missed before',
    { ...ENROL, LI_VALUE_1: '', DDC_REFERENCEID: '' },
    '110 LI_VALUE_1',
  ],
  [
    'what is missing comes before a form',
    { ...ENROL, PMT_KEY: 'x', DDC_REFERENCEID: '' },
    '110 DDC_REFERENCEID',
  ],
  ['a reference has an end', { ...ENROL, DDC_REFERENCEID: 'x'.repeat(256) }, '111 DDC_REFERENCEID'],
  ['a height is a number', { ...ENROL, P3DS_SCREEN_HEIGHT: '1.5' }, '112 P3DS_SCREEN_HEIGHT'],
  ['a width has six digits', { ...ENROL, P3DS_SCREEN_WIDTH: '1234567' }, '111 P3DS_SCREEN_WIDTH'],
  [
    'a depth is a number',
    { ...ENROL, P3DS_BROWSER_COLOR_DEPTH: 'x' },
    '112 P3DS_BROWSER_COLOR_DEPTH',
  ],
  ['Java is yes or no', { ...ENROL, P3DS_JAVA_ENABLED: 'yes' }, '113 P3DS_JAVA_ENABLED'],
  [
    'JavaScript is yes or no',
    { ...ENROL, P3DS_JAVASCRIPT_ENABLED: '2' },
    '113 P3DS_JAVASCRIPT_ENABLED',
  ],
  [
    'a time zone is a number',
    { ...ENROL, P3DS_BROWSER_TIME_ZONE: 'UTC' },
    '112 P3DS_BROWSER_TIME_ZONE',
  ],
  [
    'a time zone is one of this world',
    { ...ENROL, P3DS_BROWSER_TIME_ZONE: '841' },
    '113 P3DS_BROWSER_TIME_ZONE',
  ],
  [
    'there are five windows',
    { ...ENROL, P3DS_CHALLENGE_WINDOW: '06' },
    '113 P3DS_CHALLENGE_WINDOW',
  ],
  [
    'an exemption is 0 or 1',
    { ...SALE, REQ_LOW_VALUE_SCAEXEMPTION: 'x' },
    '113 REQ_LOW_VALUE_SCAEXEMPTION',
  ],
  ['an enrolment has no ECI', { ...ENROL, P3DS_ECI: '05' }, '113 P3DS_ECI'],
  ['an enrolment has no CAVV', { ...ENROL, P3DS_CAVV: CAVV }, '113 P3DS_CAVV'],
  ['an enrolment has no XID', { ...ENROL, P3DS_XID: 'x' }, '113 P3DS_XID'],
  ['an enrolment has no outside id', { ...ENROL, P3DS_TRANSID: DS_TRANS_ID }, '113 P3DS_TRANSID'],
  [
    'a final call has a sane id',
    { ...SALE, P3DS_PROCTRANSID: 'x'.repeat(256) },
    '111 P3DS_PROCTRANSID',
  ],
  [
    'a PARes has an end',
    { ...SALE, P3DS_PROCTRANSID: 'x', REQUEST_PARES: 'x'.repeat(32_769) },
    '111 REQUEST_PARES',
  ],
  ['an outside result needs an ECI', { ...OUTSIDE, P3DS_ECI: '' }, '110 P3DS_ECI'],
  ['an ECI of 05 needs a CAVV', { ...OUTSIDE, P3DS_CAVV: '' }, '110 P3DS_CAVV'],
  ['an ECI of 06 needs a CAVV', { ...OUTSIDE, P3DS_ECI: '06', P3DS_CAVV: '' }, '110 P3DS_CAVV'],
  ['an ECI of 07 has no CAVV', { ...OUTSIDE, P3DS_ECI: '07' }, '113 P3DS_CAVV'],
  ['an ECI has two digits', { ...OUTSIDE, P3DS_ECI: '5' }, '111 P3DS_ECI'],
  ['an ECI is a number', { ...OUTSIDE, P3DS_ECI: 'ab' }, '112 P3DS_ECI'],
  [
    'Visa has no ECI of 02',
    { ...OUTSIDE, P3DS_ECI: '02', P3DS_TRANSID: DS_TRANS_ID, P3DS_VERSION: '2.2.0' },
    '113 P3DS_ECI',
  ],
  [
    'Mastercard has no ECI of 05',
    { ...OUTSIDE, ...MASTERCARD, P3DS_TRANSID: DS_TRANS_ID, P3DS_VERSION: '2.2.0' },
    '113 P3DS_ECI',
  ],
  ['no brand has an ECI of 03', { ...OUTSIDE, P3DS_ECI: '03' }, '113 P3DS_ECI'],
  ['a CAVV is not short', { ...OUTSIDE, P3DS_CAVV: CAVV.slice(1) }, '111 P3DS_CAVV'],
  ['a CAVV is not long', { ...OUTSIDE, P3DS_CAVV: `${CAVV}=` }, '111 P3DS_CAVV'],
  ['a CAVV is Base64', { ...OUTSIDE, P3DS_CAVV: CAVV.replace('B', '-') }, '113 P3DS_CAVV'],
  [
    'a CAVV has 20 bytes, not 19',
    { ...OUTSIDE, P3DS_CAVV: `${CAVV.slice(0, 26)}==` },
    '113 P3DS_CAVV',
  ],
  [
    'a CAVV has 20 bytes, not 21',
    { ...OUTSIDE, P3DS_CAVV: CAVV.replace('=', 'A') },
    '113 P3DS_CAVV',
  ],
  [
    'Mastercard needs the id',
    { ...OUTSIDE, ...MASTERCARD, P3DS_ECI: '02', P3DS_VERSION: '2.2.0' },
    '110 P3DS_TRANSID',
  ],
  [
    'Mastercard needs the version',
    { ...OUTSIDE, ...MASTERCARD, P3DS_ECI: '02', P3DS_TRANSID: DS_TRANS_ID },
    '110 P3DS_VERSION',
  ],
  ['an outside id is a UUID', { ...OUTSIDE, P3DS_TRANSID: 'x' }, '113 P3DS_TRANSID'],
  ['an outside version is one', { ...OUTSIDE, P3DS_VERSION: 'two' }, '113 P3DS_VERSION'],
]

for (const [name, params, codes] of FAULTS) {
  test(`3-D Secure: ${name}: ${codes}`, async () => {
    const { codes: got, threeDs } = await answerTo(params)
    assert.equal(got, codes)
    assert.equal(threeDs, undefined)
  })
}

for (const name of Object.keys(BROWSER)) {
  test(`3-D Secure: without ${name} it is skipped, and nothing else of it is looked at`, async () => {
    for (const nothing of ['', ' ', undefined]) {
      const { codes, threeDs } = await answerTo({
        ...ENROL,
        DDC_REFERENCEID: '',
        P3DS_RETURN_URL: 'javascript:alert(1)',
        P3DS_SCREEN_HEIGHT: 'tall',
        P3DS_ECI: 'x',
        P3DS_CAVV: 'x',
        P3DS_CHALLENGE_WINDOW: '99',
        P3DS_VERSION: 'x'.repeat(100),
        [name]: nothing,
      })
      assert.equal(codes, '0')
      assert.deepEqual(threeDs, { kind: 'skipped', missing: [name] })
    }
  })
}

test('3-D Secure: a final call may repeat an enrolment that is damaged, for it is not looked at', async () => {
  const { codes, threeDs } = await answerTo({
    ...ENROL,
    P3DS_RETURN_URL: '//',
    P3DS_CAVV: 'x',
    P3DS_TRANSID: 'other',
    P3DS_PROCTRANSID: 'Abcdefghij0123456789',
    REQUEST_PARES: '',
  })
  assert.equal(codes, '0')
  assert.deepEqual(threeDs, { kind: 'final', procTransId: 'Abcdefghij0123456789', paRes: '' })
})

test('3-D Secure: an absent REQUEST_PARES differs from an empty one', async () => {
  const { threeDs } = await answerTo({ ...SALE, P3DS_PROCTRANSID: 'a' })
  assert.deepEqual(threeDs, { kind: 'final', procTransId: 'a', paRes: null })
})

test('3-D Secure: names in lower case are the same', async () => {
  const lower = Object.fromEntries(
    Object.entries(ENROL).map(([name, value]) => [name.toLowerCase(), value]),
  )
  assert.equal((await answerTo(lower)).threeDs?.kind, 'enrol')
})

test('3-D Secure: an unreferenced credit looks at none of it', async () => {
  const refund = { ...ENROL, REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1', P3DS_RETURN_URL: 'x' }
  assert.deepEqual(await answerTo(refund), { codes: '0', threeDs: null })
})

test('3-D Secure: all data of the browser are passed on', async () => {
  const threeDs = await enrolled({
    P3DS_JAVA_ENABLED: 'false',
    P3DS_JAVASCRIPT_ENABLED: 'TRUE',
    P3DS_BROWSER_COLOR_DEPTH: '24',
    P3DS_SCREEN_HEIGHT: '1080',
    P3DS_SCREEN_WIDTH: '1920',
    P3DS_BROWSER_TIME_ZONE: '300',
    P3DS_CHALLENGE_WINDOW: '02',
    P3DS_VERSION: '2',
    XTL_IP: '2001:db8::1',
    P3DS_IP_ADDRESS: '192.0.2.1',
  })
  assert.deepEqual(threeDs, {
    kind: 'enrol',
    reference: '700001-2001',
    returnUrl: 'https://shop.example/back?order=1',
    window: '02',
    browser: {
      acceptHeader: 'text/html',
      userAgent: 'Mozilla/5.0',
      language: 'en-US',
      javaEnabled: false,
      javascriptEnabled: true,
      colorDepth: 24,
      screenHeight: 1080,
      screenWidth: 1920,
      timeZone: 300,
      ip: '2001:db8::1',
    },
    recurring: null,
  })
})

test('3-D Secure: missing data of the browser stay unknown, and the window fills its frame', async () => {
  const { browser, window } = await enrolled({})
  assert.equal(window, '05')
  assert.deepEqual(browser, {
    acceptHeader: 'text/html',
    userAgent: 'Mozilla/5.0',
    language: 'en-US',
    javaEnabled: null,
    javascriptEnabled: null,
    colorDepth: null,
    screenHeight: null,
    screenWidth: null,
    timeZone: null,
    ip: '',
  })
})

test('3-D Secure: yes and no are read in each of their spellings', async () => {
  for (const yes of ['TRUE', 'true', 'True', '1']) {
    assert.equal((await enrolled({ P3DS_JAVA_ENABLED: yes })).browser.javaEnabled, true, yes)
  }
  for (const no of ['FALSE', 'false', '0']) {
    assert.equal((await enrolled({ P3DS_JAVA_ENABLED: no })).browser.javaEnabled, false, no)
  }
})

test('3-D Secure: a depth that the protocol lacks becomes the next one below', async () => {
  const depths = [
    ['0', null],
    ['1', 1],
    ['2', 1],
    ['4', 4],
    ['8', 8],
    ['15', 15],
    ['16', 16],
    ['23', 16],
    ['24', 24],
    ['30', 24],
    ['32', 32],
    ['48', 48],
    ['99', 48],
  ] as const
  for (const [sent, read] of depths) {
    const { browser } = await enrolled({ P3DS_BROWSER_COLOR_DEPTH: sent })
    assert.equal(browser.colorDepth, read, sent)
  }
})

test('3-D Secure: a time zone loses its sign', async () => {
  for (const [sent, read] of [
    ['0', 0],
    ['-0', 0],
    ['-300', 300],
    ['+60', 60],
    ['840', 840],
    ['0090', 90],
  ] as const) {
    assert.equal((await enrolled({ P3DS_BROWSER_TIME_ZONE: sent })).browser.timeZone, read, sent)
  }
})

test('3-D Secure: long headers are cut after 2048', async () => {
  const { browser } = await enrolled({
    USER_AGENT_XTL: 'u'.repeat(3000),
    P3DS_BROWSER_HEADER: 'a'.repeat(3000),
  })
  assert.equal(browser.userAgent, 'u'.repeat(2048))
  assert.equal(browser.acceptHeader, 'a'.repeat(2048))
})

test('3-D Secure: the address is P3DS_IP_ADDRESS where XTL_IP is not sent, and only an address', async () => {
  assert.equal((await enrolled({ P3DS_IP_ADDRESS: '192.0.2.1' })).browser.ip, '192.0.2.1')
  assert.equal((await enrolled({ XTL_IP: 'somewhere' })).browser.ip, '')
})

test('3-D Secure: the first payment of a subscription is marked as such', async () => {
  const { recurring } = await enrolled({ REQUEST_REBILL: '2' })
  assert.deepEqual(recurring, { everyDays: 1, until: '99991231' })
  assert.equal((await enrolled({ REQUEST_REBILL: '1' })).recurring, null)
})

const RETURN_URLS: readonly (readonly [url: string, good: boolean])[] = [
  ['https://shop.example', true],
  ['HTTPS://SHOP.example/', true],
  ['https://shop.example:8443/a/b?c=d&e=%20#f', true],
  ['https://shop.example:443/', true],
  ['https://xn--mnchen-3ya.example/', true],
  ['https://192.0.2.1/', true],
  ['https://[2001:db8::1]/', true],
  ['http://localhost:3000/back', true],
  ['https://shop.example/a|b', true],
  ['/back', false],
  ['//shop.example/back', false],
  ['shop.example', false],
  ['https:shop.example', false],
  ['https:///shop.example', false],
  ['https://', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['ftp://shop.example/', false],
  ['https://user@shop.example/', false],
  ['https://user:pass@shop.example/', false],
  ['https://@shop.example/', false],
  ['https://shop.example\\@evil.example/', false],
  ['https:\\\\shop.example/', false],
  ['https://shop.example/a\\b', false],
  ['https://shop.example/a b', false],
  [' https://shop.example/', false],
  ['https://shop.example/\n', false],
  ['https://sh\top.example/', false],
  ['https://shop.example/\u007f', false],
  ['https://münchen.example/', false],
  ['https://shop.example。evil.example/', false],
  ['https://shop%2eexample/', false],
  ['https://0x7f.1/', false],
  ['https://2130706433/', false],
  ['https://shop.example:99999/', false],
  [`https://shop.example/${'x'.repeat(2027)}`, true],
  [`https://shop.example/${'x'.repeat(2028)}`, false],
]

for (const [url, good] of RETURN_URLS) {
  const shown = url.length > 60 ? `${url.slice(0, 30)}... of ${url.length}` : JSON.stringify(url)
  test(`3-D Secure: ${shown} is ${good ? 'a' : 'no'} return URL`, async () => {
    const { codes } = await answerTo({ ...ENROL, P3DS_RETURN_URL: url })
    assert.equal(codes, good ? '0' : '113 P3DS_RETURN_URL')
  })
}

test('3-D Secure: a live site accepts https return URLs only', async () => {
  const plain = { ...ENROL, P3DS_RETURN_URL: 'http://shop.example/' }
  assert.equal((await answerTo(plain, { mode: 'live' })).codes, '113 P3DS_RETURN_URL')
  assert.equal((await answerTo(ENROL, { mode: 'live' })).codes, '0')
})

test('3-D Secure: a site with a list of hosts accepts return URLs of those hosts only', async () => {
  const site = policy({ returnHosts: ['shop.example', 'www.shop.example'] })
  for (const host of ['shop.example', 'WWW.Shop.Example', 'shop.example:8443']) {
    const params = { ...ENROL, P3DS_RETURN_URL: `https://${host}/` }
    assert.equal((await answerTo(params, site)).codes, '0', host)
  }
  for (const host of [
    'evil.example',
    'shop.example.evil.example',
    'a.shop.example',
    'shop.example.',
  ]) {
    const params = { ...ENROL, P3DS_RETURN_URL: `https://${host}/` }
    assert.equal((await answerTo(params, site)).codes, '113 P3DS_RETURN_URL', host)
  }
})

test('3-D Secure: a return URL that holds the card number is refused', async () => {
  const params = { ...ENROL, P3DS_RETURN_URL: `https://shop.example/?card=${SALE.PMT_NUMB}` }
  assert.equal((await answerTo(params)).codes, '113 P3DS_RETURN_URL')
})

test('3-D Secure: a result from elsewhere is passed on unchanged', async () => {
  const { threeDs } = await answerTo({
    ...OUTSIDE,
    ...MASTERCARD,
    P3DS_ECI: '02',
    P3DS_VERSION: '2.1.0',
    P3DS_TRANSID: DS_TRANS_ID,
  })
  assert.ok(threeDs?.kind === 'outside')
  const { cavv, ...values } = threeDs.values
  assert.equal(cavv?.reveal(), CAVV)
  assert.deepEqual(values, { eci: '02', dsTransId: DS_TRANS_ID, version: '2.1.0' })
})

test('3-D Secure: an outside result without authentication needs its ECI only', async () => {
  for (const [eci, card] of [
    ['07', {}],
    ['00', MASTERCARD],
  ] as const) {
    const { codes, threeDs } = await answerTo({ ...SALE, ...card, P3DS_ECI: eci })
    assert.equal(codes, '0', eci)
    assert.deepEqual(threeDs, {
      kind: 'outside',
      values: { eci, cavv: null, dsTransId: '', version: '' },
    })
  }
})

test('3-D Secure: the brand of a saved card is not known yet, so its ECI may be of either scale', async () => {
  const saved = { PMT_NUMB: undefined, PMT_EXPIRY: undefined, CUST_ID: '9001' }
  for (const eci of ['05', '02']) {
    const params = {
      ...OUTSIDE,
      ...saved,
      P3DS_ECI: eci,
      P3DS_TRANSID: DS_TRANS_ID,
      P3DS_VERSION: '2',
    }
    const { codes, threeDs } = await answerTo(params)
    assert.equal(codes, '0', eci)
    assert.ok(threeDs?.kind === 'outside')
    assert.equal(threeDs.values.version, '')
  }
})
