import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { watchIdleCores, type CoreTimes } from '../../tools/test-run/idle-cores.ts'

/** Two cores that have counted for as long as the test sets. */
function twoCores() {
  let times: CoreTimes = { idleMs: 50_000, totalMs: 90_000 }
  const watched = watchIdleCores(() => times, 2)
  return {
    ...watched,
    pass(idleMs: number, totalMs: number): void {
      times = { idleMs: times.idleMs + idleMs, totalMs: times.totalMs + totalMs }
    },
  }
}

suite('the idle cores of a machine', () => {
  test('are those of the last window alone', () => {
    const { idle, pass } = twoCores()
    assert.equal(idle(), 0)
    pass(1_000, 4_000)
    assert.equal(idle(), 0.5)
    pass(0, 2_000)
    assert.equal(idle(), 0.5, 'a window that is not over changes nothing')
    pass(4_000, 2_000 + 4_000)
    assert.equal(idle(), 1)
    pass(0, 4_000)
    assert.equal(idle(), 0)
  })

  test('are unknown until a new file had a window to show what it asks for', () => {
    const { idle, startOver, pass } = twoCores()
    pass(4_000, 4_000)
    assert.equal(idle(), 2)
    startOver()
    assert.equal(idle(), 0)
    pass(3_000, 3_000)
    assert.equal(idle(), 0)
    pass(0, 1_000)
    assert.equal(idle(), 1.5)
  })
})
