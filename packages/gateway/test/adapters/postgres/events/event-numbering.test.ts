import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../../../test/support/eventually.ts'
import { createEventNumbering } from '../../../../src/adapters/postgres/events/event-numbering.ts'
import { createFeedReader } from '../../../../src/adapters/postgres/events/feed-reader.ts'
import {
  recordFacts,
  wholeFact,
  type Fact,
} from '../../../../src/adapters/postgres/events/outbox.ts'
import { createEventBell } from '../../../../src/usecases/events/event-bell.ts'
import { numberEvents } from '../../../../src/usecases/events/number-events.ts'
import { createReadFeed, type FeedAnswer } from '../../../../src/usecases/events/read-feed.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

const MERCHANT = 10n

let server: TestServer
let pool: pg.Pool
before(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  await pool?.end()
  pool = new pg.Pool({ connectionString: await server.createDatabase() })
})
after(async () => {
  await pool?.end()
  await server.stop()
})

function fact(id: string): Fact {
  return wholeFact('site.changed', MERCHANT, BigInt(id), {
    mode: 'test',
    origin: 'OPERATOR',
    data: { operation: `change of ${id}`, settings: [] },
  })
}

function number(): Promise<boolean> {
  const announce = () => Promise.resolve()
  return numberEvents({ store: createEventNumbering(pool), announce })
}

async function read(after = '', limit = 100): Promise<FeedAnswer> {
  const readFeed = createReadFeed({
    reader: createFeedReader(pool),
    bell: createEventBell(),
    isHeard: () => true,
    isStopping: () => false,
    digest: (text) => String(text.length),
    monotonicMs: () => performance.now(),
  })
  return readFeed({
    filter: { merchantId: MERCHANT, siteId: null, types: [] },
    after,
    limit,
    waitMs: 0,
    signal: new AbortController().signal,
  })
}

async function readPage(after = '', limit = 100) {
  const answer = await read(after, limit)
  if (answer.kind !== 'page') throw new Error(`The feed answered ${answer.kind}.`)
  const events = answer.events.map(
    (text) => JSON.parse(text) as { id: string; object: { id: string }; sequence: number },
  )
  return { ...answer, objects: events.map(({ object }) => object.id), parsed: events }
}

async function record(...ids: string[]): Promise<void> {
  await recordFacts(pool, ids.map(fact))
}

test('a fact whose transaction commits after a later one is in the feed exactly once', async () => {
  const slow = await pool.connect()
  await slow.query('begin')
  await recordFacts(slow, [fact('1')])
  await record('2')
  await number()

  const first = await readPage()
  // A reader that remembers the highest number of the outbox would have passed the open one.
  await slow.query('commit')
  slow.release()
  await number()
  const second = await readPage(first.cursor)

  assert.deepEqual([first.objects, second.objects], [['2'], ['1']])
})

test('a reader of plain numbers misses the fact that commits late, which is why there are positions', async () => {
  const naive = async (above: bigint): Promise<bigint[]> => {
    const { rows } = await pool.query<{ n: string }>(
      'select n from event_outbox where n > $1 order by n',
      [above],
    )
    return rows.map(({ n }) => BigInt(n))
  }
  const slow = await pool.connect()
  await slow.query('begin')
  await recordFacts(slow, [fact('1')])
  await record('2')

  const seen = await naive(0n)
  await slow.query('commit')
  slow.release()

  assert.equal((await naive(0n)).length, 2)
  assert.deepEqual(await naive(seen.at(-1) ?? 0n), [])
})

test('positions have no gap after a rollback, and each object counts its events from 1', async () => {
  const broken = await pool.connect()
  await broken.query('begin')
  await recordFacts(broken, [fact('9')])
  await broken.query('rollback')
  broken.release()
  await record('1', '2', '1')
  await number()
  await record('1')
  await number()

  const { parsed } = await readPage()
  assert.deepEqual(
    parsed.map(({ object, sequence }) => `${object.id}:${sequence}`),
    ['1:1', '2:1', '1:2', '1:3'],
  )
  const { rows } = await pool.query('select position from events order by position')
  assert.deepEqual(
    rows.map(({ position }) => position),
    ['1', '2', '3', '4'],
  )
  assert.equal(new Set(parsed.map(({ id }) => id)).size, 4)
})

