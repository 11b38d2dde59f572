import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClientError, StatusUnknownError } from '../src/index.ts'
import { createSingleRequestClient } from '../src/single-requests.ts'
import { aGateway, LOGIN_OF_TESTS } from './scripted-gateway.ts'

const LOGIN = {
  REQ_USERNAME: LOGIN_OF_TESTS.username,
  REQ_PASSWORD: LOGIN_OF_TESTS.password,
  SITE_ID: '1001',
  REQUEST_API_VERSION: '4.14',
  REQUEST_RESPONSE_FORMAT: 'JSON',
}

test('a sale is sent with its credentials and everything that was given, and nothing else', async (t) => {
  const { client, received } = await aGateway(t, [{}])
  await client.pay({
    lines: [
      { amount: '10.00', productId: 'a' },
      { amount: '.50', count: 2 },
    ],
    cardNumber: '4111111111111111',
    expiry: '122030',
    orderReference: 'web 17',
    partial: {},
    initiator: 'merchant',
    recurring: 'first',
    billing: { country: 'US' },
    more: { XTL_UDF01: 'u' },
  })
  assert.deepEqual(received, [
    {
      key: undefined,
      url: 'POST /payment/pmt_service.cfm',
      params: {
        ...LOGIN,
        REQUEST_ACTION: 'CCAUTHCAP',
        PMT_NUMB: '4111111111111111',
        PMT_EXPIRY: '122030',
        LI_VALUE_1: '10.00',
        LI_PROD_ID_1: 'a',
        LI_VALUE_2: '.50',
        LI_COUNT_2: '2',
        XTL_ORDER_ID: 'web 17',
        UNIQUE_XTL_ORDER_ID: '2',
        PARTIAL_AUTH: '1',
        REQUEST_INITATOR: 'M',
        REQUEST_REBILL: '2',
        BILL_ADDR_COUNTRY: 'US',
        XTL_UDF01: 'u',
      },
    },
  ])
})

test('each call sends its own action', async (t) => {
  const { client, received } = await aGateway(t, [{}])
  await client.testAuth()
  await client.testGateway()
  await client.authorize({ amount: '1', customerId: 9, orderReference: 'web-17' })
  await client.capture({ orderId: 5, amount: '1', idempotencyKey: 'parcel-1' })
  await client.refund({ orderReference: 'web-17', amount: '1', lineId: 6, idempotencyKey: 'r-1' })
  await client.void({ orderId: 5, refundOnFail: true, idempotencyKey: 'v-1' })
  await client.captureVoid({ orderId: 5, idempotencyKey: 'v-2' })
  await client.status({ orderReference: 'web-17' }).catch(() => null)
  await client.updateTransaction({ orderId: 5, receipt: 'r' })
  const own = received.map(({ params }) =>
    Object.entries(params)
      .filter(([name]) => !(name in LOGIN))
      .map((pair) => pair.join('='))
      .join(' '),
  )
  assert.deepEqual(own, [
    'REQUEST_ACTION=TESTAUTH',
    'REQUEST_ACTION=TESTGW',
    'REQUEST_ACTION=CCAUTHORIZE CUST_ID=9 LI_VALUE_1=1 XTL_ORDER_ID=web-17 UNIQUE_XTL_ORDER_ID=2',
    'REQUEST_ACTION=CCCAPTURE REQUEST_REF_PO_ID=5 LI_VALUE_1=1 IDEMPOTENCY_KEY=parcel-1',
    'REQUEST_ACTION=CCCREDIT REQUEST_REF_PO_ID_XTL=web-17 REQUEST_REF_PO_LI_ID=6 LI_VALUE_1=1 IDEMPOTENCY_KEY=r-1',
    'REQUEST_ACTION=CCREVERSE REQUEST_REF_PO_ID=5 CREDIT_ON_FAIL=1 IDEMPOTENCY_KEY=v-1',
    'REQUEST_ACTION=CCREVERSECAP REQUEST_REF_PO_ID=5 IDEMPOTENCY_KEY=v-2',
    'REQUEST_ACTION=CCSTATUS REQUEST_REF_PO_ID_XTL=web-17',
    'REQUEST_ACTION=CCTRANSUPDATE REQUEST_REF_PO_ID=5 TRANS_CUSTOMER_RECEIPT=r',
  ])
  // Headers of the key, which some clients of the interface can only send as a parameter.
  assert.deepEqual(
    received.map(({ key }) => key).filter((key) => key !== undefined),
    ['parcel-1', 'r-1', 'v-1', 'v-2'],
  )
})

