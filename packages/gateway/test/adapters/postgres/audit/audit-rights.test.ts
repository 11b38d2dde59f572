import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { appendAudit } from '../../../../src/adapters/postgres/audit/audit-log.ts'
import { Secret } from '../../../../src/base/secret.ts'
import { AUDIT_OPERATIONS } from '../../../../src/usecases/audit/audit-log.ts'
import { verifyBooks } from '../../../../src/wiring/books.ts'
import { verifyAudit } from '../../../../src/wiring/operator-audit.ts'
import { migrateDatabase } from '../../../../src/wiring/operator-migrate.ts'
import { prepareDatabase } from '../../../../src/wiring/prepare-database.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

const PAGE = readFileSync(
  new URL('../../../../../../docs/operators/audit-log.md', import.meta.url),
  'utf8',
)
const VAULT_KEY = new Secret(Buffer.alloc(32, 7).toString('base64'))

let server: TestServer
let owner: pg.Client
let serving: pg.Client
let servingUrl: string
let ownerUrl: string
before(async () => {
  server = await startTestServer()
  const url = await server.createEmptyDatabase()
  ownerUrl = url
  const prepare = { databaseUrl: url, vaultKey: VAULT_KEY, sandbox: false }
  await prepareDatabase(prepare)
  owner = await connect(url)
  await owner.query('create role tollgate_serving login')
  const request = { servingRole: 'tollgate_serving', nodesStopped: false, report: () => undefined }
  const granted = await migrateDatabase(url, request)
  assert.deepEqual(granted, { ok: true, ran: [] })
  const asServing = new URL(url)
  asServing.username = 'tollgate_serving'
  servingUrl = asServing.href
  serving = await connect(servingUrl)
})
after(async () => {
  await owner.end()
  await serving.end()
  await server.stop()
})

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

test('docs/operators/audit-log.md lists every operation with its meaning', () => {
  const listed = [...PAGE.matchAll(/^\| `([a-z_.]+)` \| (.*) \|$/gm)].map(
    ([, operation, meaning]) => [operation, meaning],
  )
  assert.deepEqual(listed, Object.entries(AUDIT_OPERATIONS))
})

test('a role with the documented rights may read all that verify checks', async () => {
  const results = await verifyBooks(servingUrl, { bankTimeoutMs: 1_000, dataDir: '/nowhere' })
  assert.ok(results.length > 50)
  assert.deepEqual(
    results.filter(({ count }) => count > 0),
    [],
  )
})

test('a role with the documented rights prepares nothing again, appends, and reads the log', async () => {
  const before = await verifyAudit(servingUrl, { from: 1n, noted: [] })
  const ran = await prepareDatabase({
    databaseUrl: servingUrl,
    vaultKey: VAULT_KEY,
    sandbox: false,
  })
  await appendAudit(serving, [{ actor: 'api:a', operation: 'login.failed', result: 'failed' }])
  const after = await verifyAudit(servingUrl, { from: 1n, noted: [] })

  assert.deepEqual(ran, [])
  assert.deepEqual([before.fault, before.unrecorded, after.fault], [null, null, null])
  assert.equal(after.count, before.count + 2)
})

test('the rights of a role are on record, and a role that is missing or owns the schema gets none', async () => {
  const { rows } = await owner.query(
    `select object, result from audit_entries where operation = 'schema.granted'`,
  )
  assert.deepEqual(rows, [{ object: 'role tollgate_serving', result: 'done' }])

  const { rows: owners } = await owner.query<{ name: string }>('select current_user as name')
  const grantTo = (servingRole: string): ReturnType<typeof migrateDatabase> =>
    migrateDatabase(ownerUrl, { servingRole, nodesStopped: false, report: () => undefined })
  assert.match(JSON.stringify(await grantTo('absent')), /has no role absent. Create it first/)
  assert.match(JSON.stringify(await grantTo(owners[0]?.name ?? '')), /Name a role without them/)
})

for (const statement of [
  `update audit_entries set actor = 'x'`,
  'delete from audit_entries',
  'truncate audit_entries',
  'alter table audit_entries disable trigger all',
  'set session_replication_role = replica',
  'drop trigger audit_entries_are_chained on audit_entries',
  'update audit_head set number = 0',
  'create or replace function refuse_audit_change() returns trigger language plpgsql as $$ begin return new; end $$',
]) {
  test(`a role with the documented rights may not: ${statement.slice(0, 60)}`, async () => {
    await assert.rejects(serving.query(statement), /permission denied|must be owner/)
  })
}

test('a temporary table called like the head does not shadow it', async () => {
  await serving.query('create temporary table audit_head (number bigint, hash bytea)')
  await serving.query(`insert into audit_head values (1000, sha256('x'))`)
  await appendAudit(serving, [{ actor: 'api:a', operation: 'login.failed', result: 'failed' }])
  await serving.query('drop table audit_head')

  assert.equal((await verifyAudit(servingUrl, { from: 1n, noted: [] })).fault, null)
})

test('signs that no text of a database can hold do not keep an entry from the log', async () => {
  await appendAudit(serving, [
    {
      actor: 'api:a\0b\ud800',
      operation: 'login.failed',
      result: 'failed',
      details: { tried: 'x\0\ud800' },
    },
  ])
  const { rows } = await serving.query(
    'select actor from audit_entries order by number desc limit 1',
  )
  assert.deepEqual(rows, [{ actor: 'api:a\ufffdb\ufffd' }])
  assert.equal((await verifyAudit(servingUrl, { from: 1n, noted: [] })).fault, null)
})
