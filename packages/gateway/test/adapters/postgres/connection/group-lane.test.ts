import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createGroupLane,
  LaneFullError,
} from '../../../../src/adapters/postgres/connection/group-lane.ts'
import { NothingWrittenError } from '../../../../src/usecases/payments/learn-truth.ts'

/** Collects groups; each is written when the test says so. */
function aManualWriter(): {
  groups: number[][]
  write: (rows: readonly number[]) => Promise<number[]>
  finishNext: () => void
  /** Resolves when so many groups have been started. */
  begun: (count: number) => Promise<void>
} {
  const groups: number[][] = []
  const open: (() => void)[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  return {
    groups,
    write: (rows) =>
      new Promise((resolve) => {
        groups.push([...rows])
        open.push(() => resolve(rows.map((row) => row * 10)))
        for (const one of waiting) if (groups.length >= one.count) one.resolve()
      }),
    finishNext: () => open.shift()?.(),
    begun: (count) =>
      new Promise((resolve) => {
        if (groups.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
  }
}

test('a lone row is written at once, and rows that arrive meanwhile form the next group', async () => {
  const writer = aManualWriter()
  const lane = createGroupLane({ write: writer.write, groupSize: 64, limit: 100 })

  const first = lane.submit(1)
  await writer.begun(1)
  const others = [lane.submit(2), lane.submit(3)]
  assert.deepEqual(writer.groups, [[1]])
  assert.equal(lane.waiting(), 2)
  writer.finishNext()
  assert.equal(await first, 10)
  await writer.begun(2)
  writer.finishNext()

  assert.deepEqual(await Promise.all(others), [20, 30])
  assert.deepEqual(writer.groups, [[1], [2, 3]])
})

test('a group is never larger than its size', async () => {
  const sizes: number[] = []
  const lane = createGroupLane<number, number>({
    groupSize: 3,
    limit: 100,
    write: (rows) => {
      sizes.push(rows.length)
      return Promise.resolve([...rows])
    },
  })

  await Promise.all([1, 2, 3, 4, 5, 6, 7].map((row) => lane.submit(row)))

  assert.deepEqual(sizes, [3, 3, 1])
})

test('rows of one key are never in one group', async () => {
  const groups: string[][] = []
  const lane = createGroupLane<string, string>({
    groupSize: 64,
    limit: 100,
    keyOf: (row) => row[0],
    write: (rows) => {
      groups.push([...rows])
      return Promise.resolve([...rows])
    },
  })

  await Promise.all(['a1', 'a2', 'b1', 'a3'].map((row) => lane.submit(row)))

  assert.deepEqual(groups, [['a1', 'b1'], ['a2'], ['a3']])
})

test('a row that cannot be written fails alone', async () => {
  const lane = createGroupLane<number, number>({
    groupSize: 64,
    limit: 100,
    write: (rows) =>
      rows.includes(2) ? Promise.reject(new Error('no twos')) : Promise.resolve([...rows]),
  })

  const results = await Promise.allSettled([1, 2, 3].map((row) => lane.submit(row)))

  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a group whose connection was lost is not written a second time', async () => {
  let writes = 0
  const lane = createGroupLane<number, number>({
    groupSize: 64,
    limit: 100,
    write: () => {
      writes += 1
      return Promise.reject(Object.assign(new Error('gone'), { code: '57P01' }))
    },
  })

  await Promise.allSettled([lane.submit(1), lane.submit(2)])

  assert.equal(writes, 1)
})

test('all waiting writes fail together with the first when the database cannot be reached', async () => {
  const away = new NothingWrittenError(new Error('connect ECONNREFUSED'))
  let writes = 0
  const lane = createGroupLane<number, number>({
    groupSize: 1,
    limit: 100,
    write: () => {
      writes += 1
      return Promise.reject(away)
    },
  })

  const first = lane.submit(1)
  const second = lane.submit(2)

  await assert.rejects(first, away)
  await assert.rejects(second, away)
  assert.equal(writes, 1)
})

test('a full lane refuses more', async () => {
  const writer = aManualWriter()
  const lane = createGroupLane({ write: writer.write, groupSize: 1, limit: 1 })
  const first = lane.submit(1)
  await writer.begun(1)
  const second = lane.submit(2)

  await assert.rejects(lane.submit(3), LaneFullError)

  writer.finishNext()
  await first
  await writer.begun(2)
  writer.finishNext()
  await second
})
