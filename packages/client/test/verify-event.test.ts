import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { suite, test } from 'node:test'
import { EventNotVerifiedError, verifyEvent } from '../src/index.ts'

/** The vector of the Standard Webhooks signatures, computed by four programs alike. */
const SECRET_A = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'
const SECRET_B = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA='
const BODY =
  '{"id":"evt_0000000000000042","type":"payment.approved","timestamp":"2026-07-01T00:00:00.000Z","data":{"po_id":"600024","amount":"19.90","currency":"EUR","xtl_order_id":"Café-7"}}'
const BY_A = 'v1,L9ijpjWP6poiXQYUjc5HyIMqFuqOPOpGOywhfOppWxA='
const BY_B = 'v1,T4YzYVh5KPeY5y4eVTlxpk8KzfEByb9o3QYjzmZUB38='
const SECONDS = 1_782_864_000
const AT = new Date(SECONDS * 1_000)

const headers = (more: Readonly<Record<string, string>> = {}) => ({
  'webhook-id': 'evt_0000000000000042',
  'webhook-timestamp': String(SECONDS),
  'webhook-signature': BY_A,
  ...more,
})
const signed = (signature: string) => headers({ 'webhook-signature': signature })
const isVerified = (
  sent: Parameters<typeof verifyEvent>[1],
  secrets: string | readonly string[] = SECRET_A,
  { at = AT, body = BODY as string | Uint8Array } = {},
): boolean => {
  try {
    return verifyEvent(body, sent, secrets, { at }).type === 'payment.approved'
  } catch (error) {
    assert.ok(error instanceof EventNotVerifiedError, String(error))
    return false
  }
}
const signedNow = (timestamp: string, body: string | Buffer = BODY): string => {
  const key = Buffer.from(SECRET_A.slice(6), 'base64')
  const hmac = createHmac('sha256', key).update(`evt_0000000000000042.${timestamp}.`).update(body)
  return `v1,${hmac.digest('base64')}`
}

suite('the signature of an event', () => {
  test('is verified by each secret, with the body as text and as bytes', () => {
    assert.ok(isVerified(headers()))
    assert.ok(isVerified(signed(BY_B), SECRET_B))
    assert.ok(isVerified(headers(), SECRET_A, { body: Buffer.from(BODY) }))
    assert.ok(isVerified(headers(), SECRET_A, { body: new Uint8Array(Buffer.from(BODY)) }))
    assert.ok(!isVerified(headers(), SECRET_B))
  })

  test('is verified while a secret is rotated, on both sides', () => {
    assert.ok(isVerified(signed(`${BY_A} ${BY_B}`), SECRET_A))
    assert.ok(isVerified(signed(`${BY_A} ${BY_B}`), SECRET_B))
    assert.ok(isVerified(signed(BY_B), [SECRET_A, SECRET_B]))
  })

  test('of another version is passed over, and the next entry is tried', () => {
    assert.ok(isVerified(signed(`v1a,${BY_B.slice(3)} v2,abc ${BY_A}`)))
    assert.ok(!isVerified(signed(`v1a,${BY_A.slice(3)}`)))
  })

  test('is refused in a list with commas, in other spellings, and under the text of the secret', () => {
    for (const signature of [
      '',
      `${BY_A},${BY_B}`,
      BY_A.replace('v1,', 'v1='),
      BY_A.slice(0, -1),
      `${BY_A.slice(0, -2)}B=`,
      ` ${BY_A.slice(3)}`,
      'v1,Qa4nKa+7XVOZHQi5wqax/28yx0kkhTCyzuoLEoVL3LA=',
    ]) {
      assert.ok(!isVerified(signed(signature)), signature)
    }
  })

  test('is refused for another id, another time and a body that was written again', () => {
    assert.ok(!isVerified(headers({ 'webhook-id': 'evt_0000000000000043' })))
    assert.ok(!isVerified(headers({ 'webhook-timestamp': String(SECONDS + 1) })))
    const again = JSON.stringify(JSON.parse(BODY), null, 1)
    assert.ok(!isVerified(headers(), SECRET_A, { body: again }))
  })

  test('of something that is no event, or no UTF-8, is refused', () => {
    for (const body of ['[]', '{"type":1}', 'null', Buffer.from([0x22, 0xff, 0x22])]) {
      const signature = signedNow(String(SECONDS), typeof body === 'string' ? body : body)
      assert.ok(!isVerified(signed(signature), SECRET_A, { body }))
    }
  })
})

suite('the time of an event', () => {
  test('may be 300 seconds off, and not 301, on either side', () => {
    for (const seconds of [300, -300]) {
      assert.ok(isVerified(headers(), SECRET_A, { at: new Date(AT.getTime() + seconds * 1_000) }))
    }
    for (const seconds of [301, -301]) {
      assert.ok(!isVerified(headers(), SECRET_A, { at: new Date(AT.getTime() + seconds * 1_000) }))
    }
  })

  test('is a whole number of seconds and nothing else', () => {
    for (const timestamp of [
      `${SECONDS}abc`,
      ` ${SECONDS}`,
      `0${SECONDS}`,
      `${SECONDS}.0`,
      `+${SECONDS}`,
      '1.782864e9',
      '',
    ]) {
      const sent = headers({
        'webhook-timestamp': timestamp,
        'webhook-signature': signedNow(timestamp),
      })
      assert.ok(!isVerified(sent), timestamp)
    }
  })

  test('is that of this machine unless one is given', () => {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const sent = headers({
      'webhook-timestamp': timestamp,
      'webhook-signature': signedNow(timestamp),
    })
    assert.equal(verifyEvent(BODY, sent, SECRET_A).id, 'evt_0000000000000042')
    assert.throws(() => verifyEvent(BODY, headers(), SECRET_A), EventNotVerifiedError)
  })
})

suite('the headers of an event', () => {
  test('are read in any case of letters, and from an object of fetch', () => {
    const upper = Object.fromEntries(
      Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), value]),
    )
    assert.ok(isVerified(upper))
    assert.ok(isVerified(new Headers(headers())))
  })

  test('that are missing or came twice are refused', () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
      assert.ok(!isVerified({ ...headers(), [name]: undefined }))
      const value = headers()[name]
      assert.ok(!isVerified({ ...headers(), [name]: [value, value] }))
      assert.ok(!isVerified({ ...headers(), [name.toUpperCase()]: value }))
    }
  })
})

test('a secret in another form is a mistake that is thrown, and its text is in no message', () => {
  for (const secret of ['', 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX', 'whsec_c2hvcnQ=', 'whsec_%%%']) {
    assert.throws(
      () => verifyEvent(BODY, headers(), secret, { at: AT }),
      (error) => error instanceof TypeError && (secret === '' || !error.message.includes(secret)),
    )
  }
  assert.throws(() => verifyEvent(BODY, headers(), [], { at: AT }), TypeError)
})
