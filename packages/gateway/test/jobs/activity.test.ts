import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createActivity, IDLE_AFTER_MS } from '../../src/jobs/activity.ts'
import { IDLE_EVERY_MS, startWorker } from '../../src/jobs/worker.ts'

/** An activity by a clock that only the test moves. */
function anActivity() {
  const state = { nowMs: 0, heard: true, announced: 0 }
  const activity = createActivity({
    monotonicMs: () => state.nowMs,
    isHeard: () => state.heard,
    announce: () => (state.announced += 1),
  })
  return { state, activity }
}

test('a process is idle once nothing has happened for the whole idle time, and a touch ends that', () => {
  const { activity, state } = anActivity()
  let ended = 0
  const forget = activity.onEnd(() => (ended += 1))
  state.nowMs = IDLE_AFTER_MS - 1
  assert.equal(activity.isIdle(), false)
  state.nowMs = IDLE_AFTER_MS
  assert.equal(activity.isIdle(), true)

  activity.touch()
  activity.touch()
  assert.deepEqual([activity.isIdle(), ended], [false, 1])
  state.nowMs *= 2
  assert.equal(activity.isIdle(), true)
  forget()
  activity.touch()
  assert.equal(ended, 1)
})

test('a process that does not hear the others is never idle', () => {
  const { activity, state } = anActivity()
  state.heard = false
  state.nowMs = 10 * IDLE_AFTER_MS

  assert.equal(activity.isIdle(), false)
})

test('the first request after a quiet time is announced at once, and a crowd of them a few times', () => {
  const { activity, state } = anActivity()
  activity.request()
  assert.equal(state.announced, 1)
  for (state.nowMs = 1; state.nowMs < IDLE_AFTER_MS; state.nowMs += 10) activity.request()
  assert.equal(state.announced, 3)

  state.nowMs = 5 * IDLE_AFTER_MS
  activity.touch()
  assert.equal(state.announced, 3)
  activity.request()
  assert.equal(state.announced, 4)
})

test('a job of an idle process looks at its idle pace, and the end of the idle time wakes it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { activity, state } = anActivity()
  let runs = 0
  const job = { name: 'a job', everyMs: 250, run: () => Promise.resolve((runs += 1) < 0) }
  const worker = startWorker([job], activity, () => assert.fail('the job failed'))
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const pass = async (ms: number): Promise<void> => {
    state.nowMs += ms
    t.mock.timers.tick(ms)
    await settle()
  }
  await settle()
  assert.equal(runs, 1)
  await pass(250)
  assert.equal(runs, 2)

  await pass(IDLE_AFTER_MS)
  assert.equal(runs, 3)
  await pass(IDLE_EVERY_MS - 1)
  assert.equal(runs, 3)
  activity.touch()
  await settle()
  assert.equal(runs, 4)
  await pass(250)
  assert.equal(runs, 5)
  const stopped = worker.stop()
  t.mock.timers.tick(IDLE_EVERY_MS)
  await stopped
})
