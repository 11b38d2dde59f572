import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { hashPassword, verifyPassword } from '../../src/adapters/credentials/password-hash.ts'
import { createPasswordMemory } from '../../src/adapters/credentials/password-memory.ts'
import { createLoginFailures } from '../../src/adapters/postgres/login-failures.ts'
import { migrate, readMigrations } from '../../src/adapters/postgres/migrate.ts'
import { Secret } from '../../src/base/secret.ts'
import { MIGRATIONS_FOLDER } from '../../src/migrations-folder.ts'
import { startTestServer, type TestServer } from './database.ts'

let server: TestServer
let pool: pg.Pool
before(async () => {
  server = await startTestServer()
  const url = await server.createDatabase()
  await migrate(url, await readMigrations(MIGRATIONS_FOLDER))
  pool = new pg.Pool({ connectionString: url })
})
after(async () => {
  await pool.end()
  await server.stop()
})

test('only the right password verifies, and two hashes of it differ', async () => {
  const password = new Secret('Correct-horse-1')
  const [first, second] = await Promise.all([hashPassword(password), hashPassword(password)])

  assert.notEqual(first, second)
  assert.equal(await verifyPassword(password, first), true)
  assert.equal(await verifyPassword(new Secret('Correct-horse-2'), first), false)
  assert.equal(await verifyPassword(password, 'no hash at all'), false)
})

test('a remembered password is no help to a wrong one or to a changed hash', async () => {
  const matches = createPasswordMemory(() => 0)
  const password = new Secret('Correct-horse-1')
  const hash = await hashPassword(password)
  assert.equal(await matches(password, hash), true)

  assert.equal(await matches(new Secret('wrong'), hash), false)
  assert.equal(await matches(password, await hashPassword(new Secret('new one'))), false)
})

test('R8: the limit of failures locks the user from that address only, on every node', async () => {
  const node = createLoginFailures(pool, 3, () => 0)
  const otherNode = createLoginFailures(pool, 3, () => 0)

  for (let failure = 1; failure <= 2; failure++) await node.record('user', '192.0.2.1')
  assert.equal(await node.isLocked('user', '192.0.2.1'), false)
  await node.record('user', '192.0.2.1')

  assert.equal(await node.isLocked('user', '192.0.2.1'), true)
  assert.equal(await otherNode.isLocked('user', '192.0.2.1'), true)
  assert.equal(await node.isLocked('user', '192.0.2.2'), false)
  assert.equal(await node.isLocked('somebody else', '192.0.2.1'), false)
})

test('R8: failures older than ten minutes do not add up', async () => {
  const failures = createLoginFailures(pool, 2, () => 0)
  await failures.record('slow', '192.0.2.9')
  await pool.query(
    `update login_failures set window_started_at = now() - interval '11 minutes'
      where username = 'slow'`,
  )

  await failures.record('slow', '192.0.2.9')

  assert.equal(await failures.isLocked('slow', '192.0.2.9'), false)
})
