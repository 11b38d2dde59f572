import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  endpointWaitMs,
  LONGEST_PAUSE_MS,
  MOST_ATTEMPTS,
  pauseMs,
  readRetryAfter,
} from '../../../src/domain/webhooks/delivery-schedule.ts'
import { draftRefusal } from '../../../src/domain/webhooks/endpoint-draft.ts'
import { judgeAttempt, type EndpointHealth } from '../../../src/domain/webhooks/judge-attempt.ts'

const HOUR = 3_600_000
const NOW = new Date('2026-11-24T12:00:00Z')
const GOOD: EndpointHealth = {
  state: 'enabled',
  reason: '',
  failures: 0,
  failingSince: null,
  waitUntil: null,
}
const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * HOUR)
const fails = (health: EndpointHealth, status: number | null = 500, attempts = 0) =>
  judgeAttempt(health, attempts, { status, retryAfterMs: null }, NOW, 0.5)

test('twelve attempts stretch over 71 hours and 43 minutes, give or take 15 per cent', () => {
  const whole = (random: number): number =>
    Array.from({ length: MOST_ATTEMPTS }, (_, at) => pauseMs(at + 1, random) ?? 0).reduce(
      (sum, pause) => sum + pause,
      0,
    )
  const meant = (71 * 60 + 42) * 60_000 + 35_000
  assert.deepEqual([whole(0.5), whole(0), whole(1)], [meant, meant * 0.85, meant * 1.15])
  assert.equal(pauseMs(MOST_ATTEMPTS, 0.5), null)
  assert.ok((pauseMs(MOST_ATTEMPTS - 1, 1) ?? 0) < LONGEST_PAUSE_MS)
})

test('a success ends the delivery and the failures of its endpoint', () => {
  const failing = { ...GOOD, failures: 3, failingSince: hoursAgo(1) }
  const judged = fails(failing, 204)
  assert.deepEqual(judged, { delivery: { state: 'delivered', attempts: 1 }, endpoint: GOOD })
})

test('a redirect and an exchange without an answer are failures that are retried', () => {
  for (const status of [302, null]) {
    const judged = fails(GOOD, status)
    assert.deepEqual(judged.delivery, {
      state: 'pending',
      attempts: 1,
      dueAt: new Date(NOW.getTime() + 5_000),
    })
    assert.deepEqual(judged.endpoint, { ...GOOD, failures: 1, failingSince: NOW })
  }
})

test('the delivery fails with its twelfth attempt', () => {
  assert.deepEqual(fails(GOOD, 500, 11).delivery, { state: 'failed', attempts: 12 })
})

test('the whole endpoint waits after 429 and 502 to 504, and as long as Retry-After says', () => {
  for (const status of [429, 502, 503, 504]) {
    assert.deepEqual(fails(GOOD, status).endpoint.waitUntil, new Date(NOW.getTime() + 5_000))
  }
  assert.equal(fails(GOOD, 500).endpoint.waitUntil, null)
  assert.equal(endpointWaitMs(500, 90_000, 5_000), 90_000)
  assert.equal(endpointWaitMs(429, 7 * HOUR, 5_000), HOUR)
  assert.equal(endpointWaitMs(503, null, 20 * HOUR), HOUR)
  assert.equal(endpointWaitMs(200, 90_000, null), null)
  const judged = judgeAttempt(GOOD, 0, { status: 429, retryAfterMs: 90_000 }, NOW, 0.5)
  assert.deepEqual(judged.delivery, {
    state: 'pending',
    attempts: 1,
    dueAt: new Date(NOW.getTime() + 90_000),
  })
})

test('Retry-After is read as seconds or as a date, and not as anything else', () => {
  assert.equal(readRetryAfter('120', NOW), 120_000)
  assert.equal(readRetryAfter('Tue, 24 Nov 2026 12:01:00 GMT', NOW), 60_000)
  assert.equal(readRetryAfter('Tue, 24 Nov 2026 11:00:00 GMT', NOW), 0)
  for (const text of [undefined, '', '-5', '1e3', 'soon', '2026-11-24']) {
    assert.equal(readRetryAfter(text, NOW), null)
  }
})

test('410 disables the endpoint, and its delivery waits for it', () => {
  const judged = fails(GOOD, 410, 4)
  assert.equal(judged.endpoint.state, 'disabled')
  assert.equal(judged.endpoint.reason, 'gone')
  assert.deepEqual(judged.delivery, { state: 'pending', attempts: 4, dueAt: NOW })
})

test('an endpoint is paused after 24 hours and 20 failures, and not after one of both', () => {
  const dead = { ...GOOD, failures: 19, failingSince: hoursAgo(24) }
  const { endpoint } = fails(dead)
  assert.deepEqual(endpoint, {
    state: 'paused',
    reason: 'failing',
    failures: 20,
    failingSince: hoursAgo(24),
    waitUntil: new Date(NOW.getTime() + HOUR),
  })
  assert.equal(fails({ ...dead, failures: 18 }).endpoint.state, 'enabled')
  assert.equal(fails({ ...dead, failingSince: hoursAgo(23) }).endpoint.state, 'enabled')
})

test('a probe uses up no attempt, enables the endpoint again, or disables it after five days', () => {
  const paused: EndpointHealth = {
    state: 'paused',
    reason: 'failing',
    failures: 30,
    failingSince: hoursAgo(50),
    waitUntil: hoursAgo(0),
  }
  assert.deepEqual(fails(paused, 500, 7).delivery, { state: 'pending', attempts: 7, dueAt: NOW })
  assert.deepEqual(fails(paused).endpoint.waitUntil, new Date(NOW.getTime() + HOUR))
  assert.deepEqual(fails(paused, 200).endpoint, GOOD)
  const { endpoint } = fails({ ...paused, failingSince: hoursAgo(120) })
  assert.deepEqual([endpoint.state, endpoint.reason], ['disabled', 'failing'])
})

test('a success does not resume an endpoint that a user paused', () => {
  const requested = { ...GOOD, state: 'paused', reason: 'requested' } as const
  assert.deepEqual(fails(requested, 200).endpoint, requested)
  assert.equal(fails(requested, 410).endpoint.state, 'paused')
})

test('an endpoint chooses types and beginnings of types, and no others', () => {
  const rules = { allowsLoopback: false, allowed: [], refused: [], ports: [443] }
  const url = 'https://shop.example/'
  assert.equal(draftRefusal({ url, types: ['payment.', 'batch.closed'] }, rules), null)
  for (const type of ['payment', 'pay.', 'batch.open', '']) {
    assert.deepEqual(draftRefusal({ url, types: [type] }, rules)?.field, 'types')
  }
})
