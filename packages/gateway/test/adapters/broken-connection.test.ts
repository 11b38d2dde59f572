import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDatabase } from '../../src/adapters/postgres/database.ts'
import { startTestServer, type TestServer } from './database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

test('a connection that breaks between two statements ends its transaction, not the process', async () => {
  const broken = Promise.withResolvers<Error>()
  const database = openDatabase(await server.createDatabase(), broken.resolve)
  const client = await database.lane('adjustments').connect()
  await client.query('begin')
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')

  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])

  // Nobody waits for this connection now: without a listener its error would be nobody's, and fatal.
  assert.match((await broken.promise).message, /terminat/)
  await assert.rejects(client.query('select 1'))
  client.release(true)
  assert.equal((await database.lane('adjustments').query('select 1')).rowCount, 1)
  await database.close()
})
