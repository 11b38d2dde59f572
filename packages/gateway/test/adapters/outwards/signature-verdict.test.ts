import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeSignature } from '../../../src/adapters/outwards/signature-verdict.ts'
import { newWebhookSecret, signWebhook } from '../../../src/adapters/outwards/webhook-signature.ts'

const NOW = new Date('2026-11-27T12:00:00Z')
const [CURRENT, PREVIOUS] = [newWebhookSecret(), newWebhookSecret()]
const BODY = Buffer.from('{"type":"payment.approved"}')

const signed = (secrets = [CURRENT], at = NOW) => ({ ...signWebhook('evt_1', at, BODY, secrets) })
const judge = (headers: Record<string, string | undefined>, body = BODY) =>
  judgeSignature(headers, body, [CURRENT, PREVIOUS], NOW)

test('the verdict names the newest secret that signed', () => {
  assert.equal(judge(signed()), 'current')
  assert.equal(judge(signed([PREVIOUS])), 'previous')
  assert.equal(judge(signed([CURRENT, PREVIOUS])), 'current')
  assert.equal(judge(signed([newWebhookSecret(), PREVIOUS])), 'previous')
})

test('another secret, id, time or body makes the signature wrong', () => {
  assert.equal(judge(signed([newWebhookSecret()])), 'wrong')
  assert.equal(judge({ ...signed(), 'webhook-id': 'evt_2' }), 'wrong')
  assert.equal(judge({ ...signed(), 'webhook-timestamp': '1' }), 'wrong')
  assert.equal(judge({ ...signed(), 'webhook-timestamp': 'now' }), 'wrong')
  assert.equal(judge(signed(), Buffer.from('{}')), 'wrong')
})

test('a missing header is reported as such', () => {
  for (const name of Object.keys(signed())) {
    assert.equal(judge({ ...signed(), [name]: undefined }), 'missing', name)
  }
})

test('a good signature is too old after five minutes, and too new before them', () => {
  const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)
  assert.equal(judge(signed([CURRENT], at(-300))), 'current')
  assert.equal(judge(signed([CURRENT], at(-301))), 'too_old')
  assert.equal(judge(signed([CURRENT], at(301))), 'too_old')
})
