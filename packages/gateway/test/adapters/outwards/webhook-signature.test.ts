import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { newWebhookSecret, signWebhook } from '../../../src/adapters/outwards/webhook-signature.ts'
import { Secret } from '../../../src/base/secret.ts'

const A = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX'
const B = 'whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA='
const ID = 'evt_0000000000000042'
const AT = new Date('2026-07-01T00:00:00.900Z')
const BODY = Buffer.from(
  '{"id":"evt_0000000000000042","type":"payment.approved","timestamp":"2026-07-01T00:00:00.000Z","data":{"po_id":"600024","amount":"19.90","currency":"EUR","xtl_order_id":"Café-7"}}',
)

test('an event has the signatures of the published vector, with a blank between', () => {
  assert.equal(BODY.byteLength, 179)
  assert.deepEqual(signWebhook(ID, AT, BODY, [new Secret(A), new Secret(B)]), {
    'webhook-id': ID,
    'webhook-timestamp': '1782864000',
    'webhook-signature':
      'v1,L9ijpjWP6poiXQYUjc5HyIMqFuqOPOpGOywhfOppWxA= v1,T4YzYVh5KPeY5y4eVTlxpk8KzfEByb9o3QYjzmZUB38=',
  })
})

test('the public verifier accepts an event with either of two secrets, and with no third', () => {
  const [first, second, third] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
  const headers = { ...signWebhook(ID, new Date(), BODY, [first, second]) }
  for (const secret of [first, second]) {
    assert.ok(new Webhook(secret.reveal()).verify(BODY.toString(), headers))
  }
  assert.throws(() => new Webhook(third.reveal()).verify(BODY.toString(), headers))
})

test('the public verifier refuses an event that is older than five minutes', () => {
  const secret = newWebhookSecret()
  const headers = { ...signWebhook(ID, new Date(Date.now() - 301_000), BODY, [secret]) }
  assert.throws(() => new Webhook(secret.reveal()).verify(BODY.toString(), headers), /too old/)
})

test('a secret is the base64 text of 32 random bytes with its prefix, and is not printed', () => {
  const [one, other] = [newWebhookSecret(), newWebhookSecret()]
  assert.match(one.reveal(), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notEqual(one.reveal(), other.reveal())
  assert.ok(!`${one} ${JSON.stringify(one)}`.includes('whsec_'))
})
