import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import pg from 'pg'
import { createRequestLogStore } from '../../../../src/adapters/postgres/audit/request-log-store.ts'
import { keepRequestRanges } from '../../../../src/adapters/postgres/audit/request-ranges.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { migrate, readMigrations } from '../../../../src/adapters/postgres/connection/migrate.ts'
import { createRetentionStore } from '../../../../src/adapters/postgres/retention/retention-store.ts'
import type { RequestLogEntry } from '../../../../src/usecases/audit/request-log.ts'
import type { RetentionRule } from '../../../../src/usecases/retention/retention-store.ts'
import { MIGRATIONS_FOLDER } from '../../../../src/wiring/migrations-folder.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const NOW = new Date('2030-01-01T12:00:00Z')
const HOUR_MS = 3_600_000
const DAYS = 90
const RULE: RetentionRule = { kind: 'requests', days: DAYS, now: NOW }
/** The end of the first range in a fresh database, and the ids of each range after it. */
const FIRST_END = 1_701_000
const WIDTH = 1_000_000

async function database(t: TestContext): Promise<Database> {
  const opened = openDatabase(await server.createDatabase(), () => undefined)
  t.after(() => opened.close())
  return opened
}

/** Each range: its first id, the id behind its last one, and whether it is full. */
async function ranges(pool: pg.Pool): Promise<readonly (readonly [number, number, boolean])[]> {
  const { rows } = await pool.query<{ first: string; end: string; full: boolean }>(
    `select first_id as first, end_id as end, full_at is not null as full
       from request_ranges order by first_id`,
  )
  return rows.map(({ first, end, full }) => [Number(first), Number(end), full])
}

