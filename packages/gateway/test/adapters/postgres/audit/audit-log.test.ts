import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAuditLog } from '../../../../src/adapters/postgres/audit/audit-log.ts'
import { openDatabase } from '../../../../src/adapters/postgres/connection/database.ts'
import { verifyAudit } from '../../../../src/wiring/operator-audit.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

test('entries of several processes at once make one chain without a gap', async () => {
  const url = await server.createDatabase()
  const databases = [1, 2, 3].map(() => openDatabase(url, () => undefined))
  const logs = databases.map(createAuditLog)

  await Promise.all(
    Array.from({ length: 300 }, async (_, at) =>
      logs[at % 3]?.append({
        actor: 'api:a',
        operation: 'login.verified',
        object: `user ${at}`,
        result: 'done',
      }),
    ),
  )

  const { fault, count } = await verifyAudit(url, { from: 1n, noted: [] })
  assert.deepEqual([fault, count], [null, 300])
  await Promise.all(databases.map((database) => database.close()))
})

test('an entry can be neither changed nor removed', async () => {
  const url = await server.createDatabase()
  const database = openDatabase(url, () => undefined)
  await createAuditLog(database).append({
    actor: 'api:a',
    operation: 'login.failed',
    result: 'refused',
  })

  for (const change of [
    `update audit_entries set actor = 'api:b'`,
    'delete from audit_entries',
    'truncate audit_entries',
  ]) {
    await assert.rejects(database.pool.query(change), /append-only/)
  }
  await database.close()
})
