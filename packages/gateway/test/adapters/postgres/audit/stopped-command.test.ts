import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { auditing } from '../../../../src/adapters/postgres/audit/admin-transaction.ts'
import { appendAudit } from '../../../../src/adapters/postgres/audit/audit-log.ts'
import { cardTestingTransact } from '../../../../src/adapters/postgres/card-testing/card-testing-admin.ts'
import { createApiUserStore } from '../../../../src/adapters/postgres/logins/api-user-store.ts'
import { rotateKey } from '../../../../src/adapters/vault/key-admin.ts'
import { keyEncryptingKeys } from '../../../../src/adapters/vault/key-encrypting-keys.ts'
import { createLocalKeyWrapper } from '../../../../src/adapters/vault/key-wrapper.ts'
import { Secret } from '../../../../src/base/secret.ts'
import { createChangeCardTesting } from '../../../../src/usecases/card-testing/change-rules.ts'
import { createApiUserAdmin } from '../../../../src/usecases/logins/change-api-users.ts'
import { prepareDatabase } from '../../../../src/wiring/prepare-database.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const BY = { actor: 'operator:test', address: '' } as const

/** Operations of an operator, on a connection that stops before its commit. */
const OPERATIONS: Readonly<
  Record<string, (pool: pg.Pool, client: pg.ClientBase, kek: Buffer) => Promise<unknown>>
> = {
  users: (pool) =>
    createApiUserAdmin({
      store: createApiUserStore(pool, 0),
      by: BY,
      portalUserId: null,
      generatePassword: () => new Secret('a'),
      passwordFaults: () => [],
      hashPassword: () => Promise.resolve('hash'),
      matchPassword: () => Promise.resolve(-1),
    }).add(1, 'shop-2', null),
  'card-testing': (pool) =>
    createChangeCardTesting(cardTestingTransact(pool)).put(
      1n,
      { rules: [], exceptAddresses: [] },
      null,
      BY,
    ),
  keys: (_, client, kek) =>
    rotateKey(
      { client, actor: BY.actor, ...auditing },
      keyEncryptingKeys(createLocalKeyWrapper(kek), null),
    ),
}

// A command may be stopped at any moment, by Ctrl-Z for one; these are just before their commit.
suite('a stopped command', { concurrency: true }, () => {
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    test(`a ${name} command that is stopped delays the audit log for seconds only`, async (t) => {
      const databaseUrl = await server.createDatabase()
      const kek = randomBytes(32)
      const vaultKey = new Secret(kek.toString('base64'))
      await prepareDatabase({ databaseUrl, vaultKey, sandbox: false })
      const others = new pg.Pool({ connectionString: databaseUrl, query_timeout: 20_000 })
      t.after(() => others.end())
      await others.query(`insert into merchants (id, name) values (1, 'Shop')`)
      await others.query(`insert into sites (id, merchant_id, name) values (1, 1, 'Shop')`)

      const { pool, client, stopped } = await aStoppedProcess(databaseUrl)
      operation(pool, client, kek).catch(() => undefined)
      await stopped

      const entry = { actor: 'api:shop', operation: 'login.verified', result: 'done' } as const
      await assert.doesNotReject(appendAudit(others, [entry]))
      const { rows } = await others.query('select actor from audit_entries where actor = $1', [
        BY.actor,
      ])
      assert.deepEqual(rows, [])
    })
  }
})

/** Connections of a process that never sends a commit, and when it should have sent one. */
async function aStoppedProcess(connectionString: string) {
  const pool = new pg.Pool({ connectionString, max: 1, allowExitOnIdle: true })
  const client = await pool.connect()
  client.on('error', () => undefined)
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  const stopped = new Promise<void>((resolve) => {
    Object.assign(client, {
      query: (...given: unknown[]) => {
        if (given[0] !== 'commit') return query(...given)
        resolve()
        return new Promise(() => undefined)
      },
    })
  })
  Object.assign(pool, { connect: () => Promise.resolve(client) })
  return { pool, client, stopped }
}
