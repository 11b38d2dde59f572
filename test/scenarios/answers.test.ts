import { XMLParser } from 'fast-xml-parser'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { EXPIRY, newReference, payment, postForm, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const RECORD = `REQUEST_ACTION REQ_ID TRANS_STATUS_NAME TRANS_VALUE CURR_CODE_ALPHA
  TRANS_VALUE_SETTLED CURR_CODE_ALPHA_SETTLED TRANS_EXCH_RATE TRANS_ID CUST_ID XTL_CUST_ID PO_ID
  XTL_ORDER_ID BATCH_ID PROC_NAME MERCH_ACCT_ID CARD_BRAND_NAME CARD_TYPE CARD_CLASS CARD_PREPAID
  CARD_BANK CARD_COUNTRY CARD_DETAIL CARD_BALANCE PMT_L4 PMT_ID PMT_ID_XTL PMT_AAU_UPDATE_DT
  PMT_AAU_UPDATE_DESC PROC_UDF01 PROC_UDF02 ANI_RESP_DECISION PROC_AUTH_RESPONSE
  PROC_RETRIEVAL_NUM PROC_REFERENCE_NUM PROC_REDIRECT_URL AVS_RESPONSE CVV_RESPONSE
  CARD_BRAND_TRANSID REQUEST_API_VERSION P3DS_VENDOR P3DS_RESPONSE TRANS_NTOKEN_USED`.split(/\s+/)

const LINE = ['PO_LI_ID_', 'PO_LI_COUNT_', 'PO_LI_AMOUNT_', 'PO_LI_PROD_ID_', 'MBSHP_ID_']
const TIERS = `API_RESPONSE API_ADVICE SERVICE_RESPONSE SERVICE_ADVICE PROCESSOR_RESPONSE
  PROCESSOR_ADVICE INDUSTRY_RESPONSE INDUSTRY_ADVICE REF_FIELD`.split(/\s+/)
const TIER_TEXTS = TIERS.filter((name) => name.endsWith('ADVICE'))

const lineFields = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => LINE.map((name) => `${name}${at + 1}`)).flat()

const SALE = {
  REQUEST_ACTION: 'CCAUTHCAP',
  PMT_NUMB: VISA,
  PMT_EXPIRY: EXPIRY,
  LI_VALUE_1: '12.50',
}

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

type Json = Readonly<Record<string, unknown>>

async function json(parameters: Readonly<Record<string, string | null>>): Promise<Json> {
  const { text } = await postForm(gateway, { REQUEST_RESPONSE_FORMAT: 'JSON', ...parameters })
  return JSON.parse(text) as Json
}

/** Names of the fields in XML, in their order. */
function namesOfXml(text: string): string[] {
  const inner = text.replace(/^.*?<RESPONSE>/s, '').replace(/<\/RESPONSE>\s*$/, '')
  return [...inner.matchAll(/<([A-Z0-9_]+)\s*(?:\/>|>[^<]*<\/\1>)/g)].map(([, name]) => name ?? '')
}

/** The fields of an answer in pipes, in their order. */
function fieldsOfPipes(text: string): [string, string][] {
  return text.split('||').map((pair) => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1)]
  })
}

