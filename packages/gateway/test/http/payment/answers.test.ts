import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdjustmentResult } from '../../../src/usecases/payments/adjustment-command.ts'
import type { OrderEvents } from '../../../src/usecases/payments/order-status.ts'
import type { TransactionView } from '../../../src/usecases/payments/transaction-view.ts'
import { aGateway, aTransaction, currency, formOf, SALE } from '../fake-gateway.ts'

// The decisions A1 to A13 are explained in docs/integrators/gaps-and-answers.md.

const SPEC_ORDER =
  'REQUEST_ACTION REQ_ID TRANS_STATUS_NAME TRANS_VALUE CURR_CODE_ALPHA TRANS_VALUE_SETTLED ' +
  'CURR_CODE_ALPHA_SETTLED TRANS_EXCH_RATE TRANS_ID CUST_ID XTL_CUST_ID PO_ID XTL_ORDER_ID ' +
  'BATCH_ID PROC_NAME MERCH_ACCT_ID CARD_BRAND_NAME CARD_TYPE CARD_CLASS CARD_PREPAID CARD_BANK ' +
  'CARD_COUNTRY CARD_DETAIL CARD_BALANCE PMT_L4 PMT_ID PMT_ID_XTL PMT_AAU_UPDATE_DT ' +
  'PMT_AAU_UPDATE_DESC PROC_UDF01 PROC_UDF02 ANI_RESP_DECISION PROC_AUTH_RESPONSE ' +
  'PROC_RETRIEVAL_NUM PROC_REFERENCE_NUM PROC_REDIRECT_URL AVS_RESPONSE CVV_RESPONSE ' +
  'CARD_BRAND_TRANSID REQUEST_API_VERSION P3DS_VENDOR P3DS_RESPONSE TRANS_NTOKEN_USED'
const LINE = ' PO_LI_ID_1 PO_LI_COUNT_1 PO_LI_AMOUNT_1 PO_LI_PROD_ID_1 MBSHP_ID_1'
const TIERS =
  ' API_RESPONSE API_ADVICE SERVICE_RESPONSE SERVICE_ADVICE PROCESSOR_RESPONSE PROCESSOR_ADVICE ' +
  'INDUSTRY_RESPONSE INDUSTRY_ADVICE REF_FIELD'
const MEMBERSHIP =
  'REQUEST_ACTION API_RESPONSE API_ADVICE SERVICE_RESPONSE SERVICE_ADVICE REF_FIELD CUST_ID ' +
  'MBSHP_ID MBSHP_CANCEL_TS_UTC MBSHP_REBILL_TS_UTC'
const HEALTH =
  'REQUEST_ACTION REQ_ID TRANS_STATUS_NAME TRANS_VALUE TRANS_ID CUST_ID XTL_CUST_ID MERCH_ACCT_ID ' +
  'CARD_BRAND_NAME PMT_L4 PMT_ID PMT_ID_XTL' +
  TIERS +
  ' PROC_NAME AVS_RESPONSE CVV_RESPONSE REQUEST_API_VERSION TRANS_NTOKEN_USED'

const answering = (changes: Partial<TransactionView>) =>
  aGateway({
    takePayment: async () => ({ kind: 'done', transaction: aTransaction(changes) }),
  })

const DECLINE = {
  state: 'declined',
  codes: {
    service: 635,
    serviceAdvice: 'Insufficient Funds',
    processor: '635',
    processorAdvice: 'Insufficient Funds',
    industry: '0',
    industryAdvice: '',
  },
} as const

test('A1: an approval has every field of the record, the lines, then the tiers', async () => {
  const reply = await aGateway().send(SALE)
  assert.equal(Object.keys(reply.json()).join(' '), SPEC_ORDER + LINE + TIERS)
})

test('A1: the JSON types are those that merchants know', async () => {
  const record = (await aGateway().send(SALE)).json()
  const numbers = Object.keys(record).filter((name) => typeof record[name] === 'number')
  assert.equal(
    numbers.join(' '),
    'TRANS_VALUE TRANS_VALUE_SETTLED TRANS_ID CUST_ID PO_ID BATCH_ID MERCH_ACCT_ID CARD_PREPAID ' +
      'PMT_ID TRANS_NTOKEN_USED PO_LI_COUNT_1 SERVICE_RESPONSE PROCESSOR_RESPONSE INDUSTRY_RESPONSE',
  )
  assert.equal(record['TRANS_VALUE'], 12.5)
  assert.equal(record['PO_LI_AMOUNT_1'], '12.50')
  assert.equal(record['REQ_ID'], '700001')
  assert.equal(record['PMT_L4'], '0002')
  assert.equal(record['API_RESPONSE'], '0')
})

