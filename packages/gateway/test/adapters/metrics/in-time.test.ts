import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTime } from '../../../src/adapters/metrics/in-time.ts'

test('a metric whose read of the database does not end is given up after two seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const read = inTime(() => new Promise<number>(() => undefined))()
  t.mock.timers.tick(2_000)
  await assert.rejects(read, /did not answer a metric within 2000 ms/)
})

test('a metric has the value that the database answers in time, or its error', async () => {
  assert.equal(await inTime(() => Promise.resolve(7))(), 7)
  await assert.rejects(
    inTime(() => Promise.reject(new Error('the database is away')))(),
    /the database is away/,
  )
})
