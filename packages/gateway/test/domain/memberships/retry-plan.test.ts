import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DEFAULT_RETRY_DAYS,
  retriesLeft,
  retryDaysFault,
} from '../../../src/domain/memberships/retry-plan.ts'
import { shown, utc } from './a-membership.ts'

const FAILED = utc('2026-02-28 08:00')

test('unless a site says otherwise, retries are 1, 3, 5 and 7 days after the first failure', () => {
  const seen: string[] = []
  for (let at = FAILED; ;) {
    const left = retriesLeft(DEFAULT_RETRY_DAYS, FAILED, at)
    if (left === null) break
    assert.equal(shown(left.lastAt), '2026-03-07 08:00')
    seen.push(shown(left.nextAt))
    at = left.nextAt
  }
  assert.deepEqual(seen, [
    '2026-03-01 08:00',
    '2026-03-03 08:00',
    '2026-03-05 08:00',
    '2026-03-07 08:00',
  ])
})

test('a failure between two retries moves neither', () => {
  const left = retriesLeft(DEFAULT_RETRY_DAYS, FAILED, utc('2026-03-02 23:00'))
  assert.equal(left && shown(left.nextAt), '2026-03-03 08:00')
})

test('a plan without days leaves no retry', () => {
  assert.equal(retriesLeft([], FAILED, FAILED), null)
})

test('a plan is whole days in sequence, 30 at most, and not too many', () => {
  for (const days of [[], [1], DEFAULT_RETRY_DAYS, [1, 2, 30]]) {
    assert.equal(retryDaysFault(days), null)
  }
  assert.match(retryDaysFault([0]) ?? '', /after 0 days; use whole days from 1 to 30/)
  assert.match(retryDaysFault([1.5]) ?? '', /after 1.5 days/)
  assert.match(retryDaysFault([1, 31]) ?? '', /after 31 days/)
  assert.match(retryDaysFault([3, 1]) ?? '', /after 1 days is not after the one before it/)
  assert.match(retryDaysFault([2, 2]) ?? '', /put the days in sequence/)
  assert.match(retryDaysFault(Array.from({ length: 16 }, (_, n) => n + 1)) ?? '', /16 retries/)
})
