import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../../../src/adapters/postgres/connection/migrate.ts'
import { readMigrations } from '../../../../src/adapters/postgres/connection/migration-files.ts'
import { assertSchemaFits } from '../../../../src/adapters/postgres/connection/schema-fit.ts'
import { Secret } from '../../../../src/base/secret.ts'
import { MIGRATIONS_FOLDER } from '../../../../src/wiring/migrations-folder.ts'
import { prepareDatabase } from '../../../../src/wiring/prepare-database.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

test('eight starters at once run each migration once', async () => {
  const url = await server.createEmptyDatabase()
  const migrations = await readMigrations(MIGRATIONS_FOLDER)

  const runs = await Promise.all(Array.from({ length: 8 }, () => migrate(url, migrations)))

  assert.deepEqual(
    runs.flat(),
    migrations.map((migration) => migration.name),
  )
})

test('a program that meets a newer schema refuses to start and changes nothing', async () => {
  const url = await server.createEmptyDatabase()
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const newer = [
    ...migrations,
    { number: migrations.length + 1, name: 'newer', sql: 'create table newer ()' },
  ]
  await migrate(url, newer)
  const pool = new pg.Pool({ connectionString: url })

  await assert.rejects(migrate(url, migrations), /knows schemas up to/)
  await assert.rejects(assertSchemaFits(pool, migrations.length), /Start the newer version/)

  await pool.end()
})

test('a start that only checks the schema refuses an empty database and leaves it empty', async () => {
  const databaseUrl = await server.createEmptyDatabase()
  const vaultKey = new Secret(Buffer.alloc(32, 7).toString('base64'))
  const options = { databaseUrl, vaultKey, sandbox: false }

  await assert.rejects(
    prepareDatabase({ ...options, checksSchema: true }),
    /has no schema yet. Run `tollgate migrate` with a DATABASE_URL of the role that owns/,
  )

  const pool = new pg.Pool({ connectionString: databaseUrl })
  const { rows } = await pool.query(`select from pg_class where relname = 'schema_migrations'`)
  await pool.end()
  assert.equal(rows.length, 0)
})

test('a migration that fails leaves nothing behind', async () => {
  const url = await server.createEmptyDatabase()
  const broken = [{ number: 1, name: 'broken', sql: 'create table half (); select 1 / 0' }]

  await assert.rejects(migrate(url, broken), /division by zero/)

  assert.deepEqual(
    await migrate(url, [{ number: 1, name: 'mended', sql: 'create table half ()' }]),
    ['mended'],
  )
})

test('a role without rights on the schema is refused with the name of the role that has them', async () => {
  const url = await server.createEmptyDatabase()
  const one = { number: 1, name: '0001_one.sql', sql: 'create table one ()' }
  const owner = new pg.Pool({ connectionString: url })
  await owner.query(`create role serving_without_rights login password 'serving'`)
  const serving = new URL(url)
  serving.username = 'serving_without_rights'
  serving.password = 'serving'

  await assert.rejects(migrate(serving.href, [one]), /no schema yet, and the role .* CREATE on/)
  await migrate(url, [one])
  await assert.rejects(migrate(serving.href, [one]), /Grant it SELECT on that table, or use the/)

  await owner.query('grant select on schema_migrations to serving_without_rights')
  assert.deepEqual(await migrate(serving.href, [one]), [])
  const two = { number: 2, name: '0002_two.sql', sql: 'create table two ()' }
  const missing =
    /serving_without_rights may not apply migration 0002_two\.sql\. .* of the role \w+, which owns/
  await assert.rejects(migrate(serving.href, [one, two]), missing)
  await owner.query('drop owned by serving_without_rights')
  await owner.query('drop role serving_without_rights')
  await owner.end()
})

test('losses of rapid resolutions from before migration 47 are returned and posted as refunds', async (t) => {
  const url = await server.createEmptyDatabase()
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  await migrate(url, migrations.slice(0, 46))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  // Files, feeds and accounts are not read here.
  await client.query(`
    set session_replication_role = replica;
    insert into settlement_sources (id, merchant_id, merchant_account_id, currency, sender,
                                    receiver, account, since, fx_band_basis_points, made_by)
      overriding system value
      select n, 1, 2000 + n, 'USD', 'bank', '414000', 'A' || n, '2020-01-01', 0, 'test' from unnest(array[7, 8]) n;
    insert into disputes (id, merchant_id, merchant_account_id, feed_id, case_id, state, brand,
                          amount_minor, currency, is_charged, opened_at, charged_at, changed_at,
                          ended_at)
      overriding system value
      values (1, 1, 2001, 1, 'rapid', 'lost', 'Visa', 500, 'USD', true, now(), now(), now(), now()),
             (2, 1, 2001, 1, 'lost', 'lost', 'Visa', 700, 'USD', true, now(), now(), now(), now());
    insert into dispute_notices (feed_id, n, merchant_id, sender, notice_id, dispute_id, event,
                                 happened_at, amount_minor, currency, state_after, content_sha256,
                                 received_at, received_by)
      values (1, 1, 1, 'bank', 'a', 1, 'rapid_resolution', now(), 500, 'USD', 'lost',
              repeat('0', 64), now(), 'test'),
             (1, 2, 1, 'bank', 'b', 2, 'chargeback', now(), 700, 'USD', 'lost', repeat('1', 64),
              now(), 'test');
    insert into dispute_movements (file_id, n, dispute_id, merchant_id, source_id, kind, currency,
                                   taken_minor, fee_minor, linked_at)
      values (1, 1, 1, 1, 7, 'chargeback', 'USD', 300, 0, now()),
             (1, 2, 1, 1, 8, 'chargeback', 'USD', 200, 0, now()),
             (1, 3, 2, 1, 7, 'chargeback', 'USD', 700, 0, now());
    insert into dispute_postings (dispute_id, n, kind, source_id, merchant_id, currency,
                                  amount_minor, posted_at)
      values (1, 1, 'chargeback_loss', 7, 1, 'USD', 300, now()),
             (1, 2, 'chargeback_loss', 8, 1, 'USD', 200, now()),
             (2, 1, 'chargeback_loss', 7, 1, 'USD', 700, now());
    set session_replication_role = origin`)

  await migrate(url, migrations)

  const { rows } = await client.query<{ text: string }>(
    `select concat_ws(' ', dispute_id, n, kind, source_id, amount_minor) as text
       from dispute_postings order by dispute_id, n`,
  )
  assert.deepEqual(
    rows.map(({ text }) => text),
    [
      '1 1 chargeback_loss 7 300',
      '1 2 chargeback_loss 8 200',
      '1 3 chargeback_loss_returned 7 300',
      '1 4 rapid_refund 7 300',
      '1 5 chargeback_loss_returned 8 200',
      '1 6 rapid_refund 8 200',
      '2 1 chargeback_loss 7 700',
    ],
  )
  const { rows: money } = await client.query<{ posted: string }>(
    'select posted_minor::text as posted from dispute_money order by dispute_id, source_id',
  )
  assert.deepEqual(
    money.map(({ posted }) => posted),
    ['300', '200', '700'],
  )
})
