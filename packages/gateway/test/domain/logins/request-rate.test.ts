import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideRequestRate,
  type RequestRateLimit,
} from '../../../src/domain/logins/request-rate.ts'

const NAME = 'shop@example.com'
const limit = (perSecond: number, burst: number): RequestRateLimit => ({ perSecond, burst })

function faultsOf(before: RequestRateLimit | null, after: RequestRateLimit | null): string[] {
  const refusal = decideRequestRate(NAME, before, after)
  return refusal === null ? [] : [`${refusal.kind}: ${refusal.faults.join(' ')}`]
}

suite("an API user's own rate limit", () => {
  for (const [before, after] of [
    [null, limit(1, 1)],
    [null, limit(1_000_000, 1_000_000)],
    [null, limit(2, 7_200)],
    [limit(5, 20), limit(5, 21)],
    [limit(5, 20), limit(6, 20)],
    [limit(5, 20), null],
  ] as const) {
    test(`may become ${JSON.stringify(after)} from ${JSON.stringify(before)}`, () => {
      assert.deepEqual(faultsOf(before, after), [])
    })
  }

  test('is not set again, nor taken away where there is none', () => {
    assert.deepEqual(faultsOf(limit(5, 20), limit(5, 20)), [
      `conflict: The rate limit of ${NAME} is 5 a second with bursts of 20 already.`,
    ])
    assert.deepEqual(faultsOf(null, null), [
      `conflict: ${NAME} has no rate limit of its own already.`,
    ])
  })

  test('has whole numbers from 1 to 1000000, and both faults are reported', () => {
    const second = 'The requests a second must be a whole number from 1 to 1000000.'
    const burst = 'The burst must be a whole number from 1 to 1000000.'
    assert.deepEqual(faultsOf(null, limit(0, 1)), [`invalid: ${second}`])
    assert.deepEqual(faultsOf(null, limit(1.5, 1)), [`invalid: ${second}`])
    assert.deepEqual(faultsOf(null, limit(1, 0)), [`invalid: ${burst}`])
    assert.deepEqual(faultsOf(null, limit(1_000_001, NaN)), [`invalid: ${second} ${burst}`])
  })

  test('has no burst of more than the requests of an hour', () => {
    assert.deepEqual(faultsOf(null, limit(2, 7_201)), [
      'invalid: The burst is 7201; with 2 a second it must be at most 7200, the requests of an hour.',
    ])
  })
})
