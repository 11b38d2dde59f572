import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createActivity } from '../../src/jobs/activity.ts'
import { startWorker } from '../../src/jobs/worker.ts'

const neverIdle = createActivity({
  monotonicMs: () => 0,
  isHeard: () => false,
  announce: () => undefined,
})

test('a stopping worker finishes its job and starts no other', async () => {
  const begun = Promise.withResolvers<void>()
  const work = Promise.withResolvers<boolean>()
  let runs = 0
  const worker = startWorker(
    [
      {
        name: 'a long job',
        everyMs: 60_000,
        run: () => {
          runs += 1
          begun.resolve()
          return work.promise
        },
      },
    ],
    neverIdle,
    () => assert.fail('the job failed'),
  )
  await begun.promise

  let isStopped = false
  const stopped = worker.stop().then(() => (isStopped = true))
  worker.wake('a long job')
  await Promise.resolve()
  assert.equal(isStopped, false)
  work.resolve(true) // There would be more to do.

  await stopped
  assert.equal(runs, 1)
})

test('a long job learns that the worker stops', async () => {
  const begun = Promise.withResolvers<void>()
  const worker = startWorker(
    [
      {
        name: 'a long job',
        everyMs: 60_000,
        run: (signal) => {
          begun.resolve()
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve(true)))
        },
      },
    ],
    neverIdle,
    () => assert.fail('the job failed'),
  )
  await begun.promise
  await worker.stop()
})

test('a worker that waits for its next turn stops at once', async () => {
  const worker = startWorker(
    [{ name: 'a rare job', everyMs: 60_000, run: () => Promise.resolve(false) }],
    neverIdle,
    () => assert.fail('the job failed'),
  )

  await worker.stop()
})

test('a resting job handles all work that arrives meanwhile together', async () => {
  let runs = 0
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const ends = [first, second]
  const worker = startWorker(
    [
      {
        name: 'a job that rests',
        everyMs: 60_000,
        restMs: 1_000,
        run: () => {
          ends[runs]?.resolve()
          runs += 1
          return Promise.resolve(false)
        },
      },
    ],
    neverIdle,
    () => assert.fail('the job failed'),
  )
  await first.promise
  for (let woken = 0; woken < 10; woken += 1) {
    worker.wake('a job that rests')
    await setImmediate()
  }

  await second.promise
  assert.equal(runs, 2)
  await worker.stop()
})
