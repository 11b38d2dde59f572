import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, createTokenClient, type ClientOptions } from '../src/index.ts'
import { aGateway, LOGIN_OF_TESTS } from './scripted-gateway.ts'

const OPTIONS: ClientOptions = { ...LOGIN_OF_TESTS, baseUrl: 'https://pay.example' }

for (const [changes, words] of [
  [{ baseUrl: '127.0.0.1:18080' }, "baseUrl is '127.0.0.1:18080'; expected http or https"],
  [{ baseUrl: 'localhost:8080' }, "baseUrl is 'localhost:8080'; expected"],
  [{ baseUrl: 'https://pay.example/payment/' }, 'without a path'],
  [{ baseUrl: 'https://me:secret@pay.example' }, 'baseUrl is no address; expected'],
  [{ baseUrl: '' }, "baseUrl is ''; expected"],
  [{ siteId: '10O1' }, "siteId is '10O1'; expected a positive whole number, such as 1001"],
  [{ siteId: 1.5 }, 'siteId is the number 1.5; expected'],
  [{ siteId: 0 }, 'siteId is the number 0; expected'],
  [{ siteId: Number.NaN }, 'siteId is the number NaN; expected'],
  [{ username: '' }, 'username is empty; expected text'],
] as const) {
  test(`a client is refused for ${JSON.stringify(changes)}, with what was expected`, () => {
    assert.throws(
      () => createClient({ ...OPTIONS, ...changes }),
      (error) => {
        assert.ok(error instanceof Error && error.message.includes(words), String(error))
        assert.doesNotMatch(error.message, /secret/)
        return true
      },
    )
  })
}

test('a token client is refused for a base address without a scheme', () => {
  assert.throws(
    () => createTokenClient({ baseUrl: '127.0.0.1:8080', siteId: 1, siteKey: 'k' }),
    /baseUrl is '127\.0\.0\.1:8080'; expected http or https/,
  )
})

/** Values that only plain JavaScript can pass. */
const FLOAT = 12.5 as unknown as string

for (const [changes, words] of [
  [{ amount: FLOAT }, "amount is the number 12.5; expected decimal text such as '12.50'"],
  [{ amount: '12,50' }, "amount is '12,50'; expected decimal text"],
  [{ amount: '-1' }, "amount is '-1'; expected decimal text"],
  [{ amount: '.' }, "amount is '.'; expected decimal text"],
  [{ lines: [{ amount: '1' }, { amount: FLOAT }] }, 'lines[1].amount is the number 12.5; expected'],
  [{ partial: { minimum: FLOAT } }, 'partial.minimum is the number 12.5; expected'],
  [{ orderReference: undefined as unknown as string }, 'orderReference is missing; expected text'],
  [{ orderReference: ' ' }, "orderReference is ' '; expected text"],
  [{ idempotencyKey: '' }, "idempotencyKey is ''; expected 1 to 64 printable characters"],
  [{ orderReference: 'x'.repeat(256) }, 'orderReference is a long text; expected text of 1 to 255'],
  [
    { more: { unique_xtl_order_id: '0' } },
    'more has unique_xtl_order_id, which makes repeats unsafe',
  ],
] as const) {
  test(`a payment with ${words.split(';')[0]} is refused before anything is sent`, async (t) => {
    const { client, received } = await aGateway(t, [{}])
    const request = { amount: '12.50', orderReference: 'basket-1', ...changes }
    await assert.rejects(client.pay(request), (error) => {
      assert.ok(error instanceof Error && error.message.includes(words), String(error))
      assert.ok('accepted' in error && error.accepted === 'no')
      return true
    })
    assert.deepEqual(received, [])
  })
}

test('a refund of a float is refused before anything is sent', async (t) => {
  const { client, received } = await aGateway(t, [{}])
  const refund = { orderId: 5, idempotencyKey: 'return-1' }
  await assert.rejects(client.refund({ ...refund, amount: FLOAT }), /amount is the number 12\.5/)
  assert.deepEqual(received, [])
})

for (const [key, words] of [
  [undefined, 'idempotencyKey is missing; expected 1 to 64 printable characters that you stored'],
  ['', "idempotencyKey is ''; expected"],
  [' return-1', "idempotencyKey is ' return-1'; expected"],
  ['Rückgabe', "idempotencyKey is 'Rückgabe'; expected"],
  ['x'.repeat(65), 'idempotencyKey is a long text; expected'],
] as const) {
  test(`a refund under the key ${JSON.stringify(key)} is refused before anything is sent`, async (t) => {
    const { client, received } = await aGateway(t, [{}])
    const idempotencyKey = key as unknown as string
    await assert.rejects(
      client.refund({ orderId: 5, amount: '1.00', idempotencyKey }),
      (error) => error instanceof Error && error.message.includes(words),
    )
    assert.deepEqual(received, [])
  })
}

test('a refund that would be an unreferenced credit is refused, because keys do not protect it', async (t) => {
  const { client, received } = await aGateway(t, [{}])
  const more = { force_credit: '1' }
  await assert.rejects(
    client.refund({ orderId: 5, amount: '1.00', idempotencyKey: 'return-1', more }),
    /more has force_credit, which makes repeats unsafe/,
  )
  assert.deepEqual(received, [])
})

test('raw refuses a payment without a reference and mode 2, in any case of letters', async (t) => {
  const { client, received } = await aGateway(t, [{}])
  for (const parameters of [
    { REQUEST_ACTION: 'CCAUTHCAP' },
    { request_action: 'ccauthorize', xtl_order_id: 'basket-1' },
    { REQUEST_ACTION: 'CCAUTHCAP', XTL_ORDER_ID: 'basket-1', UNIQUE_XTL_ORDER_ID: '1' },
  ]) {
    await assert.rejects(client.raw(parameters), /needs XTL_ORDER_ID and UNIQUE_XTL_ORDER_ID=2/)
  }
  assert.deepEqual(received, [])
  await client.raw({ Request_Action: 'CCAuthCap', xtl_po_id: 'b', unique_xtl_order_id: '2' })
  assert.equal(received.length, 1)
})