test('A1: amounts have the decimals of their currency', async () => {
  const yen = (await answering({ currency: currency('JPY'), valueMinor: 1250n }).send(SALE)).json()
  const dinar = (
    await answering({ currency: currency('KWD'), valueMinor: 1250n }).send(SALE)
  ).json()
  assert.equal(yen['TRANS_VALUE'], 1250)
  assert.equal(yen['PO_LI_AMOUNT_1'], '1250')
  assert.equal(dinar['TRANS_VALUE'], 1.25)
  assert.equal(dinar['PO_LI_AMOUNT_1'], '1.250')
})

test('A1: a converted amount is the exact product, a string in JSON, and has its rate', async () => {
  const conversion = {
    currency: currency('USD'),
    bookedMinor: 569n,
    exact: '5.686415',
    rate: '0.812345',
  }
  const euros = { currency: currency('EUR'), valueMinor: 700n, conversion }
  const record = (await answering(euros).send(SALE)).json()
  assert.equal(record['TRANS_VALUE'], 7)
  assert.equal(record['TRANS_VALUE_SETTLED'], '5.686415')
  assert.equal(record['CURR_CODE_ALPHA_SETTLED'], 'USD')
  assert.equal(record['TRANS_EXCH_RATE'], 0.812345)
})

test('A4: an approval has no advice at all, not even one blank', async () => {
  const record = (await aGateway().send(SALE)).json()
  for (const name of Object.keys(record).filter((one) => one.endsWith('_ADVICE'))) {
    assert.equal(record[name], '', name)
  }
  assert.equal(record['SERVICE_RESPONSE'], 100)
  assert.equal(record['REF_FIELD'], '')
})

test('A5: a decline has the whole record, its lines and the codes of all tiers', async () => {
  const reply = await answering(DECLINE).send(SALE)
  const record = reply.json()
  assert.equal(reply.status, 200)
  assert.equal(Object.keys(record).join(' '), SPEC_ORDER + LINE + TIERS)
  assert.equal(record['TRANS_STATUS_NAME'], 'DECLINED')
  assert.equal(record['PO_ID'], 600001)
  assert.equal(record['API_ADVICE'], ' ')
  assert.equal(record['SERVICE_RESPONSE'], 635)
  assert.equal(record['SERVICE_ADVICE'], 'Insufficient Funds')
  assert.equal(record['PROCESSOR_RESPONSE'], 635)
  assert.equal(record['INDUSTRY_ADVICE'], ' ')
})

test('A5: a code with letters stays a string', async () => {
  const codes = { ...DECLINE.codes, service: 220, processor: 'R1', industry: 'R1' }
  const record = (await answering({ ...DECLINE, codes }).send(SALE)).json()
  assert.equal(record['PROCESSOR_RESPONSE'], 'R1')
  assert.equal(record['INDUSTRY_RESPONSE'], 'R1')
})

test('A10: a failed payment is FAILED with its service code and nothing to settle', async () => {
  const codes = {
    ...DECLINE.codes,
    service: 502,
    serviceAdvice: 'Transaction error',
    processor: '',
  }
  const record = (await answering({ state: 'failed', codes }).send(SALE)).json()
  assert.equal(record['TRANS_STATUS_NAME'], 'FAILED')
  assert.equal(record['SERVICE_RESPONSE'], 502)
  assert.equal(record['PROCESSOR_RESPONSE'], 0)
  assert.equal(record['TRANS_VALUE_SETTLED'], '')
})

test('A13: the settled value of an approved authorization is its value', async () => {
  const record = (await answering({ kind: 'authorization' }).send(SALE)).json()
  assert.equal(record['REQUEST_ACTION'], 'CCAUTHORIZE')
  assert.equal(record['TRANS_VALUE_SETTLED'], 12.5)
  assert.equal(record['CURR_CODE_ALPHA_SETTLED'], 'USD')
})

test('A13: refunds and voids are negative everywhere', async () => {
  const line = { id: 650002n, count: 1, amountMinor: -1050n, product: '1001', membershipId: null }
  const transaction = aTransaction({ kind: 'refund', valueMinor: -1050n, lines: [line] })
  const gateway = aGateway({ adjustOrder: async () => ({ kind: 'done', transaction }) })
  const record = (
    await gateway.send({ REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: '5', LI_VALUE_1: '10.50' })
  ).json()
  assert.equal(record['TRANS_VALUE'], -10.5)
  assert.equal(record['TRANS_VALUE_SETTLED'], -10.5)
  assert.equal(record['PO_LI_AMOUNT_1'], '-10.50')
})

test('O8: a void that became a refund is answered as CCCREDIT', async () => {
  const transaction = aTransaction({ kind: 'refund' })
  const gateway = aGateway({ adjustOrder: async () => ({ kind: 'done', transaction }) })
  const params = { REQUEST_ACTION: 'CCREVERSE', REQUEST_REF_PO_ID: '5', CREDIT_ON_FAIL: '1' }
  assert.equal((await gateway.send(params)).json()['REQUEST_ACTION'], 'CCCREDIT')
})

