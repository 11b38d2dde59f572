import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  GOOD_ANSWER,
  liveSiteRefusal,
  MANNERS,
  noSuchReceiver,
  planAfter,
  planRefusal,
  type AnswerPlan,
} from '../../../src/domain/webhooks/receiver-answer.ts'

const BAD: AnswerPlan = { manner: 'answer', status: 500, retryAfterS: 9, delayMs: 100, left: 2 }

test('a receiver has the manners that the table allows', () => {
  assert.deepEqual(MANNERS, ['answer', 'trickle', 'hang', 'close'])
})

test('a plan with a count is followed by 204 after so many requests', () => {
  const after = planAfter(BAD)
  assert.deepEqual(after, { ...BAD, left: 1 })
  assert.deepEqual(planAfter(after), GOOD_ANSWER)
  assert.deepEqual(GOOD_ANSWER, {
    manner: 'answer',
    status: 204,
    retryAfterS: null,
    delayMs: 0,
    left: null,
  })
})

test('a plan without a count stays, as the same object', () => {
  const plan = { ...BAD, left: null }
  assert.equal(planAfter(plan), plan)
})

test('each number of a plan has limits, and both of them are allowed', () => {
  for (const [name, from, to, field] of [
    ['status', 200, 599, 'status'],
    ['retryAfterS', 0, 86_400, 'retryAfter'],
    ['delayMs', 0, 30_000, 'delay'],
    ['left', 1, 1_000, 'count'],
  ] as const) {
    const judge = (value: number) => planRefusal({ ...BAD, [name]: value })
    assert.deepEqual([judge(from), judge(to)], [null, null], name)
    for (const value of [from - 1, to + 1, from + 0.5]) {
      const refusal = judge(value)
      assert.deepEqual([refusal?.kind, refusal?.field], ['invalid', field], name)
    }
  }
  assert.equal(planRefusal({ ...BAD, retryAfterS: null, left: null }), null)
})

test('the sentences of refused plans name the limits', () => {
  const sentences = [
    { ...BAD, status: 1 },
    { ...BAD, retryAfterS: -1 },
    { ...BAD, delayMs: -1 },
    { ...BAD, left: 0 },
  ].map((plan) => planRefusal(plan)?.faults.join(' '))
  assert.deepEqual(sentences, [
    'The status must be from 200 to 599.',
    'retryAfter must be from 0 to 86400 seconds.',
    'The delay must be from 0 to 30 seconds.',
    'The count must be from 1 to 1000.',
  ])
})

test('only a test site has receivers', () => {
  assert.equal(liveSiteRefusal(7n, 'test'), null)
  const refusal = liveSiteRefusal(7n, 'live')
  assert.deepEqual([refusal?.kind, refusal?.code], ['conflict', 'live_site'])
  assert.deepEqual(refusal?.faults, ['Site 7 is in live mode. Only test sites can do this.'])
  assert.deepEqual(
    [noSuchReceiver().kind, noSuchReceiver().faults],
    ['missing', ['The site has no such receiver.']],
  )
})
