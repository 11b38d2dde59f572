import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import type { Client } from '../src/index.ts'
import { ClientError, createClient } from '../src/index.ts'

interface Received {
  url: string
  params: Record<string, string>
}

/** A client of a server that answers every request in one way. */
async function aClient(
  t: TestContext,
  answer: { status?: number; body?: string; silent?: boolean; headers?: Record<string, string> },
  timeoutMs?: number,
): Promise<{ client: Client; received: Received[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const params = Object.fromEntries(new URLSearchParams(await text(request)))
    received.push({ url: `${request.method} ${request.url}`, params })
    if (answer.silent === true) return
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    username: 'shop@example.test',
    password: 'pass word&1',
    siteId: 1001,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return { client, received }
}

const LOGIN = {
  REQ_USERNAME: 'shop@example.test',
  REQ_PASSWORD: 'pass word&1',
  SITE_ID: '1001',
  REQUEST_API_VERSION: '4.14',
  REQUEST_RESPONSE_FORMAT: 'JSON',
}

test('a sale is sent with its credentials and everything that was given, and nothing else', async (t) => {
  const { client, received } = await aClient(t, {})
  await client.sale({
    lines: [
      { amount: '10.00', productId: 'a' },
      { amount: '.50', count: 2 },
    ],
    cardNumber: '4111111111111111',
    expiry: '122030',
    duplicates: 'replay',
    orderReference: 'web 17',
    partial: {},
    initiator: 'merchant',
    recurring: 'first',
    billing: { country: 'US' },
    more: { XTL_UDF01: 'u' },
  })
  assert.deepEqual(received, [
    {
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
  const { client, received } = await aClient(t, {})
  await client.testAuth()
  await client.testGateway()
  await client.authorize({ amount: '1', customerId: 9 })
  await client.capture({ orderId: 5, amount: '1' })
  await client.refund({ orderId: 5, amount: '1', lineId: 6 })
  await client.void({ orderId: 5, refundOnFail: true })
  await client.captureVoid({ orderId: 5 })
  await client.status({ orderReference: 'web-17' })
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
    'REQUEST_ACTION=CCAUTHORIZE CUST_ID=9 LI_VALUE_1=1',
    'REQUEST_ACTION=CCCAPTURE REQUEST_REF_PO_ID=5 LI_VALUE_1=1',
    'REQUEST_ACTION=CCCREDIT REQUEST_REF_PO_ID=5 REQUEST_REF_PO_LI_ID=6 LI_VALUE_1=1',
    'REQUEST_ACTION=CCREVERSE REQUEST_REF_PO_ID=5 CREDIT_ON_FAIL=1',
    'REQUEST_ACTION=CCREVERSECAP REQUEST_REF_PO_ID=5',
    'REQUEST_ACTION=CCSTATUS REQUEST_REF_PO_ID_XTL=web-17',
    'REQUEST_ACTION=CCTRANSUPDATE REQUEST_REF_PO_ID=5 TRANS_CUSTOMER_RECEIPT=r',
  ])
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
  })
  const { client } = await aClient(t, { body })
  const answer = await client.sale({ amount: '6.35' })
  assert.equal(answer.status, 'DECLINED')
  assert.equal(answer.approved, false)
  assert.equal(answer.value, '6.35')
  assert.equal(answer.orderId, '600001')
  assert.deepEqual(answer.service, { code: '635', advice: 'Insufficient Funds' })
  assert.deepEqual(answer.api, { code: '0', advice: '' })
  assert.deepEqual(answer.lines, [{ lineId: '650001', count: '1', amount: '6.35', productId: '1' }])
  assert.deepEqual(answer.raw, JSON.parse(body))
})

test('the events of an order are read by the names of their columns', async (t) => {
  const body = '{"COLUMNS":["TRANS_ID","TRANS_VALUE"],"DATA":[[1,40],[2,-5]]}'
  const { client } = await aClient(t, { body })
  assert.deepEqual((await client.status({ orderId: 5 })).events, [
    { TRANS_ID: 1, TRANS_VALUE: 40 },
    { TRANS_ID: 2, TRANS_VALUE: -5 },
  ])
})

test('an order that is not there has no events and its code', async (t) => {
  const { client } = await aClient(t, { body: '{"SERVICE_RESPONSE":512,"API_RESPONSE":"0"}' })
  const status = await client.status({ orderId: 5 })
  assert.equal(status.events, null)
  assert.equal(status.service.code, '512')
})

test('a gateway that does not answer in time leaves the outcome unknown', async (t) => {
  const { client } = await aClient(t, { silent: true }, 50)
  await assert.rejects(client.sale({ amount: '1' }), (error) => {
    assert.ok(error instanceof ClientError)
    assert.match(error.message, /did not answer within 0\.05 s.*ask for the status/)
    assert.equal(error.accepted, 'unknown')
    return true
  })
})

test('a 503 says that nothing was accepted, a 502 of a proxy says nothing', async (t) => {
  for (const [status, accepted] of [
    [503, 'no'],
    [502, 'unknown'],
  ] as const) {
    const { client } = await aClient(t, { status })
    await assert.rejects(client.testAuth(), { name: 'ClientError', accepted })
  }
})

test('an answer that is not a record is an error that names baseUrl', async (t) => {
  for (const body of ['<html>', '[]', 'null']) {
    const { client } = await aClient(t, { body })
    await assert.rejects(client.testAuth(), /not answer with a JSON object\. Check that baseUrl/)
  }
})

test('a redirect is not followed, because it would carry card data away', async (t) => {
  const { client, received } = await aClient(t, {
    status: 307,
    headers: { location: '/elsewhere' },
  })
  await assert.rejects(client.sale({ amount: '1' }), ClientError)
  assert.equal(received.length, 1)
})

test('neither the password nor the card number is in an error', async (t) => {
  const { client } = await aClient(t, { status: 500 })
  await assert.rejects(client.sale({ amount: '1', cardNumber: '4111111111111111' }), (error) => {
    assert.doesNotMatch(String(error), /4111|pass word/)
    return true
  })
})
