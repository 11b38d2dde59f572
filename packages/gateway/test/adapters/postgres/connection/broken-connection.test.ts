import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import {
  isDatabaseAway,
  openDatabase,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

test('a connection that breaks between two statements ends its transaction, not the process', async () => {
  const broken = Promise.withResolvers<Error>()
  const database = openDatabase(await server.createEmptyDatabase(), broken.resolve)
  const client = await database.lane('adjustments').connect()
  await client.query('begin')
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')

  await database.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])

  // No query waits for this connection now: without a listener its error would be unhandled, and
  // fatal.
  assert.match((await broken.promise).message, /terminat/)
  await assert.rejects(client.query('select 1'))
  client.release(true)
  assert.equal((await database.lane('adjustments').query('select 1')).rowCount, 1)
  await database.close()
})

/** A server that lets a client in and ends its session in the same packet. */
async function openTerminator(): Promise<{ url: string; close: () => void }> {
  const letIn = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
  const fields = Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0')
  const head = Buffer.from([0x45, 0, 0, 0, fields.length + 4])
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([letIn, head, fields])))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `postgresql://shop@127.0.0.1:${port}/shop`, close: () => server.close() }
}

test('a session that ends in the packet that began it fails its statement, and nothing else', async (t) => {
  const terminator = await openTerminator()
  t.after(terminator.close)
  const database = openDatabase(terminator.url, () => undefined)
  t.after(() => database.close())

  await assert.rejects(database.pool.query('select 1'), (error) => isDatabaseAway(error))
})
