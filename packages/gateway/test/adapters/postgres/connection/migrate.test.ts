import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import {
  assertSchemaKnown,
  migrate,
  readMigrations,
} from '../../../../src/adapters/postgres/connection/migrate.ts'
import { MIGRATIONS_FOLDER } from '../../../../src/wiring/migrations-folder.ts'
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
  await assert.rejects(assertSchemaKnown(pool, migrations.length), /Start the newer version/)

  await pool.end()
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
  await migrate(url, [one])
  const owner = new pg.Pool({ connectionString: url })
  await owner.query(`create role serving_without_rights login password 'serving'`)
  const serving = new URL(url)
  serving.username = 'serving_without_rights'
  serving.password = 'serving'

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
