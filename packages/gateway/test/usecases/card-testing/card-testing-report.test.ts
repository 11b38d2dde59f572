import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCardTestingReport } from '../../../src/usecases/card-testing/card-testing-report.ts'

test('an attack is reported at once, then every ten seconds with its count, each site by itself', () => {
  let now = 5
  const told: unknown[] = []
  const report = createCardTestingReport({
    monotonicMs: () => now,
    report: (...line) => told.push([now, ...line]),
  })
  for (; now < 20_000; now += 10) report(1n, true, ['a'])
  report(2n, false, ['b', 'c'])

  assert.deepEqual(told, [
    [5, 1n, true, 1, ['a']],
    [10_005, 1n, true, 1_000, ['a']],
    [20_005, 2n, false, 1, ['b', 'c']],
  ])
})