test('A6: a refused request has every field, an empty status, its code and the field', async () => {
  const changes = { ...SALE, LI_VALUE_1: undefined, XTL_CUST_ID: 'c-1', MERCH_ACCT_ID: '2001' }
  const record = (await aGateway().send(changes)).json()
  assert.equal(Object.keys(record).join(' '), SPEC_ORDER + TIERS)
  const filled = Object.entries(record).filter(([, value]) => value !== '' && value !== ' ')
  assert.deepEqual(Object.fromEntries(filled), {
    REQUEST_ACTION: 'CCAUTHCAP',
    REQ_ID: '700001',
    XTL_CUST_ID: 'c-1',
    MERCH_ACCT_ID: 2001,
    REQUEST_API_VERSION: '4.14',
    TRANS_NTOKEN_USED: 0,
    API_RESPONSE: '110',
    API_ADVICE: 'Required field',
    SERVICE_RESPONSE: 0,
    SERVICE_ADVICE: 'Declined',
    PROCESSOR_RESPONSE: 0,
    INDUSTRY_RESPONSE: 0,
    REF_FIELD: 'LI_VALUE_1',
  })
})

test('A7: a refused adjustment is DECLINED without order, transaction, amount and lines', async () => {
  const refused: AdjustmentResult = { kind: 'refused', refusal: 'not_captured' }
  const gateway = aGateway({ adjustOrder: async () => refused })
  const record = (
    await gateway.send({ REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: '5', LI_VALUE_1: '1' })
  ).json()
  assert.equal(Object.keys(record).join(' '), SPEC_ORDER + TIERS)
  assert.equal(record['TRANS_STATUS_NAME'], 'DECLINED')
  for (const name of ['PO_ID', 'TRANS_ID', 'TRANS_VALUE']) assert.equal(record[name], '', name)
  assert.equal(record['API_RESPONSE'], '0')
  assert.equal(record['SERVICE_RESPONSE'], 536)
  assert.equal(record['SERVICE_ADVICE'], 'Order not settled: Please reverse')
})

for (const [action, code, advice] of [
  ['TESTAUTH', 100, 'User Authorized'],
  ['TESTGW', 101, 'Service Available'],
] as const) {
  test(`A8: ${action} echoes the action and has one blank as empty advice, with SITE_ID 0 too`, async () => {
    for (const SITE_ID of ['0', '1001']) {
      const record = (await aGateway().send({ REQUEST_ACTION: action, SITE_ID })).json()
      assert.equal(Object.keys(record).join(' '), HEALTH)
      assert.equal(record['REQUEST_ACTION'], action)
      assert.equal(record['SERVICE_RESPONSE'], code)
      assert.equal(record['SERVICE_ADVICE'], advice)
      assert.equal(record['API_ADVICE'], ' ')
      assert.equal(record['TRANS_NTOKEN_USED'], 0)
    }
  })
}

test('A3: TESTGW is not offered in PIPES and is answered in XML', async () => {
  const reply = await aGateway().send({
    REQUEST_ACTION: 'TESTGW',
    REQUEST_RESPONSE_FORMAT: 'PIPES',
  })
  assert.match(reply.body, /^<\?xml/)
})

test('A3: an unknown format is API 113 in XML, before anything else is looked at', async () => {
  const reply = await aGateway().send({ REQUEST_RESPONSE_FORMAT: 'YAML', REQ_PASSWORD: 'wrong' })
  assert.match(reply.body, /^<\?xml.*<API_RESPONSE>113<.*<REF_FIELD>REQUEST_RESPONSE_FORMAT</)
})

test('without a format the answer is XML, and the format is known in lower case', async () => {
  const gateway = aGateway()
  assert.match((await gateway.send({ REQUEST_RESPONSE_FORMAT: undefined })).body, /^<\?xml/)
  assert.match((await gateway.send({ REQUEST_RESPONSE_FORMAT: 'pipes' })).body, /^REQUEST_ACTION=/)
})

test('A12: an internal error is API 120 with the request id, and that request is in the request log', async () => {
  const gateway = aGateway({
    takePayment: async () => {
      throw new Error('A broken assumption.')
    },
  })
  const reply = await gateway.send(SALE)
  assert.equal(reply.status, 200)
  assert.equal(reply.json()['API_RESPONSE'], '120')
  assert.equal(reply.json()['API_ADVICE'], 'System Error')
  assert.equal(reply.json()['REQ_ID'], '700001')
  assert.equal(gateway.logged[0]?.apiCode, '120')
})