/** The ranges of which there is a partition, by their first ids. */
async function partitions(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'requests'::regclass`,
  )
  return rows.map(({ name }) => Number(name.replace('requests_', ''))).sort((a, b) => a - b)
}

/** The last ids that were assigned are those of a block that begins here. */
async function assign(pool: pg.Pool, first: number): Promise<void> {
  await pool.query(`select setval('request_ids', $1)`, [first])
  await keepRequestRanges(pool)
}

async function insert(client: pg.Pool | pg.PoolClient, id: number, daysAgo: number): Promise<void> {
  await client.query({
    name: 'insert',
    text: `insert into requests (id, received_at, username, address, action, parameters,
                                 http_status, api_code, service_code, ref_field, state, took_ms)
           values ($1, $2, '', '', 'CCSTATUS', '{}', 200, '0', 0, '', '', 1)`,
    values: [id, new Date(NOW.getTime() - daysAgo * 24 * HOUR_MS)],
  })
}

async function requestIds(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>('select id from requests order by id')
  return rows.map(({ id }) => Number(id))
}

/** The second range took some hours and was full so many days ago; the first one is full now. */
async function fill(pool: pg.Pool, { hours, daysAgo }: { hours: number; daysAgo: number }) {
  await pool.query('update request_ranges set full_at = $1 where first_id = 0', [NOW])
  const fullAt = new Date(NOW.getTime() - daysAgo * 24 * HOUR_MS)
  await pool.query('update request_ranges set full_at = $2, filled_from = $3 where first_id = $1', [
    FIRST_END,
    fullAt,
    new Date(fullAt.getTime() - hours * HOUR_MS),
  ])
}

function entry(requestId: bigint): RequestLogEntry {
  return {
    requestId,
    receivedAt: NOW,
    merchantId: 1n,
    siteId: 1n,
    username: '',
    address: '',
    action: 'CCSTATUS',
    parameters: '{}',
    httpStatus: 200,
    apiCode: '0',
    serviceCode: 0,
    refField: '',
    state: '',
    orderId: null,
    transactionId: null,
    tookMs: 1,
  }
}

test('a fresh log has a first range and two ahead, and gets another when ids enter the next one', async (t) => {
  const { pool } = await database(t)
  const fresh = [
    [0, FIRST_END, false],
    [FIRST_END, FIRST_END + WIDTH, false],
    [FIRST_END + WIDTH, FIRST_END + 2 * WIDTH, false],
  ]
  await keepRequestRanges(pool)
  assert.deepEqual(await ranges(pool), fresh)

  await assign(pool, FIRST_END - 1_000)
  assert.deepEqual(await ranges(pool), fresh, 'ids of the first range are still assigned')
  await assign(pool, FIRST_END)
  assert.deepEqual(await ranges(pool), [
    [0, FIRST_END, true],
    ...fresh.slice(1),
    [FIRST_END + 2 * WIDTH, FIRST_END + 3 * WIDTH, false],
  ])
  assert.deepEqual(
    await partitions(pool),
    (await ranges(pool)).map(([first]) => first),
  )
})

for (const [wide, hours, next] of [
  [1, 11, 2],
  [1, 13, 1],
  [4, 13, 4],
  [4, 47, 4],
  [4, 49, 2],
  [1, 49, 1],
  [8, 11, 10],
] as const) {
  test(`after a range of ${wide} million ids that took ${hours} hours, one of ${next} million is opened`, async (t) => {
    const { pool } = await database(t)
    const first = FIRST_END + WIDTH
    const end = first + wide * WIDTH
    await pool.query(
      `update request_ranges set end_id = $2, filled_from = now() - $3 * interval '1 hour'
        where first_id = $1`,
      [first, end, hours],
    )
    await assign(pool, end)
    assert.deepEqual((await ranges(pool)).slice(2, 4), [
      [first, end, true],
      [end, end + next * WIDTH, false],
    ])
  })
}

test('an entry whose id is beyond all ranges gets a range, and is kept with its group', async (t) => {
  const opened = await database(t)
  const store = createRequestLogStore(opened, (error) => assert.fail(String(error)))
  const far = 50_000_123n
  for (const id of [700_001n, far, 700_002n]) store.log(entry(id))
  await store.idle()
  assert.equal(store.lost, 0)
  assert.deepEqual(await requestIds(opened.pool), [700_001, 700_002, Number(far)])
  const [, , , jump, ...ahead] = await ranges(opened.pool)
  assert.deepEqual(jump, [FIRST_END + 2 * WIDTH, Number(far) + 1, false])
  assert.equal(ahead.length, 2)
})

test('a range that is full for its days goes as a whole, and the audit log counts its rows', async (t) => {
  const { pool } = await database(t)
  await assign(pool, FIRST_END + WIDTH)
  await insert(pool, FIRST_END + 1, 92)
  await insert(pool, FIRST_END + 2, 91.5)
  await insert(pool, FIRST_END + WIDTH, 91.4)
  await fill(pool, { hours: 20, daysAgo: 91.5 })

  const store = createRetentionStore(pool)
  const shown = await store.countPage(RULE, 0n)
  assert.equal(shown.due, 3, 'a preview counts the rows of the range')
  const steps = [await store.step(RULE, 'test', false), await store.step(RULE, 'test', false)]
  assert.deepEqual(steps, [
    { erased: 2, isEnd: false },
    { erased: 1, isEnd: true },
  ])
  assert.deepEqual(await requestIds(pool), [])
  assert.deepEqual((await partitions(pool)).slice(0, 2), [0, FIRST_END + WIDTH])
  const { rows } = await pool.query<{ details: unknown }>('select details::json from audit_entries')
  assert.deepEqual(rows, [{ details: { erased: 3, days: DAYS } }])
})

test('rows of a range that was filled within a day wait for it, and those of a slow one do not', async (t) => {
  const { pool } = await database(t)
  await assign(pool, FIRST_END + WIDTH)
  const store = createRetentionStore(pool)
  await insert(pool, FIRST_END + 1, 91)
  await fill(pool, { hours: 20, daysAgo: 90.5 })
  assert.deepEqual(await store.step(RULE, 'test', false), { erased: 0, isEnd: true })
  await fill(pool, { hours: 25, daysAgo: 90.5 })
  assert.deepEqual(await store.step(RULE, 'test', false), { erased: 1, isEnd: true })
})

test('a range that a transaction reads stays, and its rows go one by one', async (t) => {
  const { pool } = await database(t)
  await assign(pool, FIRST_END + WIDTH)
  await insert(pool, FIRST_END + 1, 92)
  await fill(pool, { hours: 20, daysAgo: 91.5 })
  const reader = await pool.connect()
  try {
    await reader.query('begin; select from requests')
    const step = await createRetentionStore(pool).step(RULE, 'test', false)
    assert.deepEqual(step, { erased: 1, isEnd: true })
    assert.ok((await partitions(pool)).includes(FIRST_END))
  } finally {
    await reader.query('rollback')
    reader.release()
  }
})

test('the migrations make the old log the first range, and programs from before insert on', async (t) => {
  const pool = new pg.Pool({ connectionString: await server.createEmptyDatabase() })
  t.after(() => pool.end())
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const url = pool.options.connectionString ?? ''
  await migrate(url, migrations.slice(0, 71))
  await pool.query(`select setval('request_ids', 40000000)`)
  const program = await pool.connect()
  try {
    await insert(program, 5, 400)
    await insert(program, 40_000_999, 0)
    await migrate(url, migrations)
    await insert(program, 41_000_999, 0)
    await insert(program, 41_001_000, 0)
  } finally {
    program.release()
  }
  assert.deepEqual(await requestIds(pool), [5, 40_000_999, 41_000_999, 41_001_000])
  assert.deepEqual(await ranges(pool), [
    [0, 41_001_000, false],
    [41_001_000, 41_001_000 + WIDTH, false],
    [41_001_000 + WIDTH, 41_001_000 + 2 * WIDTH, false],
  ])
  const { rowCount } = await pool.query('select from requests_0')
  assert.equal(rowCount, 3)
})

test('a role that could read the log before its migration reads it on, and does no more', async (t) => {
  const url = await server.createEmptyDatabase()
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const role = `reports_${process.pid}`
  t.after(async () => {
    await owner.query(`drop owned by ${role}; drop role ${role}`)
    await owner.end()
  })
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  await migrate(url, migrations.slice(0, 71))
  await owner.query(`create role ${role} login; grant select on requests to ${role}`)
  await migrate(url, migrations)
  const address = new URL(url)
  address.username = role
  const reader = new pg.Client({ connectionString: address.href })
  await reader.connect()
  try {
    await reader.query('select from requests')
    for (const forbidden of [
      'delete from requests',
      'select drop_request_range(1)',
      'select keep_request_ranges(90000000)',
    ]) {
      await assert.rejects(reader.query(forbidden), /permission denied/)
    }
  } finally {
    await reader.end()
  }
})
