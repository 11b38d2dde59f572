import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListBounds, ListPlace } from '../../../src/domain/queries/list-cursor.ts'
import type { ListFilter, ListReader } from '../../../src/usecases/queries/list-reader.ts'
import { createOpenLists } from '../../../src/usecases/queries/read-list.ts'

const FILTER: ListFilter = {
  merchantId: 1n,
  from: null,
  to: null,
  values: new Map([['mode', 'test']]),
}

interface Asked {
  readonly after: ListPlace | null
  readonly bounds: ListBounds
  readonly limit: number
}

/** A list of so many rows, whose numbers are their places. */
function listOf(count: number) {
  const asked: Asked[] = []
  let watermark = 100n
  const reader = {
    readBounds: () => Promise.resolve({ watermark: (watermark += 1n), completeMicros: 7_000n }),
    readPage(
      _list: string,
      _filter: ListFilter,
      bounds: ListBounds,
      after: ListPlace | null,
      limit: number,
    ) {
      asked.push({ after, bounds, limit })
      const first = Number(after?.id ?? 0n) + 1
      const last = Math.min(count, first + limit - 1)
      const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => ({
        row: first + at,
        place: { atMicros: 0n, id: BigInt(first + at) },
      }))
      return Promise.resolve({
        rows,
        next: last < count ? { atMicros: 0n, id: BigInt(last) } : null,
      })
    },
  }
  const openList = createOpenLists({
    reader: reader as unknown as ListReader,
    digest: (text) => `d${text.length}`,
    now: () => new Date(0),
  })
  const open = async (after: string, filter = FILTER) => {
    const opened = await openList({ list: 'orders', filter, after })
    assert.equal(opened.kind, 'open')
    assert.ok(opened.kind === 'open')
    return opened.list
  }
  return { asked, open, openList }
}

test('later pages have the watermark of the first', async () => {
  const { asked, open } = listOf(5)
  const first = await (await open('')).page(2)
  const second = await (await open(first.next ?? '')).page(2)
  assert.deepEqual(
    second.rows.map(({ row }) => row as unknown),
    [3, 4],
  )
  assert.deepEqual(
    asked.map(({ bounds }) => bounds.watermark),
    [101n, 101n],
  )
})

test('a file is read in pieces of 1000 rows, each once the one before was taken', async () => {
  const { asked, open } = listOf(2_500)
  const pieces = (await open('')).pieces(null)
  await pieces.next()
  assert.equal(asked.length, 1)
  await pieces.next()
  assert.deepEqual(
    asked.map(({ limit }) => limit),
    [1_000, 1_000],
  )
})

test('a file with a limit ends with the cursor to go on from', async () => {
  const { open } = listOf(2_500)
  let rows = 0
  let next: string | null = null
  for await (const piece of (await open('')).pieces(1_100)) {
    rows += piece.rows.length
    next = piece.next
  }
  assert.equal(rows, 1_100)
  const [row] = (await (await open(next ?? '')).page(1)).rows
  assert.equal(row?.row as unknown, 1_101)
})

test('a list can go on behind each row', async () => {
  const { open } = listOf(10)
  const { rows } = await (await open('')).page(10)
  const rest = await (await open(rows[6]?.cursor ?? '')).page(10)
  assert.equal(rest.rows[0]?.row as unknown, 8)
})

test('a cursor goes with its merchant, list, times and filter only', async () => {
  const { open, openList } = listOf(5)
  const after = (await (await open('')).page(2)).next ?? ''
  for (const filter of [
    { ...FILTER, merchantId: 12n },
    { ...FILTER, from: new Date(0) },
    { ...FILTER, values: new Map([['mode', 'live!']] as const) },
  ]) {
    assert.deepEqual(await openList({ list: 'orders', filter, after }), { kind: 'filter_changed' })
  }
  const other = await openList({ list: 'batches', filter: FILTER, after })
  assert.deepEqual(other, { kind: 'filter_changed' })
})