test('a membership action is refused in the membership layout', async () => {
  const gateway = aGateway()
  const absent = (await gateway.send({ REQUEST_ACTION: 'SUB_CANCEL' })).json()
  assert.equal(Object.keys(absent).join(' '), MEMBERSHIP)
  assert.equal(absent['API_RESPONSE'], '110')
  assert.equal(absent['REF_FIELD'], 'REQUEST_REF_MBSHP_ID')
  const unknown = (
    await gateway.send({ REQUEST_ACTION: 'SUB_CANCEL', REQUEST_REF_MBSHP_ID: '9' })
  ).json()
  assert.equal(unknown['SERVICE_RESPONSE'], 698)
})

const EVENTS: OrderEvents = {
  events: [
    {
      transaction: aTransaction({ kind: 'authorization', orderId: 5n }),
      origin: 'portal',
      at: new Date('2026-11-02T03:04:05.678Z'),
      requestId: 1n,
      membershipReference: 'm-1',
      batchClosed: false,
    },
  ],
  isTruncated: false,
}

test('O9: CCSTATUS finds an order by either name and shows its events', async () => {
  const asked: unknown[] = []
  const gateway = aGateway({
    readOrder: async (_site, selector) => {
      asked.push(selector)
      return EVENTS
    },
  })
  const byId = await gateway.send({ REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: '5' })
  await gateway.send({ REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID_XTL: 'web-17' })
  const { COLUMNS, DATA } = byId.json() as { COLUMNS: string[]; DATA: unknown[][] }
  assert.deepEqual(asked, [
    { by: 'id', orderId: 5n },
    { by: 'reference', reference: 'web-17' },
  ])
  assert.equal(DATA[0]?.[COLUMNS.indexOf('TRANS_VALUE')], 12.5)
  assert.equal(DATA[0]?.[COLUMNS.indexOf('MBSHP_ID_XTL')], 'm-1')
  assert.equal(DATA[0]?.[COLUMNS.indexOf('REQUEST_ACTION')], 'CCAUTHORIZE')
  assert.deepEqual(COLUMNS.slice(-2), ['TRANS_TS_UTC', 'TRANS_ORIGIN'])
  assert.deepEqual(DATA[0]?.slice(-2), ['November, 02 2026 03:04:05', 'PORTAL'])
})

test('O9: an unknown order is 512 with the parameter that named it', async () => {
  const params = { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID_XTL: 'no' }
  const record = (await aGateway().send(params)).json()
  assert.equal(record['SERVICE_RESPONSE'], 512)
  assert.equal(record['REF_FIELD'], 'REQUEST_REF_PO_ID_XTL')
})

test('O9: CCTRANSUPDATE stores the sent values and leaves the rest', async () => {
  const stored: unknown[] = []
  const gateway = aGateway({
    updateOrder: async (_site, selector, update) => {
      stored.push([selector, update])
      return EVENTS
    },
  })
  const params = { REQUEST_ACTION: 'CCTRANSUPDATE', REQUEST_REF_PO_ID: '5' }
  await gateway.send({ ...params, TRANS_CUST_RECEIPT: 'PGh0bWw+' })
  assert.deepEqual(stored, [
    [
      { by: 'id', orderId: 5n },
      { receipt: 'PGh0bWw+', membershipReference: null, fields: {} },
    ],
  ])
  assert.equal((await gateway.send(params)).json()['REF_FIELD'], 'TRANS_CUSTOMER_RECEIPT')
})

test('every answer says the same in its three formats', async () => {
  const gateway = answering(DECLINE)
  const json = (await gateway.send(SALE)).json()
  const pipes = (await gateway.send({ ...SALE, REQUEST_RESPONSE_FORMAT: 'PIPES' })).body
  const fields = Object.fromEntries(pipes.split('||').map((pair) => pair.split(/=(.*)/s, 2)))
  assert.deepEqual(Object.keys(fields), Object.keys(json))
  for (const [name, value] of Object.entries(json)) {
    if (name !== 'REQ_ID') assert.equal(fields[name], String(value), name)
  }
})

test('the request log has one masked entry for each answer', async () => {
  const gateway = aGateway()
  await gateway.send(SALE)
  await gateway.send({ ...SALE, REQ_PASSWORD: 'wrong' })
  await gateway.post(formOf(SALE), 'application/json')
  const shown = gateway.logged.map(
    ({ requestId, merchantId, siteId, apiCode, state, httpStatus }) => [
      requestId,
      merchantId,
      siteId,
      apiCode,
      state,
      httpStatus,
    ],
  )
  assert.deepEqual(shown, [
    [700001n, 10n, 1001n, '0', 'APPROVED', 200],
    [700002n, null, null, '101', '', 200],
    [700003n, null, null, '113', '', 415],
  ])
  assert.equal(gateway.logged[0]?.orderId, 600001n)
  assert.doesNotMatch(
    JSON.stringify(gateway.logged.map((one) => one.parameters)),
    /4111111111111111/,
  )
})
