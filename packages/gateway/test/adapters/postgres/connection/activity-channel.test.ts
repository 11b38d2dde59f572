import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { untilSeen } from '../../../../../../test/support/eventually.ts'
import {
  announceActivity,
  announceEvents,
  createActivityChannel,
} from '../../../../src/adapters/postgres/connection/activity-channel.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
let url: string
before(async () => {
  server = await startTestServer()
  url = await server.createEmptyDatabase()
})
after(() => server.stop())

/** A channel that listens on its own connections. */
function aChannel(database: Database) {
  const state = { heard: 0, rung: [] as (readonly string[] | null)[] }
  const channel = createActivityChannel({
    pool: database.pool,
    listening: database.listening(),
    onAnnouncement: () => (state.heard += 1),
    onEvents: (merchants) => state.rung.push(merchants),
  })
  channel.start()
  return { channel, state }
}

test('an announcement of one process reaches another, which listens again after its connection was lost', async () => {
  const [database, other] = [url, url].map((address) => openDatabase(address, () => undefined))
  assert.ok(database && other)
  const { channel, state } = aChannel(database)
  await untilSeen('the channel listens', () => channel.isHeard(), Boolean)
  const before = state.heard
  await announceActivity(other.pool)
  await untilSeen(
    'the announcement arrives',
    () => state.heard,
    (heard) => heard > before,
  )

  const end = `select pg_terminate_backend(pid) from pg_stat_activity
                where application_name = 'tollgate listening' and datname = current_database()`
  await other.pool.query(end)
  await untilSeen(
    'the loss is noticed',
    () => channel.isHeard(),
    (heard) => !heard,
  )
  await untilSeen('the channel listens again', () => channel.isHeard(), Boolean)
  const again = state.heard
  await announceActivity(other.pool)
  await untilSeen(
    'the second one arrives',
    () => state.heard,
    (heard) => heard > again,
  )

  await channel.stop()
  assert.equal(channel.isHeard(), false)
  await Promise.all([database.close(), other.close()])
})

test('a notification of events names the merchants, and none where they are too many', async () => {
  const database = openDatabase(url, () => undefined)
  const { channel, state } = aChannel(database)
  await untilSeen('the channel listens', () => channel.isHeard(), Boolean)
  const heard = state.heard
  state.rung.length = 0
  await announceEvents(database.pool, ['10', '11'])
  await announceEvents(
    database.pool,
    Array.from({ length: 3_000 }, (_, at) => String(at)),
  )
  await untilSeen(
    'both arrive',
    () => state.rung,
    (rung) => rung.length === 2,
  )

  assert.deepEqual(state.rung, [['10', '11'], null])
  assert.equal(state.heard, heard)
  await channel.stop()
  await database.close()
})

test('a channel whose notifications get lost, as behind a shared pooler, is not heard', async () => {
  const database = openDatabase(url, () => undefined)
  const elsewhere = openDatabase(await server.createEmptyDatabase(), () => undefined)
  let proofs = 0
  const lost = Object.create(elsewhere.pool, {
    query: {
      value: async (text: string, values: string[]) => {
        const result = await elsewhere.pool.query(text, values)
        proofs += 1
        return result
      },
    },
  }) as Database['pool']
  const channel = createActivityChannel({
    pool: lost,
    listening: database.listening(),
    onAnnouncement: () => undefined,
    onEvents: () => undefined,
  })
  channel.start()
  const listens = `select 1 from pg_stat_activity
                    where query like 'listen %' and datname = current_database()`
  await untilSeen(
    'it listens',
    () => database.pool.query(listens),
    ({ rowCount }) => rowCount === 1,
  )
  await untilSeen(
    'the proof was sent',
    () => proofs,
    (sent) => sent > 0,
  )
  await setImmediate()

  assert.equal(channel.isHeard(), false)
  await channel.stop()
  await Promise.all([database.close(), elsewhere.close()])
})
