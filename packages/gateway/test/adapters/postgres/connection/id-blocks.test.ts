import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createIds, type IdKind } from '../../../../src/adapters/postgres/connection/id-blocks.ts'
import { BLOCK } from '../../../../src/adapters/postgres/connection/id-sequences.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
let pool: pg.Pool
before(async () => {
  server = await startTestServer()
  pool = new pg.Pool({ connectionString: await server.createDatabase() })
})
after(async () => {
  await pool.end()
  await server.stop()
})

const DAY_MS = 86_400_000
const UNGUARDED = {
  marks: { levels: () => new Map(), note: () => Promise.resolve() },
  advance: () => Promise.resolve(),
}

/** Ids of a kind: after so many, and again when so much time has passed. */
async function idsAcross(kind: IdKind, taken: number, passedMs: number): Promise<bigint[]> {
  let nowMs = 5_000
  const ids = createIds(pool, UNGUARDED, () => nowMs)
  let last = 0n
  for (let count = 0; count < taken; count += 1) last = await ids.next(kind)
  nowMs += passedMs
  return [last, await ids.next(kind)]
}

for (const taken of [1, 700]) {
  test(`after ${taken} request ids, a day leaves the rest of the block, and of the next one`, async () => {
    const [last = 0n, next = 0n] = await idsAcross('request', taken, DAY_MS)
    const { rows } = await pool.query<{ last: string }>(
      'select last_value as last from request_ids',
    )
    assert.equal(next, BigInt(rows[0]?.last ?? ''), 'the first id of the newest block')
    assert.ok(next >= last + BLOCK)
  })
}

test('a block of requests is used on before a day has passed, and one of orders after any time', async () => {
  for (const [kind, passedMs] of [
    ['request', DAY_MS - 1],
    ['order', 400 * DAY_MS],
  ] as const) {
    const [last = 0n, next] = await idsAcross(kind, 3, passedMs)
    assert.equal(next, last + 1n)
  }
})
