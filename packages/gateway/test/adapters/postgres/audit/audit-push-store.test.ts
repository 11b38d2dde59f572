import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { createSyslogReceiver } from '../../../../src/adapters/audit-push/syslog-receiver.ts'
import { createAuditLog } from '../../../../src/adapters/postgres/audit/audit-log.ts'
import {
  createAuditPushStore,
  readAuditPushLag,
} from '../../../../src/adapters/postgres/audit/audit-push-store.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { createPushAudit } from '../../../../src/usecases/audit/push-audit.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { parseSyslog } from '../../audit-push/strict-syslog.ts'

let server: TestServer
let database: Database
before(async () => {
  server = await startTestServer()
  database = openDatabase(await server.createDatabase(), () => undefined)
  const log = createAuditLog(database)
  for (let at = 1; at <= 5; at += 1) {
    await log.append({ actor: 'api:a', operation: 'login.verified', result: 'done' })
  }
})
after(async () => {
  await database.close()
  await server.stop()
})

test('entries arrive in the order of the chain, over failures, a crash and a second process', async () => {
  const store = createAuditPushStore(database.pool)
  const received: bigint[][] = []
  const failures: unknown[] = []
  let isAway = true
  const push = createPushAudit({
    store,
    batch: 2,
    retryMs: 0,
    onFailure: (error) => failures.push(error),
    send(entries) {
      if (isAway) return Promise.reject(new Error('away'))
      received.push(entries.map(({ number }) => number))
      return Promise.resolve()
    },
  })

  assert.equal(await push(), false)
  assert.equal(failures.length, 1)
  assert.equal((await readAuditPushLag(database.pool)).entries, 5)
  isAway = false

  // A process that has the lease is killed after the receiver got its batch.
  const killed = await store.claim(2)
  assert.deepEqual(
    killed?.entries.map(({ number }) => number),
    [1n, 2n],
  )
  assert.equal(await push(), false, 'another process sent under a lease that is not its own')
  await database.pool.query(`update audit_push set leased_until = '-infinity'`)

  assert.equal(await push(), true)
  // The lease of the killed process was given to another one, so its word counts no more.
  await store.advance(killed?.claim ?? 0n, 5n)
  assert.equal(await push(), true)
  assert.equal(await push(), false)
  assert.equal(await push(), false)
  assert.deepEqual(received, [[1n, 2n], [3n, 4n], [5n]])
  assert.deepEqual(await readAuditPushLag(database.pool), { entries: 0, seconds: 0 })
})

test('a syslog receiver that leaves in the middle has the whole log in the end, and knows repeats by their numbers', async (t) => {
  await database.pool.query(`update audit_push set number = 0, leased_until = '-infinity'`)
  const streams: Buffer[] = []
  const receiver = createServer((socket) => {
    const stream = streams.push(Buffer.alloc(0)) - 1
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      streams[stream] = Buffer.concat([streams[stream] ?? Buffer.alloc(0), chunk])
      // The first connection ends within its batch, and has a part of it.
      if (stream === 0) {
        streams[stream] = chunk.subarray(0, -10)
        socket.end()
      }
    })
  }).listen(0, '127.0.0.1')
  t.after(() => receiver.close())
  await once(receiver, 'listening')
  const { port } = receiver.address() as AddressInfo
  const url = new URL(`syslog+tcp://127.0.0.1:${port}`)
  const failures: unknown[] = []
  const push = createPushAudit({
    store: createAuditPushStore(database.pool),
    batch: 3,
    retryMs: -1,
    onFailure: (error) => failures.push(error),
    send: (entries) =>
      createSyslogReceiver(
        {
          url,
          ca: null,
          secret: null,
          exchangeMs: 20_000,
          settleMs: streams.length === 0 ? 10_000 : 0,
        },
        { host: 'pay-1', processId: 1 },
      )(entries),
  })
  assert.equal(await push(), false)
  assert.equal(failures.length, 1)
  assert.equal(await push(), true)
  assert.equal(await push(), false)

  const parsed = streams.map((stream) => parseSyslog(stream))
  assert.ok((parsed[0]?.rest.length ?? 0) > 0, 'the first receiver was not left with a torn frame')
  const numbers = parsed.map(({ messages }) =>
    messages.map(({ text }) => (JSON.parse(text) as { number: number }).number),
  )
  assert.deepEqual(numbers, [
    [1, 2],
    [1, 2, 3],
    [4, 5],
  ])
})
