import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type pg from 'pg'
import { openDatabase } from '../../../../src/adapters/postgres/connection/database.ts'
import { createAdviceStore } from '../../../../src/adapters/postgres/payments/advice-store.ts'
import type { AdviceStore } from '../../../../src/usecases/payments/advice-store.ts'
import type { CardVault } from '../../../../src/usecases/vault/card-vault.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const NOW = new Date('2030-01-01T12:00:00Z')
const LATER = new Date('2030-01-01T12:01:00Z')

/** No refund is among the advices, so no number is read. */
const NO_VAULT = {} as CardVault

const NOTHING = new Map<bigint, number>()

interface Queue {
  readonly lane: pg.Pool
  readonly store: AdviceStore
}

/** A queue on the lane that a gateway has for it. */
async function queue(t: TestContext): Promise<Queue & { readonly url: string }> {
  const url = await server.createDatabase()
  return { url, ...storeOf(t, url) }
}

function storeOf(t: TestContext, url: string): Queue {
  const database = openDatabase(url, () => undefined)
  t.after(() => database.close())
  const lane = database.lane('advices')
  const onFault = (advice: string, error: unknown): never => {
    throw new Error(`advice ${advice}`, { cause: error })
  }
  return { lane, store: createAdviceStore(lane, NO_VAULT, onFault) }
}

/** Captures of a merchant that wait, `each` of every order from `firstOrder` on. */
async function enqueue(
  lane: pg.Pool,
  firstOrder: number,
  orders: number,
  each = 1,
  merchant = 1,
): Promise<void> {
  await lane.query(
    `insert into advices (id, merchant_id, order_id, transaction_id, sequence, kind, amount_minor, original_mti,
                          original_number, original_at, message_number, message_at, next_try_at, created_at)
     select o * 10 + s, $5::bigint, o, o * 10 + s, s, 'capture', 100, '0100', o * 10, $4, o * 10 + s, $4, $4, $4
       from generate_series($1::bigint, $1 + $2 - 1) o, generate_series(1, $3::int) s`,
    [firstOrder, orders, each, NOW, merchant],
  )
}

/** How many entries of indexes of advices were read while `work` was done. */
async function entriesRead(lane: pg.Pool, work: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    await lane.query('select pg_stat_force_next_flush()')
    const { rows } = await lane.query<{ sum: string }>(
      `select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'advices'`,
    )
    return Number(rows[0]?.sum)
  }
  const readBefore = await read()
  await work()
  return (await read()) - readBefore
}

test('an advice is taken only when all earlier ones of its order are acknowledged', async (t) => {
  const { lane, store } = await queue(t)
  await enqueue(lane, 1, 2, 3)
  const taken = async (): Promise<string[]> => {
    await store.take({ free: 10, used: NOTHING }, NOW, LATER)
    const { rows } = await lane.query<{ id: string }>(
      `select id from advices where tries = 1 and state = 'queued' order by id`,
    )
    return rows.map(({ id }) => id)
  }
  assert.deepEqual(await taken(), ['11', '21'])
  assert.deepEqual(await taken(), ['11', '21'])
  await store.acknowledge(11n, '00', NOW, null)
  assert.deepEqual(await taken(), ['12', '21'])
})

test('one advice is taken and acknowledged by reading a few entries of indexes, however many wait', async (t) => {
  const { lane, store } = await queue(t)
  await enqueue(lane, 1, 2_000)
  const taken = 200
  const toTake = await entriesRead(lane, () =>
    store.take({ free: 2 * taken, used: NOTHING }, NOW, LATER),
  )
  assert.ok(toTake < 5 * taken, `${toTake} entries were read`)
  const toAcknowledge = await entriesRead(lane, () => store.acknowledge(11n, '00', NOW, null))
  assert.ok(toAcknowledge < 10, `${toAcknowledge} entries were read`)
})

/** How many advices of each merchant are leased. */
async function leased(lane: pg.Pool): Promise<Record<string, number>> {
  const { rows } = await lane.query<{ merchant_id: string; count: number }>(
    `select merchant_id, count(*)::int as count from advices where next_try_at = $1
      group by merchant_id order by merchant_id`,
    [LATER],
  )
  return Object.fromEntries(rows.map(({ merchant_id, count }) => [merchant_id, count]))
}

test('a merchant alone gets half of the free places, and merchants together leave a part free', async (t) => {
  const { lane, store } = await queue(t)
  await enqueue(lane, 1, 500, 1, 7)
  await store.take({ free: 256, used: NOTHING }, NOW, LATER)
  assert.deepEqual(await leased(lane), { 7: 128 })

  await enqueue(lane, 1_001, 50, 1, 8)
  await enqueue(lane, 2_001, 50, 1, 9)
  await store.take({ free: 128, used: new Map([[7n, 128]]) }, NOW, LATER)
  assert.deepEqual(await leased(lane), { 7: 128, 8: 42, 9: 42 })
})

test('places go to the merchants that use fewest', async (t) => {
  const { lane, store } = await queue(t)
  for (const merchant of [1, 2, 3, 4]) await enqueue(lane, merchant * 100, 5, 1, merchant)
  const used = new Map([
    [1n, 1],
    [2n, 1],
  ])

  await store.take({ free: 2, used }, NOW, LATER)
  assert.deepEqual(await leased(lane), { 3: 1, 4: 1 })
})

test('of merchants that use as much, the one whose advice has waited longest comes first', async (t) => {
  const { lane, store } = await queue(t)
  for (const merchant of [1, 2, 3]) await enqueue(lane, merchant * 100, 1, 1, merchant)
  const earlier = new Date(NOW.getTime() - 1_000)
  await lane.query('update advices set next_try_at = $1 where merchant_id = 3', [earlier])

  await store.take({ free: 1, used: NOTHING }, NOW, LATER)
  assert.deepEqual(await leased(lane), { 3: 1 })
})

test('gateways that take advices at the same time take none twice', async (t) => {
  const { lane, url } = await queue(t)
  for (const merchant of [1, 2, 3]) await enqueue(lane, merchant * 1_000, 150, 1, merchant)
  const stores = [0, 1, 2].map(() => storeOf(t, url).store)

  const takeAll = async (store: AdviceStore): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      await store.take({ free: 20, used: NOTHING }, NOW, LATER)
    }
  }
  await Promise.all(stores.map(takeAll))

  const { rows } = await lane.query('select min(tries), max(tries) from advices')
  assert.deepEqual(rows, [{ min: 1, max: 1 }])
})
