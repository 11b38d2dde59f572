import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CAUGHT_BODY_LIMIT,
  describeCaught,
  MOST_CAUGHT,
} from '../../../src/domain/webhooks/caught-request.ts'

const NUMBER = '4111111111111111'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('a request is kept with its event, its headers and its body', () => {
  const body = '{"id":"evt_1","type":"payment.approved","text":"\u00e9"}'
  assert.deepEqual(
    describeCaught(
      { 'webhook-id': 'evt_1', 'x-list': ['a', 'b'], 'x-none': undefined },
      bytes(body),
    ),
    {
      eventId: 'evt_1',
      eventType: 'payment.approved',
      headers: [
        ['webhook-id', 'evt_1'],
        ['x-list', 'a, b'],
        ['x-none', ''],
      ],
      body,
      bodyBytes: body.length + 1,
    },
  )
})

test('the limits are those of the documentation and of the table', () => {
  assert.deepEqual([CAUGHT_BODY_LIMIT, MOST_CAUGHT], [64 * 1_024, 200])
})

test('a request without an event has an empty id and type', () => {
  for (const body of ['', 'no JSON', 'null', '7', '{}', '{"type":7}', '[]']) {
    const { eventId, eventType } = describeCaught({ 'webhook-id': ['a', 'b'] }, bytes(body))
    assert.deepEqual([eventId, eventType], ['', ''], body)
  }
})

test('card numbers are masked wherever they stand, and no login is kept', () => {
  const caught = describeCaught(
    {
      'webhook-id': NUMBER,
      [NUMBER]: 'x',
      'x-card': `card ${NUMBER}`,
      authorization: 'Basic a',
      cookie: 'b',
      'proxy-authorization': 'c',
    },
    bytes(`{"type":"${NUMBER}","pan":"${NUMBER}"}`),
  )
  assert.ok(!JSON.stringify(caught).includes(NUMBER))
  assert.deepEqual(caught.headers.slice(-3), [
    ['authorization', '(not kept)'],
    ['cookie', '(not kept)'],
    ['proxy-authorization', '(not kept)'],
  ])
})

test('long texts are cut, further headers are dropped, and a null character is replaced', () => {
  const many = Object.fromEntries(Array.from({ length: 41 }, (_, at) => [`x-${at}`, 'v']))
  assert.equal(describeCaught(many, bytes('')).headers.length, 40)
  const caught = describeCaught(
    { 'webhook-id': 'i'.repeat(81), 'x-long': 'v'.repeat(501), 'x-null': 'a\0b' },
    bytes(`{"type":"${'t'.repeat(81)}"}\0`),
  )
  assert.deepEqual([caught.eventId.length, caught.eventType.length], [80, 0])
  assert.equal(caught.headers[1]?.[1].length, 500)
  assert.equal(caught.headers[2]?.[1], 'a\ufffdb')
  assert.ok(caught.body.endsWith('\ufffd'))
  assert.equal(describeCaught({}, bytes(`{"type":"${'t'.repeat(81)}"}`)).eventType.length, 80)
})
