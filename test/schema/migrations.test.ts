import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { connectOnce } from '../../packages/gateway/src/adapters/postgres/connection/address-ring.ts'
import {
  readHeader,
  readMigrations,
  type Migration,
} from '../../packages/gateway/src/adapters/postgres/connection/migration-files.ts'
import { MIGRATIONS_FOLDER } from '../../packages/gateway/src/wiring/migrations-folder.ts'
import { startTestServer, type TestServer } from '../../packages/gateway/test/support/database.ts'
import { measureLocks, type MeasuredMigration } from '../../tools/schema/measured-locks.ts'
import { MIGRATIONS_PAGE, migrationsPage } from '../../tools/schema/migrations-page.ts'

let server: TestServer
let measured: MeasuredMigration[]
before(async () => {
  server = await startTestServer()
  measured = await measure(await readMigrations(MIGRATIONS_FOLDER))
})
after(() => server.stop())

async function measure(migrations: readonly Migration[]): Promise<MeasuredMigration[]> {
  const client = await connectOnce(await server.createEmptyDatabase(), {})
  try {
    return await measureLocks(client, migrations)
  } finally {
    await client.end()
  }
}

/** Headers that state other locks than PostgreSQL reports. */
function falseHeaders(given: readonly MeasuredMigration[]): string[] {
  return given.flatMap(({ locks, migration: { header, name } }) => {
    const text = (all: typeof locks): string =>
      all.map(({ duration, mode, table }) => `${table}, ${mode}, ${duration}`).join('; ') || 'none'
    if (header === undefined || text(header.locks) === text(locks)) return []
    return [`${name} states ${text(header.locks)}, and locks ${text(locks)}`]
  })
}

test('the page of locks is what PostgreSQL reports for each migration', () => {
  const written = readFileSync(new URL(`../../${MIGRATIONS_PAGE}`, import.meta.url), 'utf8')
  assert.equal(migrationsPage(measured), written, 'Run `npm run schema` and commit the page.')
})

test('the header of each migration states the locks that PostgreSQL reports', () => {
  assert.deepEqual(falseHeaders(measured), [])
})

/** Tables that a payment writes. */
const PAID = new Set(
  `advices batches card_testing_hits customer_logins customers event_outbox idempotency_keys
   ledger_postings order_claims order_lines orders payment_hours payment_methods requests
   transactions`.split(/\s+/),
)
/** Locks beside which a payment cannot write. */
const HOLDS_UP = /^(?:share|share row exclusive|exclusive|access exclusive)$/

/** Migrations that can deadlock with a payment, which locks its tables in its own sequence. */
function deadlocks(given: readonly MeasuredMigration[]): string[] {
  return given
    .filter(({ locks, migration: { header } }) => {
      const held = locks.filter(({ mode, table }) => PAID.has(table) && HOLDS_UP.test(mode))
      return header !== undefined && held.length > 1
    })
    .map(({ migration: { name } }) => name)
}

test('each migration locks at most one of the tables that payments write', () => {
  assert.deepEqual(deadlocks(measured), [])
  const [lock] = [{ mode: 'share', duration: 'milliseconds' } as const]
  const two = ['orders', 'requests'].map((table) => ({ ...lock, table }))
  const header = { locks: two, runsBeside: 1, concurrently: null }
  const migration = { number: 2, name: 'two tables', sql: '', header }
  assert.deepEqual(deadlocks([{ migration, locks: two }]), ['two tables'])
})

test('a header that states a weaker lock, a shorter one or none is found out', async () => {
  const first = {
    number: 1,
    name: '1',
    sql: 'create table a (x int); create table b (x int); create table c (x int)',
  }
  const changes = `alter table a alter column x type bigint;
    alter table b add check (x > 0);
    alter table c add y int;
    create table d (x int)`
  const stated = (locks: string): Promise<string[]> => {
    const sql = `${locks}\n-- Runs beside: 0001\n${changes}`
    const second = { number: 2, name: '2', sql, header: readHeader('2', 2, sql) }
    return measure([first, second]).then(falseHeaders)
  }
  const [a, b, c] = [
    '-- Locks: a, access exclusive, rewrites the table',
    '-- Locks: b, access exclusive, reads the table',
    '-- Locks: c, access exclusive, milliseconds',
  ]
  assert.deepEqual(await stated([a, b, c].join('\n')), [])
  for (const wrong of [
    [a, b],
    [a, b.replace('access exclusive', 'share'), c],
    [a.replace('rewrites', 'reads'), b, c],
    [a, b.replace('reads the table', 'milliseconds'), c],
    ['-- Locks: none'],
  ]) {
    assert.equal((await stated(wrong.join('\n'))).length, 1, wrong.join('\n'))
  }
})
