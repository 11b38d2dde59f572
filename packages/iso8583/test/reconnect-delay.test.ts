import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reconnectDelayMs } from '../src/reconnect-delay.ts'

test('waits double from the shortest to the longest', () => {
  const delays = [0, 1, 2, 3, 6, 7, 8, 5_000].map((failures) =>
    reconnectDelayMs(failures, { shortestMs: 50, longestMs: 5_000 }, () => 0.999_999),
  )
  assert.deepEqual(delays.map(Math.round), [50, 100, 200, 400, 3200, 5000, 5000, 5000])
})

test('half of a wait is random, so that clients do not come back in step', () => {
  const limits = { shortestMs: 50, longestMs: 5_000 }
  assert.equal(
    reconnectDelayMs(3, limits, () => 0),
    200,
  )
  assert.equal(
    reconnectDelayMs(3, limits, () => 0.5),
    300,
  )
})
