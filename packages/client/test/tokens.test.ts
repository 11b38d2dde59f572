import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  ClientError,
  createTokenClient,
  isTokenAnswerGenuine,
  signTokenRequest,
} from '../src/index.ts'

const KEY = 'Password123'
const AT = new Date('2024-12-09T23:09:00Z')
const TIMESTAMP = '20241209230900'

function signed(body: string, requestId: string): string {
  return createHmac('sha256', KEY)
    .update(TIMESTAMP + requestId + body)
    .digest('hex')
}

test('a request is signed as the calculated vector of the interface', () => {
  const uniqueId = '32123456789012345678901234567890'
  assert.deepEqual(signTokenRequest({ siteId: 321, siteKey: KEY, at: AT, uniqueId }), {
    timestamp: TIMESTAMP,
    uniqueId,
    signature: '57fa45724cb30388735c369b9f7b2461586122832b8198e200256a711356292d',
  })
})

test('a unique id is 32 letters and digits, and differs each time', () => {
  const made = () => signTokenRequest({ siteId: 1, siteKey: KEY, at: AT }).uniqueId
  assert.match(made(), /^[0-9a-z]{32}$/)
  assert.notEqual(made(), made())
})

test('an answer is genuine in JSON and XML, in any case of letters, and only in time', () => {
  for (const body of [
    '{"TOKEN_GUID":"AB","TOKEN_REQID":"77"}',
    '<response><TOKEN_REQID>77</TOKEN_REQID></response>',
  ]) {
    const signature = signed(body, '77').toUpperCase()
    const answer = { siteKey: KEY, body: `${body}\n`, timestamp: TIMESTAMP, signature, at: AT }
    assert.ok(isTokenAnswerGenuine(answer))
    assert.ok(!isTokenAnswerGenuine({ ...answer, body: body.replace('77', '78') }))
    assert.ok(!isTokenAnswerGenuine({ ...answer, siteKey: 'other' }))
    assert.ok(!isTokenAnswerGenuine({ ...answer, signature: null }))
    assert.ok(!isTokenAnswerGenuine({ ...answer, timestamp: '20241209231401' }))
    assert.ok(!isTokenAnswerGenuine({ ...answer, at: new Date(AT.getTime() + 301_000) }))
    assert.ok(isTokenAnswerGenuine({ ...answer, at: new Date(AT.getTime() + 300_000) }))
  }
})

test('createToken rejects an answer that is not from a token service', async () => {
  for (const reply of [() => new Response('<html>'), () => Promise.reject(new Error('down'))]) {
    const client = createTokenClient({
      baseUrl: 'http://127.0.0.1:1',
      siteId: 1,
      siteKey: KEY,
      fetch: async () => reply(),
    })
    await assert.rejects(
      client.createToken({ cardNumber: '4111111111111111' }),
      (error) => error instanceof ClientError && !error.message.includes('4111'),
    )
  }
})
