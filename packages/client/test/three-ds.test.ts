import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSingleRequestClient, type SingleRequestClient } from '../src/single-requests.ts'

/** A client of a server that says `answer` to every request. */
async function aClient(
  t: TestContext,
  answer: Readonly<Record<string, unknown>> = {},
): Promise<{
  client: SingleRequestClient
  received: { path: string; own: Record<string, string> }[]
}> {
  const received: { path: string; own: Record<string, string> }[] = []
  const server = createServer(async (request, response) => {
    const own = Object.fromEntries(new URLSearchParams(await text(request)))
    for (const name of LOGIN) delete own[name]
    received.push({ path: request.url ?? '', own })
    response.end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    client: createSingleRequestClient({ baseUrl, username: 'u', password: 'p', siteId: 1001 }),
    received,
  }
}

const LOGIN = [
  'REQ_USERNAME',
  'REQ_PASSWORD',
  'SITE_ID',
  'REQUEST_API_VERSION',
  'REQUEST_RESPONSE_FORMAT',
]

const BROWSER = { language: 'en-GB', userAgent: 'Mozilla/5.0', acceptHeader: 'text/html' }

test('a session is asked for at its own address, without an action', async (t) => {
  const { client, received } = await aClient(t, {
    REQ_ID: 2968,
    JWT: 'a.b.c',
    MERCH_ACCT_ID: '148',
    DDC_URL: 'https://gateway.example/V2/Cruise/Collect',
    DDC_REFERENCEID: '2968-148',
  })
  const session = await client.threeDsSession({
    leadingDigits: '40000000',
    currency: 'EUR',
    billing: { country: 'DE', city: 'Kassel' },
  })
  assert.deepEqual(received, [
    {
      path: '/payment/3dsrequest.cfm',
      own: { PMT_BIN: '40000000', REQUEST_CURRENCY: 'EUR', BILL_ADDR_COUNTRY: 'DE' },
    },
  ])
  assert.deepEqual(session.collection, {
    url: 'https://gateway.example/V2/Cruise/Collect',
    jwt: 'a.b.c',
  })
  assert.equal(session.ddcReference, '2968-148')
  assert.equal(session.merchantAccountId, '148')
})

test('an answer that lacks a part of the session has none, and says why', async (t) => {
  const { client } = await aClient(t, {
    JWT: 'a.b.c',
    DDC_REFERENCEID: '1-2',
    API_RESPONSE: '113',
    API_ADVICE: 'Invalid Data',
  })
  const session = await client.threeDsSession({ cardToken: 'token' })
  assert.equal(session.collection, null)
  assert.equal(session.ddcReference, '')
  assert.deepEqual(session.api, { code: '113', advice: 'Invalid Data' })
})

test('an enrolment carries the reference, the way back and all that is known of the browser', async (t) => {
  const { client, received } = await aClient(t)
  await client.sale({
    amount: '10.00',
    cardNumber: '4000000000002503',
    threeDs: {
      ddcReference: '2968-148',
      returnUrl: 'https://shop.example/return?order=k',
      window: '02',
      browser: {
        ...BROWSER,
        ipAddress: '203.0.113.7',
        javaEnabled: false,
        javaScriptEnabled: true,
        colorDepth: 24,
        screenHeight: 1080,
        screenWidth: 1920,
        timeZoneOffset: -60,
      },
    },
  })
  assert.deepEqual(received[0]?.own, {
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: '4000000000002503',
    LI_VALUE_1: '10.00',
    REQUEST_ENROLLMENT: '1',
    DDC_REFERENCEID: '2968-148',
    P3DS_RETURN_URL: 'https://shop.example/return?order=k',
    P3DS_CHALLENGE_WINDOW: '02',
    P3DS_BROWSER_LANGUAGE: 'en-GB',
    USER_AGENT_XTL: 'Mozilla/5.0',
    P3DS_BROWSER_HEADER: 'text/html',
    P3DS_IP_ADDRESS: '203.0.113.7',
    P3DS_JAVA_ENABLED: 'FALSE',
    P3DS_JAVASCRIPT_ENABLED: 'TRUE',
    P3DS_BROWSER_COLOR_DEPTH: '24',
    P3DS_SCREEN_HEIGHT: '1080',
    P3DS_SCREEN_WIDTH: '1920',
    P3DS_BROWSER_TIME_ZONE: '60',
  })
})

test('the client sends no parameters for unknown browser data', async (t) => {
  const { client, received } = await aClient(t)
  await client.authorize({
    amount: '1',
    threeDs: { ddcReference: 'r', returnUrl: 'https://shop.example/', browser: BROWSER },
  })
  assert.deepEqual(Object.keys(received[0]?.own ?? {}).sort(), [
    'DDC_REFERENCEID',
    'LI_VALUE_1',
    'P3DS_BROWSER_HEADER',
    'P3DS_BROWSER_LANGUAGE',
    'P3DS_RETURN_URL',
    'REQUEST_ACTION',
    'REQUEST_ENROLLMENT',
    'USER_AGENT_XTL',
  ])
})

test('the last call sends an empty response too', async (t) => {
  const { client, received } = await aClient(t)
  await client.sale({ amount: '1', threeDs: { transactionId: 'Abc', response: '' } })
  assert.deepEqual(received[0]?.own, {
    REQUEST_ACTION: 'CCAUTHCAP',
    LI_VALUE_1: '1',
    P3DS_PROCTRANSID: 'Abc',
    REQUEST_PARES: '',
  })
})

test('an authentication from outside and an exemption ask for no enrolment', async (t) => {
  const { client, received } = await aClient(t)
  await client.sale({
    amount: '1',
    threeDs: { eci: '05', cavv: 'AAAB', dsTransactionId: 'ds', version: '2.2.0' },
  })
  await client.sale({ amount: '1', threeDs: { exemption: 'low-value' } })
  const own = received.map((call) =>
    Object.fromEntries(Object.entries(call.own).filter(([name]) => /3DS|REQ_/.test(name))),
  )
  assert.deepEqual(own, [
    { P3DS_ECI: '05', P3DS_CAVV: 'AAAB', P3DS_TRANSID: 'ds', P3DS_VERSION: '2.2.0' },
    { REQ_LOW_VALUE_SCAEXEMPTION: '1' },
  ])
})

test('an answer that asks for a challenge says where the browser goes, and with what', async (t) => {
  const { client } = await aClient(t, {
    TRANS_STATUS_NAME: 'PENDING',
    P3DS_RESPONSE: 'C',
    P3DS_ACS_URL: 'https://gateway.example/V2/Cruise/StepUp',
    P3DS_PAYLOAD: 'x.y.z',
    P3DS_PROCTRANSID: 'Abc',
  })
  const answer = await client.sale({ amount: '1' })
  assert.equal(answer.status, 'PENDING')
  assert.equal(answer.approved, false)
  assert.deepEqual(answer.threeDs, {
    status: 'C',
    eci: '',
    dsTransactionId: '',
    transactionId: 'Abc',
    cardholderInfo: '',
    challenge: {
      url: 'https://gateway.example/V2/Cruise/StepUp',
      jwt: 'x.y.z',
      transactionId: 'Abc',
    },
  })
})

test('a result of 3-D Secure is read, and its absence is null', async (t) => {
  const { client } = await aClient(t, {
    TRANS_STATUS_NAME: 'APPROVED',
    P3DS_RESPONSE: 'Y',
    P3DS_ECI: '05',
    P3DS_TRANSID: 'ds',
    P3DS_CARDHOLDER_INFO: 'Call us.',
  })
  assert.deepEqual((await client.sale({ amount: '1' })).threeDs, {
    status: 'Y',
    eci: '05',
    dsTransactionId: 'ds',
    transactionId: '',
    cardholderInfo: 'Call us.',
    challenge: null,
  })
  const { client: without } = await aClient(t, { TRANS_STATUS_NAME: 'APPROVED', P3DS_RESPONSE: '' })
  assert.equal((await without.sale({ amount: '1' })).threeDs, null)
})
