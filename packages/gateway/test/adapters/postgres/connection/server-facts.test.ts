import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { HEADERS_SINCE } from '../../../../src/adapters/postgres/connection/migration-files.ts'
import { readDatabaseFacts } from '../../../../src/wiring/operator-doctor.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

test('a database with the schema of this version is read with its settings and its clock', async () => {
  const url = await server.createDatabase()
  const facts = await readDatabaseFacts(url)
  assert.equal(facts.isEncrypted, null)
  assert.equal(facts.encoding, 'UTF8')
  assert.equal(facts.synchronousCommit, 'on')
  assert.ok(facts.versionNumber >= 150_000 && facts.mostConnections >= facts.connections)
  // One machine has one clock.
  assert.ok(Math.abs(facts.clockAheadMs) <= facts.clockDoubtMs + 1, String(facts.clockAheadMs))
  assert.ok(facts.schema !== null)
  const { oldestProgram, ...schema } = facts.schema
  assert.ok(oldestProgram >= HEADERS_SINCE && oldestProgram <= facts.knownSchema)
  assert.deepEqual(schema, {
    version: facts.knownSchema,
    ownsAuditLog: true,
    unreadable: [],
    unknownZones: [],
  })
})

test('an empty database has no schema', async () => {
  assert.equal((await readDatabaseFacts(await server.createEmptyDatabase())).schema, null)
})

test('a role without rights finds the tables that it may not read, and owns no audit log', async (t) => {
  const url = await server.createDatabase()
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const role = `serving_${process.pid}`
  await owner.query(`create role ${role} login`)
  t.after(async () => {
    await owner.query(`drop owned by ${role}; drop role ${role}`)
    await owner.end()
  })
  await owner.query(`grant select on schema_migrations, orders to ${role}`)
  await owner.query(`select open_event_day('2026-11-24', 1)`)
  const serving = new URL(url)
  serving.username = role

  const { role: found, schema } = await readDatabaseFacts(serving.toString())

  assert.equal(found, role)
  assert.equal(schema?.ownsAuditLog, false)
  assert.ok(schema.unreadable.includes('merchants') && !schema.unreadable.includes('orders'))
  assert.deepEqual(
    schema.unreadable.filter((table) => /^events(_2026)?/.test(table)),
    ['events'],
  )
})