for (const step of ['lock head', 'open day', 'find epoch', 'number events']) {
  test(`a numbering that dies after the statement "${step}" leaves every fact to the next one`, async () => {
    await record('1', '2')
    const dying = new pg.Pool({ ...pool.options, max: 1 })
    dying.on('error', () => undefined)
    dying.on('connect', (client) => {
      client.on('error', () => undefined)
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
      client.query = (async (...given: unknown[]) => {
        const result = await query(...given)
        const [config] = given
        const { name = '' } = typeof config === 'object' ? (config as { name?: string }) : {}
        if (name.startsWith(step)) throw new Error('the process died')
        return result
      }) as typeof client.query
    })
    await assert.rejects(
      numberEvents({ store: createEventNumbering(dying), announce: () => Promise.resolve() }),
      /the process died/,
    )
    await dying.end()

    // The server may hold the lock of the head until it has seen that the connection is gone.
    await eventually('every fact has its event', async () => {
      await number()
      const { rowCount } = await pool.query('select from event_outbox limit 1')
      return rowCount === 0
    })
    const { parsed } = await readPage()
    assert.deepEqual(
      parsed.map(({ object, sequence }) => `${object.id}:${sequence}`),
      ['1:1', '2:1'],
    )
  })
}

test('two processes that number at once give every fact one position', async () => {
  await record(...Array.from({ length: 2_500 }, (_, at) => String(at)))
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (;;) {
        await number()
        const { rowCount } = await pool.query('select from event_outbox limit 1')
        if (rowCount === 0) return
      }
    }),
  )

  const { rows } = await pool.query<{ events: number; last: string }>(
    'select count(*)::int as events, max(position) as last from events',
  )
  assert.deepEqual(rows, [{ events: 2_500, last: '2500' }])
})

test('a cursor of a lost history is refused with the last place that both have', async () => {
  await record('1', '2', '3')
  await number()
  const lost = await readPage()
  const shared = await readPage('', 1)
  // The standby has the first event only, and its own timeline.
  await pool.query(`
    alter table events disable trigger user;
    update event_head set position = 1;
    update event_epochs set timeline = timeline - 1`)
  const { rows } = await pool.query<{ day: string }>('select day::text from event_days')
  const partition = `events_${rows[0]?.day.replaceAll('-', '_')}`
  await pool.query(`alter table ${partition} disable trigger user`)
  await pool.query('delete from events where position > 1')
  await record('4', '5', '6')
  await number()

  const forked = await read(lost.cursor)
  assert.equal(forked.kind, 'feed_forked')
  const afterwards = await readPage('cursor' in forked ? forked.cursor : '')
  assert.deepEqual(afterwards.objects, ['4', '5', '6'])
  assert.deepEqual((await readPage(shared.cursor)).objects, ['4', '5', '6'])
})

test('a cursor behind which events were dropped is refused, and one at the end of them is not', async () => {
  await record('1', '2')
  await number()
  const start = await readPage('', 1)
  const end = await readPage()
  await pool.query('select drop_event_day(day) from event_days')

  const expired = await read(start.cursor)
  assert.equal(expired.kind, 'cursor_expired')
  assert.deepEqual((await readPage('cursor' in expired ? expired.cursor : '')).objects, [])
  await record('3')
  await number()
  assert.deepEqual((await readPage(end.cursor)).objects, ['3'])
})

test('the cursor of a merchant without events moves on, so that it does not grow old', async () => {
  const before = await readPage()
  await recordFacts(pool, [{ ...fact('1'), merchantId: 11n }])
  await number()
  const later = await readPage(before.cursor)
  await pool.query('select drop_event_day(day) from event_days')

  assert.deepEqual((await readPage(later.cursor)).objects, [])
  assert.notEqual(later.cursor, before.cursor)
})

test('events cannot be changed or deleted, and a day of them goes as a whole', async () => {
  await record('1')
  await number()

  await assert.rejects(pool.query('delete from events'), /Events never change/)
  await assert.rejects(pool.query(`update events set sequence = 9`), /Events never change/)
})

test('a role that may only read the feed can neither make a day of events nor drop one', async (t) => {
  await recordFacts(pool, [fact('1')])
  await number()
  const role = `feed_${process.pid}`
  await pool.query(`create role ${role} login; grant select on events, event_days to ${role}`)
  t.after(() => pool.query(`drop owned by ${role}; drop role ${role}`))
  const address = new URL(String(pool.options.connectionString))
  address.username = role
  const reader = new pg.Client({ connectionString: address.href })
  await reader.connect()
  try {
    for (const forbidden of [
      'select drop_event_day(day) from event_days',
      `select open_event_day('2031-01-01', 9)`,
    ]) {
      await assert.rejects(reader.query(forbidden), /permission denied for the days of events/)
    }
    const { rowCount } = await reader.query('select from events')
    assert.equal(rowCount, 1)
  } finally {
    await reader.end()
  }
})
