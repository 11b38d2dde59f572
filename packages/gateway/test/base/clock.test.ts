import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'

test('the system clock returns the time of the machine', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 1, 3, 4, 5, 6) })

  assert.equal(systemClock.now().toISOString(), '2026-02-03T04:05:06.000Z')
  t.mock.timers.tick(1000)
  assert.equal(systemClock.now().toISOString(), '2026-02-03T04:05:07.000Z')
})
