import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { ClientError } from '../src/index.ts'
import { aGateway, LOGIN_OF_TESTS, type ScriptedAnswer } from './scripted-gateway.ts'

const REQUEST = { amount: '12.50', cardToken: 'token', orderReference: 'basket-1' }
const says = (fields: object): ScriptedAnswer => ({ body: JSON.stringify(fields) })
const APPROVED = says({ TRANS_STATUS_NAME: 'APPROVED', PO_ID: 7 })
const SYSTEM_ERROR = says({ API_RESPONSE: '120', API_ADVICE: 'System Error' })
const RUNNING = says({ TRANS_STATUS_NAME: 'RUNNING', PO_ID: 7 })
const REFUSED = says({ API_RESPONSE: '101' })
const USED_TOKEN = says({ API_RESPONSE: '401', REF_FIELD: 'TOKEN_GUID' })
const NOT_FOUND = says({ API_RESPONSE: '0', SERVICE_RESPONSE: 512 })
const CUT: ScriptedAnswer = { cut: true }

/** CCSTATUS that lists one payment of each status. */
function listed(...statuses: readonly string[]): ScriptedAnswer {
  return says({
    COLUMNS: ['REQUEST_ACTION', 'TRANS_STATUS_NAME', 'PO_ID'],
    DATA: statuses.map((status, at) => ['CCAUTHCAP', status, at + 1]),
  })
}

for (const [what, doubt] of [
  ['cut', CUT],
  ['an HTTP 502', { status: 502 }],
  ['no JSON', { body: '<html>' }],
  ['API 120', SYSTEM_ERROR],
  ['RUNNING', RUNNING],
] as const) {
  test(`a payment whose first answer is ${what} is sent again, word for word`, async (t) => {
    const { client, received } = await aGateway(t, [doubt, APPROVED])
    const answer = await client.pay(REQUEST)
    assert.equal(answer.status, 'APPROVED')
    assert.equal(received.length, 2)
    assert.deepEqual(received[1], received[0])
    const { XTL_ORDER_ID, UNIQUE_XTL_ORDER_ID } = received[0]?.params ?? {}
    assert.deepEqual([XTL_ORDER_ID, UNIQUE_XTL_ORDER_ID], ['basket-1', '2'])
  })
}

test('a payment with a key is repeated with the key as header and parameter', async (t) => {
  const { client, received } = await aGateway(t, [CUT, APPROVED])
  await client.pay({ ...REQUEST, idempotencyKey: 'attempt-1' })
  assert.deepEqual(
    received.map(({ key, params }) => [key, params['IDEMPOTENCY_KEY']]),
    [
      ['attempt-1', 'attempt-1'],
      ['attempt-1', 'attempt-1'],
    ],
  )
})

for (const [what, answer, accepted] of [
  ['APPROVED', APPROVED, 'APPROVED'],
  ['DECLINED', says({ TRANS_STATUS_NAME: 'DECLINED' }), 'DECLINED'],
  ['FAILED', says({ TRANS_STATUS_NAME: 'FAILED' }), 'FAILED'],
  ['PENDING', says({ TRANS_STATUS_NAME: 'PENDING' }), 'PENDING'],
  ['refused', REFUSED, ''],
] as const) {
  test(`a payment that is ${what} at once is sent once`, async (t) => {
    const { client, received } = await aGateway(t, [answer])
    assert.equal((await client.pay(REQUEST)).status, accepted)
    assert.equal(received.length, 1)
  })
}

test('a payment that is found by its status has the advice about its next payment', async (t) => {
  const found = says({
    COLUMNS: [
      'REQUEST_ACTION',
      'TRANS_STATUS_NAME',
      'TRANS_ADVICE_CODE',
      'TRANS_RETRY_AFTER',
      'TRANS_ACCOUNT_UPDATE',
    ],
    DATA: [['CCAUTHCAP', 'DECLINED', '24', 'Mon, 02 Nov 2026 04:04:06 GMT', 'ask']],
  })
  const { client, received } = await aGateway(t, [CUT, USED_TOKEN, found])
  const { accountUpdate, adviceCode, httpRequestId, retryAfter } = await client.pay(REQUEST)
  assert.equal(received[2]?.params['REQUEST_RETRY_ADVICE'], '1')
  const retryAt = new Date('2026-11-02T04:04:06Z')
  assert.deepEqual(
    [adviceCode, retryAfter, accountUpdate, httpRequestId],
    ['24', retryAt, 'ask', ''],
  )
})

test('words of headers that the client does not know are no advice', async (t) => {
  const headers = { 'tollgate-retry-after': 'perhaps', 'tollgate-account-update': 'lost' }
  const { client } = await aGateway(t, [{ ...APPROVED, headers }])
  const { accountUpdate, adviceCode, retryAfter } = await client.pay(REQUEST)
  assert.deepEqual([adviceCode, retryAfter, accountUpdate], ['', null, null])
})

for (const [what, answer] of [
  ['a refusal', { status: 503 }],
  ['an answer that is no JSON, and then none', { body: '<html>' }],
] as const) {
  test(`the error after ${what} has the id by which an operator finds the request`, async (t) => {
    const headers = { 'tollgate-request-id': 'kfgcilojbhdn-1k' }
    const { client } = await aGateway(t, [{ ...answer, headers }, CUT], 200)
    await assert.rejects(client.pay(REQUEST), {
      name: 'ClientError',
      httpRequestId: 'kfgcilojbhdn-1k',
    })
  })
}