suite('an approval', () => {
  test('A1: has the record, the lines and the tiers in this order, none missing and none null', async () => {
    const answer = await json({ ...SALE, LI_VALUE_2: '1', LI_COUNT_2: '3', LI_PROD_ID_2: 'shoe' })
    assert.deepEqual(Object.keys(answer), [...RECORD, ...lineFields(2), ...TIERS])
    for (const [name, value] of Object.entries(answer)) {
      assert.match(typeof value, /^(string|number)$/, name)
    }
  })

  test('A1: numbers are numbers and texts are texts', async () => {
    const answer = await json({ ...SALE, XTL_ORDER_ID: '0017' })
    const numbers = `TRANS_VALUE TRANS_VALUE_SETTLED TRANS_ID CUST_ID PO_ID BATCH_ID MERCH_ACCT_ID
      PMT_ID CARD_PREPAID PO_LI_COUNT_1 TRANS_NTOKEN_USED SERVICE_RESPONSE PROCESSOR_RESPONSE
      INDUSTRY_RESPONSE`.split(/\s+/)
    for (const name of numbers) assert.equal(typeof answer[name], 'number', name)
    const texts = ['REQ_ID', 'PMT_L4', 'PO_LI_ID_1', 'PO_LI_AMOUNT_1', 'MBSHP_ID_1', 'API_RESPONSE']
    for (const name of [...texts, 'XTL_ORDER_ID']) assert.equal(typeof answer[name], 'string', name)
    assert.equal(answer['TRANS_VALUE'], 12.5)
    assert.equal(answer['PO_LI_AMOUNT_1'], '12.50')
    assert.notEqual(answer['PO_LI_ID_1'], '')
    assert.equal(answer['XTL_ORDER_ID'], '0017')
    assert.equal(answer['REQUEST_API_VERSION'], '4.14')
  })

  test('A4: its tiers are 0, 100, 0, 0 and every text is empty, not even a blank', async () => {
    const answer = await json(SALE)
    const codes = TIERS.filter((name) => name.endsWith('RESPONSE')).map((name) => answer[name])
    assert.deepEqual(codes, ['0', 100, 0, 0])
    for (const name of [...TIER_TEXTS, 'REF_FIELD']) assert.equal(answer[name], '', name)
  })

  test('A2: XML has the declaration, RESPONSE, the same fields, and empty ones close themselves', async () => {
    const { text, type } = await postForm(gateway, SALE)
    assert.match(type, /xml/)
    assert.ok(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>'))
    assert.deepEqual(namesOfXml(text), [...RECORD, ...lineFields(1), ...TIERS])
    assert.match(text, /<API_ADVICE\/>/)
    assert.match(text, /<TRANS_VALUE>12\.5<\/TRANS_VALUE>/)
    const parsed = new XMLParser().parse(text) as { RESPONSE: Json }
    assert.equal(parsed.RESPONSE['TRANS_STATUS_NAME'], 'APPROVED')
  })

  test('A2: characters that XML 1.0 does not allow are dropped, and markup is escaped', async () => {
    const reference = `a<b>&"'\u0001${newReference()}`
    const { text } = await postForm(gateway, { ...SALE, XTL_ORDER_ID: reference })
    const parsed = new XMLParser().parse(text) as { RESPONSE: Json }
    assert.equal(parsed.RESPONSE['XTL_ORDER_ID'], reference.replace('\u0001', ''))
  })

  test('A3: PIPES has the same fields as NAME=VALUE, a pipe in a value becomes a broken bar', async () => {
    const { text, type } = await postForm(gateway, {
      ...SALE,
      XTL_ORDER_ID: 'a||b\r\nc',
      REQUEST_RESPONSE_FORMAT: 'pipes',
    })
    assert.match(type, /^text\/plain; ?charset=utf-8/i)
    const fields = fieldsOfPipes(text)
    assert.deepEqual(
      fields.map(([name]) => name),
      [...RECORD, ...lineFields(1), ...TIERS],
    )
    const reference = new Map(fields).get('XTL_ORDER_ID') ?? ''
    assert.match(reference, /^a¦¦b {1,2}c$/)
  })

  test('A13: TRANS_VALUE_SETTLED is on CCAUTHORIZE too and negative for refunds and voids', async () => {
    const shop = gateway.client()
    const held = await shop.authorize(payment('10'))
    assert.equal(held.valueSettled, '10')
    const { orderId } = held
    await shop.capture({ orderId, amount: '4' })
    assert.equal((await shop.refund({ orderId, amount: '1' })).valueSettled, '-1')
    assert.equal((await shop.void({ orderId, amount: '2' })).valueSettled, '-2')
    const declined = await shop.authorize(payment('6.00'))
    assert.equal(declined.raw['TRANS_VALUE_SETTLED'], '')
    assert.equal(declined.raw['CURR_CODE_ALPHA_SETTLED'], '')
  })

  test('A13: AVS_RESPONSE and CVV_RESPONSE are empty where the bank gave none', async () => {
    const answer = await json({ ...SALE, CHKAVS: 'F' })
    assert.equal(`${String(answer['AVS_RESPONSE'])}${String(answer['CVV_RESPONSE'])}`, '')
    const both = await json({ ...SALE, PMT_KEY: '123' })
    assert.equal(`${String(both['AVS_RESPONSE'])}${String(both['CVV_RESPONSE'])}`, 'MM')
  })
})

suite('a decline', () => {
  test('A5: has the whole record with PO_ID, the lines and the codes', async () => {
    const answer = await json({ ...SALE, LI_VALUE_1: '6.35', XTL_ORDER_ID: 'web-17' })
    assert.deepEqual(Object.keys(answer), [...RECORD, ...lineFields(1), ...TIERS])
    assert.equal(answer['TRANS_STATUS_NAME'], 'DECLINED')
    assert.equal(typeof answer['PO_ID'], 'number')
    assert.equal(answer['TRANS_VALUE'], 6.35)
    assert.equal(answer['SERVICE_RESPONSE'], 635)
    assert.equal(answer['SERVICE_ADVICE'], 'Insufficient Funds')
    assert.equal(answer['PO_LI_AMOUNT_1'], '6.35')
  })

  test('A4: an empty text is one blank', async () => {
    const answer = await json({ ...SALE, LI_VALUE_1: '6.35' })
    assert.equal(answer['API_ADVICE'], ' ')
    assert.equal(answer['INDUSTRY_ADVICE'], ' ')
  })

  test('A1: a code with letters is a text', async () => {
    const answer = await json({ ...SALE, LI_VALUE_1: '8.81' })
    assert.equal(answer['INDUSTRY_RESPONSE'], 'R1')
    assert.equal(answer['PROCESSOR_RESPONSE'], 881)
  })
})

suite('a wrong request', () => {
  test('A6: has empty status, the code, SERVICE 0 Declined, the parameter and a REQ_ID', async () => {
    const answer = await json({
      ...SALE,
      PMT_EXPIRY: '99',
      XTL_CUST_ID: 'c-1',
      XTL_ORDER_ID: 'o-1',
    })
    assert.deepEqual(Object.keys(answer), [...RECORD, ...TIERS])
    assert.equal(answer['TRANS_STATUS_NAME'], '')
    assert.equal(`${String(answer['API_RESPONSE'])} ${String(answer['SERVICE_RESPONSE'])}`, '113 0')
    assert.equal(answer['SERVICE_ADVICE'], 'Declined')
    assert.equal(answer['REF_FIELD'], 'PMT_EXPIRY')
    assert.match(String(answer['REQ_ID']), /^\d+$/)
    assert.equal(`${String(answer['XTL_CUST_ID'])} ${String(answer['XTL_ORDER_ID'])}`, 'c-1 o-1')
    const empty = ['TRANS_VALUE', 'TRANS_ID', 'PO_ID', 'CUST_ID', 'PMT_ID', 'CARD_BRAND_NAME']
    for (const name of empty) assert.equal(answer[name], '', name)
    const { rows } = await gateway.pool.query(`select from orders where reference = 'o-1'`)
    assert.equal(rows.length, 0)
  })

  test('A3: an unknown format is 113 in XML', async () => {
    const { text } = await postForm(gateway, { ...SALE, REQUEST_RESPONSE_FORMAT: 'CSV' })
    assert.match(text, /^<\?xml/)
    assert.match(text, /<API_RESPONSE>113<\/API_RESPONSE>/)
    assert.match(text, /<REF_FIELD>REQUEST_RESPONSE_FORMAT<\/REF_FIELD>/)
  })

  const refusals: readonly (readonly [string, Readonly<Record<string, string | null>>, string])[] =
    [
      ['R5: no version is 110', { REQUEST_API_VERSION: null }, '110 REQUEST_API_VERSION'],
      ['R5: another version is 113', { REQUEST_API_VERSION: '4.13' }, '113 REQUEST_API_VERSION'],
      [
        'R6: a missing site is reported before wrong credentials',
        { SITE_ID: null, REQ_PASSWORD: 'x' },
        '110 SITE_ID',
      ],
      [
        'R6: wrong credentials are reported before a wrong site',
        { SITE_ID: '7', REQ_PASSWORD: 'x' },
        '101 ',
      ],
      ["R10: another merchant's site is 103", { SITE_ID: '1002' }, '103 SITE_ID'],
      ['R10: site 0 is for health checks only', { SITE_ID: '0' }, '103 SITE_ID'],
      ['R2: an amount in LI_VALUE_0 is refused', { LI_VALUE_0: '1' }, '113 LI_VALUE_0'],
    ]
  for (const [name, more, expected] of refusals) {
    test(name, async () => {
      const answer = await json({ ...SALE, ...more })
      const found = `${String(answer['API_RESPONSE'])} ${String(answer['REF_FIELD'])}`
      assert.equal(found.trim(), expected.trim())
    })
  }
})

suite('a health check', () => {
  for (const [action, code, text] of [
    ['TESTAUTH', 100, 'User Authorized'],
    ['TESTGW', 101, 'Service Available'],
  ] as const) {
    test(`A8: ${action} says ${code} ${text}, echoes the action and has a REQ_ID`, async () => {
      for (const site of ['1001', '0']) {
        const answer = await json({ REQUEST_ACTION: action, SITE_ID: site })
        assert.equal(answer['REQUEST_ACTION'], action)
        assert.match(String(answer['REQ_ID']), /^\d+$/)
        assert.deepEqual(
          TIERS.map((name) => answer[name]),
          ['0', ' ', code, text, 0, ' ', 0, ' ', ''],
        )
        const empty = `TRANS_STATUS_NAME TRANS_VALUE TRANS_ID CUST_ID XTL_CUST_ID MERCH_ACCT_ID
          CARD_BRAND_NAME PMT_L4 PROC_NAME AVS_RESPONSE CVV_RESPONSE`.split(/\s+/)
        for (const name of empty) assert.equal(answer[name], '', name)
        assert.equal(answer['REQUEST_API_VERSION'], '4.14')
        assert.equal(answer['TRANS_NTOKEN_USED'], 0)
      }
    })
  }

  test('A3: TESTGW answers in XML where PIPES is asked for', async () => {
    const { text } = await postForm(gateway, {
      REQUEST_ACTION: 'TESTGW',
      REQUEST_RESPONSE_FORMAT: 'PIPES',
    })
    assert.match(text, /^<\?xml/)
    assert.match(text, /<SERVICE_RESPONSE>101</)
  })
})