test('an answer is read into words, and given raw too', async (t) => {
  const body = JSON.stringify({
    TRANS_STATUS_NAME: 'DECLINED',
    TRANS_VALUE: 6.35,
    PO_ID: 600001,
    SERVICE_RESPONSE: 635,
    SERVICE_ADVICE: 'Insufficient Funds',
    API_RESPONSE: '0',
    API_ADVICE: ' ',
    PO_LI_ID_1: '650001',
    PO_LI_COUNT_1: 1,
    PO_LI_AMOUNT_1: '6.35',
    PO_LI_PROD_ID_1: '1',
    MBSHP_ID_1: '5000',
    CARD_BRAND_TRANSID: '112200000000004',
  })
  const { client } = await aGateway(t, [{ body }])
  const answer = await client.pay({ amount: '6.35', orderReference: 'web-17' })
  assert.equal(answer.status, 'DECLINED')
  assert.equal(answer.approved, false)
  assert.equal(answer.value, '6.35')
  assert.equal(answer.orderId, '600001')
  assert.equal(answer.networkTransactionId, '112200000000004')
  assert.deepEqual(answer.service, { code: '635', advice: 'Insufficient Funds' })
  assert.deepEqual(answer.api, { code: '0', advice: '' })
  assert.deepEqual(answer.lines, [
    { lineId: '650001', count: '1', amount: '6.35', productId: '1', membershipId: '5000' },
  ])
  assert.deepEqual(answer.raw, JSON.parse(body))
})

test('the events of an order are read by the names of their columns', async (t) => {
  const body = '{"COLUMNS":["TRANS_ID","TRANS_VALUE"],"DATA":[[1,40],[2,-5]]}'
  const { client } = await aGateway(t, [{ body }])
  const status = await client.status({ orderId: 5 })
  assert.ok(status.found)
  assert.deepEqual(status.events, [
    { TRANS_ID: 1, TRANS_VALUE: 40 },
    { TRANS_ID: 2, TRANS_VALUE: -5 },
  ])
})

test('only SERVICE 512 means that an order was not found', async (t) => {
  const { client } = await aGateway(t, [{ body: '{"SERVICE_RESPONSE":512,"API_RESPONSE":"0"}' }])
  assert.equal((await client.status({ orderId: 5 })).found, false)
})

for (const [answer, apiCode] of [
  [{ body: '{"API_RESPONSE":"101","SERVICE_RESPONSE":0}' }, '101'],
  [{ body: '{"API_RESPONSE":"120","SERVICE_RESPONSE":512}' }, '120'],
  [{ body: '{"API_RESPONSE":"0","SERVICE_RESPONSE":500}' }, '0'],
  [{ status: 503 }, ''],
  [{ cut: true }, ''],
] as const) {
  test(`a status that is answered with ${JSON.stringify(answer)} is unknown, not missing`, async (t) => {
    const { client } = await aGateway(t, [answer])
    await assert.rejects(client.status({ orderReference: 'web-17' }), (error) => {
      assert.ok(error instanceof StatusUnknownError)
      assert.match(error.message, /^The status of order 'web-17' is unknown: /)
      assert.equal(error.apiCode, apiCode)
      assert.ok(!('accepted' in error))
      return true
    })
  })
}

test('a gateway that does not answer in time leaves the outcome unknown', async (t) => {
  const { baseUrl } = await aGateway(t, [{ silent: true }])
  const client = createSingleRequestClient({ ...LOGIN_OF_TESTS, baseUrl, timeoutMs: 50 })
  await assert.rejects(client.sale({ amount: '1' }), (error) => {
    assert.ok(error instanceof ClientError)
    assert.match(error.message, /did not answer within 0\.05 s/)
    assert.equal(error.accepted, 'unknown')
    return true
  })
})

test('a 503 says that nothing was accepted, a 502 of a proxy says nothing', async (t) => {
  for (const [status, accepted] of [
    [503, 'no'],
    [404, 'no'],
    [502, 'unknown'],
    [403, 'unknown'],
  ] as const) {
    const { client } = await aGateway(t, [{ status }])
    await assert.rejects(client.testAuth(), { name: 'ClientError', accepted })
  }
})

test('an answer that is not a record is an error that names baseUrl', async (t) => {
  for (const body of ['<html>', '[]', 'null']) {
    const { client } = await aGateway(t, [{ body }])
    await assert.rejects(client.testAuth(), /not answer with a JSON object\..*Check that baseUrl/)
  }
})

test('a redirect is not followed, because it would carry card data away', async (t) => {
  const { client, received } = await aGateway(t, [
    { status: 307, headers: { location: '/elsewhere' } },
  ])
  await assert.rejects(client.pay({ amount: '1', orderReference: 'web-17' }), { accepted: 'no' })
  assert.equal(received.length, 1)
})

test('neither the password nor the card number is in an error', async (t) => {
  const { client } = await aGateway(t, [{ status: 500 }], 100)
  const request = { amount: '1', cardNumber: '4111111111111111', orderReference: 'web-17' }
  await assert.rejects(client.pay(request), (error) => {
    assert.doesNotMatch(String(error), /4111|pass word/)
    return true
  })
})