test('a payment that was not accepted at once is reported, and not sent again', async (t) => {
  const { client, received } = await aGateway(t, [{ status: 503 }])
  await assert.rejects(client.pay(REQUEST), { name: 'ClientError', accepted: 'no' })
  assert.equal(received.length, 1)
})

test('a 503 after a lost answer leaves the payment in doubt, and it is sent again', async (t) => {
  const { client, received } = await aGateway(t, [CUT, { status: 503 }, APPROVED])
  assert.equal((await client.pay(REQUEST)).status, 'APPROVED')
  assert.equal(received.length, 3)
})

test('a payment is unknown only after it was repeated, even if each answer takes too long', async (t) => {
  const { client, received } = await aGateway(t, [{ silent: true }], 600)
  await assert.rejects(client.pay(REQUEST), (error) => {
    assert.ok(error instanceof ClientError)
    assert.equal(error.accepted, 'unknown')
    assert.match(error.message, /payment 'basket-1' is still unknown after 2 tries within 0\.6 s/)
    return true
  })
  assert.equal(received.length, 2)
})

test('a payment that runs for longer than the call is returned as RUNNING', async (t) => {
  const { client } = await aGateway(t, [RUNNING], 600)
  const { orderId, status } = await client.pay(REQUEST)
  assert.deepEqual([status, orderId], ['RUNNING', '7'])
})

for (const [what, statuses, expected] of [
  ['approved', ['DECLINED', 'APPROVED', 'FAILED'], 'APPROVED 2'],
  ['pending', ['PENDING'], 'PENDING 1'],
  ['declined', ['DECLINED', 'FAILED'], 'DECLINED 1'],
] as const) {
  test(`a repeat whose token is used up returns the stored payment that is ${what}`, async (t) => {
    const { client, received } = await aGateway(t, [CUT, USED_TOKEN, listed(...statuses)])
    const answer = await client.pay(REQUEST)
    assert.equal(`${answer.status} ${answer.orderId}`, expected)
    assert.equal(received[2]?.params['REQUEST_REF_PO_ID_XTL'], 'basket-1')
  })
}

test('a repeat that is refused is the answer if the gateway has no such order', async (t) => {
  const { client } = await aGateway(t, [CUT, USED_TOKEN, NOT_FOUND])
  const { api, status } = await client.pay(REQUEST)
  assert.deepEqual([status, api.code], ['', '401'])
})

test('a repeat that is refused is no answer while the status is refused too', async (t) => {
  const { client } = await aGateway(t, [CUT, REFUSED], 600)
  await assert.rejects(client.pay(REQUEST), (error) => {
    assert.ok(error instanceof ClientError)
    assert.equal(error.accepted, 'unknown')
    assert.match(error.message, /refused the question with API 101/)
    return true
  })
})

test('a reference that another payment has is refused, even after a lost answer', async (t) => {
  const other = says({ API_RESPONSE: '0', SERVICE_RESPONSE: 685 })
  const { client, received } = await aGateway(t, [CUT, other])
  assert.equal((await client.pay(REQUEST)).service.code, '685')
  assert.equal(received.length, 2)
})

const REFUND = { orderId: 7, amount: '5.00', idempotencyKey: 'return-1' }

test('a refund whose answer is lost is sent again under the same key', async (t) => {
  const { client, received } = await aGateway(t, [CUT, APPROVED])
  assert.equal((await client.refund(REFUND)).status, 'APPROVED')
  assert.equal(received.length, 2)
  assert.deepEqual(received[1], received[0])
  assert.equal(received[0]?.key, 'return-1')
})

test('a refund whose repeat is refused is unknown, and the error names its key', async (t) => {
  const { client } = await aGateway(t, [CUT, REFUSED], 600)
  await assert.rejects(client.refund(REFUND), (error) => {
    assert.ok(error instanceof ClientError)
    assert.equal(error.accepted, 'unknown')
    assert.match(error.message, /CCCREDIT with the key 'return-1' is still unknown/)
    return true
  })
})

test('a refund under a key of another request is refused, even after a lost answer', async (t) => {
  const other = says({ API_RESPONSE: '0', SERVICE_RESPONSE: 685 })
  const { client, received } = await aGateway(t, [CUT, other])
  assert.equal((await client.refund(REFUND)).service.code, '685')
  assert.equal(received.length, 2)
})

test('a payment whose gateway restarts after a lost answer is sent again when it is back', async (t) => {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    if (requests > 1) return response.end(APPROVED.body)
    // Refuses connections from now on, and comes back at the same port.
    const { port } = server.address() as AddressInfo
    server.close(() => setTimeout(() => server.listen(port, '127.0.0.1'), 300))
    return request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { createClient } = await import('../src/index.ts')
  const { port } = server.address() as AddressInfo
  const client = createClient({ ...LOGIN_OF_TESTS, baseUrl: `http://127.0.0.1:${port}` })
  assert.equal((await client.pay(REQUEST)).status, 'APPROVED')
})
