import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { connectOnce } from '../../../../src/adapters/postgres/connection/address-ring.ts'
import { loadConfig } from '../../../../src/config/config.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { makeAuthority, makePair, type Pair } from '../../three-ds-server/certificates.ts'

let server: TestServer
let folder: string
before(async () => {
  server = await startTestServer()
  folder = mkdtempSync(join(tmpdir(), 'tollgate-database-tls-'))
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

/** The answer of a server that speaks TLS to the request for it: eight bytes, then a handshake. */
const SSL_REQUEST_BYTES = 8

/** A server with this certificate before the test's database. Gives its port. */
async function serveWith(pair: Pair, database: URL, open: Set<Socket>): Promise<number> {
  const front = createServer((socket) => {
    open.add(socket)
    socket.once('readable', () => {
      socket.read(SSL_REQUEST_BYTES)
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, ...pair })
      const behind = connect(join(database.searchParams.get('host') ?? '', '.s.PGSQL.5432'))
      open.add(behind)
      secure.pipe(behind).pipe(secure)
      for (const end of [secure, behind]) end.on('error', () => socket.destroy())
    })
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  after(() => front.close())
  return (front.address() as AddressInfo).port
}

test('the database is reached over TLS with the authority of DATABASE_CA, and with no other', async (t) => {
  const open = new Set<Socket>()
  t.after(() => open.forEach((socket) => socket.destroy()))
  const database = new URL(await server.createEmptyDatabase())
  const [ours, other] = await Promise.all([makeAuthority('ours'), makeAuthority('other')])
  const port = await serveWith(await makePair(ours, 'localhost'), database, open)
  const file = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const configured = (authority: Pair, name: string): string => {
    const loaded = loadConfig({
      DATA_DIR: folder,
      DATABASE_URL_FILE: file(
        'url',
        `postgresql://${database.username}@localhost:${port}${database.pathname}\n`,
      ),
      DATABASE_PASSWORD_FILE: file('password', 'p@ss/word: %\n'),
      DATABASE_CA: file(name, authority.cert),
    })
    if (!loaded.ok) assert.fail(loaded.problems.join('\n'))
    return loaded.config.databaseUrl?.reveal() ?? ''
  }

  const client = await connectOnce(configured(ours, 'ours.pem'), {})
  const { rows } = await client.query<{ one: number }>('select 1 as one')
  assert.deepEqual(rows, [{ one: 1 }])
  assert.equal(client.password, 'p@ss/word: %')
  await client.end()

  const refused = connectOnce(configured(other, 'other.pem'), {})
  await assert.rejects(refused, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
})
