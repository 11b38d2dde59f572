import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../../../../test/support/eventually.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { createEventNumbering } from '../../../../src/adapters/postgres/events/event-numbering.ts'
import { recordFacts, wholeFact } from '../../../../src/adapters/postgres/events/outbox.ts'
import { deliveryRows } from '../../../../src/adapters/postgres/retention/retention-rows.ts'
import { createDeliveryQueue } from '../../../../src/adapters/postgres/webhooks/delivery-queue.ts'
import { createEndpointStore } from '../../../../src/adapters/postgres/webhooks/endpoint-store.ts'
import { systemClock } from '../../../../src/base/clock.ts'
import { Secret } from '../../../../src/base/secret.ts'
import { createChangeEndpoints } from '../../../../src/usecases/webhooks/change-endpoints.ts'
import {
  createWebhookDelivery,
  type WebhookDelivery,
} from '../../../../src/usecases/webhooks/deliver-webhooks.ts'
import type { OutwardAnswer } from '../../../../src/usecases/webhooks/delivery-ports.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

const SITE = 1n
const BY = { actor: 'operator:test' }
const RULES = { allowsLoopback: true, allowed: [], refused: [], ports: [443] }
const GOOD: OutwardAnswer = {
  status: 200,
  retryAfter: undefined,
  fault: '',
  text: '',
  durationMs: 1,
}
const BAD: OutwardAnswer = { ...GOOD, status: 500, fault: 'The endpoint answered 500.' }

let server: TestServer
let database: Database
let pool: pg.Pool
let number: () => Promise<unknown>
before(async () => {
  server = await startTestServer()
  database = openDatabase(await server.createDatabase(), () => undefined)
  pool = database.pool
  await pool.query(`insert into merchants (id, name) values (1, 'Merchant'), (2, 'Other')`)
  await pool.query(
    `insert into sites (id, merchant_id, name)
     values (1, 1, 'Site'), (2, 1, 'Second'), (3, 2, 'Third')`,
  )
  await pool.query(`insert into data_keys (purpose, wrapped, kek_id) values ('pan', '', 'test')`)
  const numbering = createEventNumbering(pool)
  number = () => numbering.number(1_000)
})
beforeEach(() => pool.query('delete from webhook_endpoints'))
after(async () => {
  await database?.close()
  await server.stop()
})

const changes = () =>
  createChangeEndpoints({
    store: createEndpointStore(pool),
    rulesOf: () => RULES,
    newSecret: () => new Secret('whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='),
    openSeal: async () => async () => ({ ciphertext: Buffer.from('sealed'), dataKeyId: 1 }),
  })

async function endpoint(path: string, types: readonly string[] = [], site = SITE): Promise<bigint> {
  const added = await changes().add(site, { url: `http://127.0.0.1${path}`, types }, BY)
  assert.ok(added.ok)
  await number()
  return added.id
}

/** Facts about sites with these numbers, all of them facts of one site's feed. */
async function record(objects: readonly number[], site = SITE, merchant = 1n): Promise<void> {
  const facts = objects.map((id) => ({
    ...wholeFact('site.changed', merchant, BigInt(id), {
      mode: 'test',
      origin: 'OPERATOR',
      data: { operation: 'x', settings: [] },
    }),
    siteId: site,
  }))
  await recordFacts(pool, facts)
  await number()
}

type Post = (path: string, object: string) => Promise<OutwardAnswer>

/** A process that delivers; `now` is the time of the machine as it sees it. */
function process(post: Post, now: () => Date = systemClock.now): WebhookDelivery {
  const clock = { now }
  return createWebhookDelivery({
    queue: createDeliveryQueue(database.lane('webhooks')),
    post: (url, _, body) => {
      const { object } = JSON.parse(Buffer.from(body).toString()) as { object: { id: string } }
      return post(new URL(url).pathname, object.id)
    },
    openSecret: () => Promise.resolve(new Secret('whsec_')),
    sign: (id) => ({
      'webhook-id': id,
      'webhook-timestamp': '1',
      'webhook-signature': 'v1,planted',
    }),
    newSecret: () => new Secret('whsec_'),
    isSandbox: true,
    rulesOf: () => RULES,
    clock,
    siteClocks: { of: () => Promise.resolve(clock) },
    random: () => 0.5,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onEnd: () => undefined,
    onError: (_, error) => assert.fail(String(error)),
  })
}

const states = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ text: string }>(
    `select endpoint_id || ' ' || object_id || ' ' || state as text from webhook_deliveries
      where type = 'site.changed' and object_id >= 100 order by position, endpoint_id`,
  )
  return rows.map(({ text }) => text)
}

/** Looks until nothing of the objects from 100 on is pending. */
async function deliverAll(delivery: WebhookDelivery): Promise<void> {
  await eventually('nothing is pending', async () => {
    await delivery.look()
    return (await states()).every((state) => !state.endsWith('pending')) || null
  })
}

/** Nothing is delivered of before the test's own facts. */
async function settle(): Promise<void> {
  const delivery = process(() => Promise.resolve(GOOD))
  await eventually('the queue is empty', async () => {
    await delivery.look()
    const { rows } = await pool.query(
      `select from webhook_deliveries where state = 'pending' union all
       select from webhook_endpoints e, event_head h
        where e.position < h.position and e.state = 'enabled'`,
    )
    return rows.length === 0 || null
  })
}

test('an endpoint gets each event of its site and types once, in any number of processes', async () => {
  const all = await endpoint('/all')
  const other = await endpoint('/types', ['payment.'])
  await settle()
  await record([101, 102, 103])
  await record([104], 2n)
  await record([105], 3n, 2n)

  const got: string[] = []
  const post: Post = (path, object) => {
    got.push(`${path} ${object}`)
    return Promise.resolve(GOOD)
  }
  const [one, two] = [process(post), process(post)]
  await Promise.all([one.look(), two.look()])
  await Promise.all([deliverAll(one), deliverAll(two)])

  assert.deepEqual(got.toSorted(), ['/all 101', '/all 102', '/all 103'])
  assert.equal((await states()).filter((text) => text.startsWith(`${other} `)).length, 0)
  assert.deepEqual(
    (await createEndpointStore(pool).list(SITE)).map(({ id, pending }) => [id, pending]),
    [
      [all, 0],
      [other, 0],
    ],
  )
})

test('a failed event holds up later ones of its object, and none of another object', async () => {
  await endpoint('/one')
  await settle()
  await record([101, 102, 101, 101])

  let now = new Date()
  const got: string[] = []
  let isUp = false
  const delivery = process(
    (_, object) => {
      got.push(object)
      return Promise.resolve(object === '101' && !isUp ? BAD : GOOD)
    },
    () => now,
  )
  await eventually('the other object is delivered', async () => {
    await delivery.look()
    return (await states()).filter((state) => state.endsWith('delivered')).length === 1 || null
  })
  await eventually('the first attempt failed', async () => got.includes('101') || null)
  await delivery.look()
  assert.deepEqual(got.toSorted(), ['101', '102'])

  isUp = true
  now = new Date(now.getTime() + 10_000)
  await deliverAll(delivery)
  assert.deepEqual(got.slice(2), ['101', '101', '101'])
  const { rows } = await pool.query<{ position: string }>(
    `select d.position from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
      where d.object_id = 101 and a.fault = '' order by a.id`,
  )
  const positions = rows.map(({ position }) => Number(position))
  assert.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  )
})

test('an endpoint that hangs keeps ten places, and another one gets its events meanwhile', async () => {
  await endpoint('/hangs')
  await endpoint('/good')
  await settle()
  await record(Array.from({ length: 30 }, (_, at) => 101 + at))

  const hanging = Promise.withResolvers<OutwardAnswer>()
  let held = 0
  let good = 0
  const delivery = process((path) => {
    if (path === '/hangs') {
      held += 1
      return hanging.promise
    }
    good += 1
    return Promise.resolve(GOOD)
  })
  await eventually('the good endpoint has all', async () => {
    await delivery.look()
    return good === 30 || null
  })
  assert.equal(held, 10)
  hanging.resolve(GOOD)
  await deliverAll(delivery)
})

test('a process that dies after the post leaves the event to the next one, which sends it again', async () => {
  await endpoint('/one')
  await settle()
  await record([101])

  const never = Promise.withResolvers<OutwardAnswer>()
  let posts = 0
  const post: Post = () => {
    posts += 1
    return posts === 1 ? never.promise : Promise.resolve(GOOD)
  }
  const dead = process(post)
  await dead.look()
  const next = process(post)
  await next.look()
  assert.equal(posts, 1)
  await pool.query(`update webhook_deliveries set leased_until = now() - interval '1 second'`)
  await deliverAll(next)
  assert.equal(posts, 2)

  // The answer of the first process comes after all: its claim is an old one.
  never.resolve(BAD)
  await dead.stop()
  const { rows } = await pool.query<{ fault: string }>(
    `select a.fault from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
      where d.object_id = 101`,
  )
  assert.deepEqual(rows, [{ fault: '' }])
  assert.equal((await states())[0]?.split(' ')[2], 'delivered')
})

test('a process that dies while it makes deliveries makes none, and the next one makes all', async (t) => {
  const id = await endpoint('/one')
  await settle()
  await record([101, 102])
  const client = await pool.connect()
  t.after(() => client.release())
  await client.query('begin')
  await client.query('select from webhook_endpoints where id = $1 for update', [id])

  const delivery = process(() => Promise.resolve(GOOD))
  await delivery.look()
  assert.deepEqual(await states(), [])
  await client.query('rollback')
  await delivery.look()
  assert.equal((await states()).length, 2)
  await deliverAll(delivery)
})

test('an endpoint without a success for a day is paused, is probed each hour, and gets all events afterwards', async () => {
  const id = await endpoint('/one', ['site.'])
  await settle()
  await record([101, 102])

  let now = new Date()
  let answer = BAD
  let posts = 0
  const delivery = process(
    () => {
      posts += 1
      return Promise.resolve(answer)
    },
    () => now,
  )
  const read = async () => (await createEndpointStore(pool).list(SITE))[0]
  const pass = async (hours: number): Promise<number> => {
    now = new Date(now.getTime() + hours * 3_600_000)
    const before = posts
    await delivery.look()
    await eventually('the attempts are written', async () => {
      const { rows } = await pool.query('select from webhook_deliveries where leased_until > now()')
      return rows.length === 0 || null
    })
    return posts - before
  }
  for (let hour = 0; (await read())?.state === 'enabled' && hour < 100; hour += 1) await pass(1)
  assert.equal((await read())?.reason, 'failing')
  assert.equal(await pass(0.5), 0)
  assert.equal(await pass(0.6), 1)
  await record([103])
  answer = GOOD
  await pass(1.1)
  assert.equal((await read())?.state, 'enabled')
  await deliverAll(delivery)
  assert.ok((await states()).every((state) => state.endsWith('delivered')))
  await number()
  const { rows } = await pool.query<{ type: string; reason: string }>(
    `select type, details #>> '{data,reason}' as reason from events
      where type like 'endpoint.%' and object_id = $1 order by position`,
    [id],
  )
  assert.deepEqual(rows, [
    { type: 'endpoint.paused', reason: 'failing' },
    { type: 'endpoint.resumed', reason: '' },
  ])
})

test('410 disables the endpoint with an event, and a resumed one gets what came since', async () => {
  const id = await endpoint('/one', ['site.changed', 'endpoint.'])
  await settle()
  await record([101])
  let answer: OutwardAnswer = { ...BAD, status: 410 }
  const delivery = process(() => Promise.resolve(answer))
  await eventually('the endpoint is disabled', async () => {
    await delivery.look()
    return (await createEndpointStore(pool).list(SITE))[0]?.state === 'disabled' || null
  })
  await record([102])
  await delivery.look()
  assert.equal((await states()).length, 1)

  answer = GOOD
  assert.ok((await changes().resume(SITE, id, BY)).ok)
  await number()
  await delivery.look()
  await deliverAll(delivery)
  assert.deepEqual(
    (await states()).map((state) => state.split(' ').slice(1)),
    [
      ['101', 'delivered'],
      ['102', 'delivered'],
    ],
  )
})

test('a paused endpoint gets nothing, and a test event goes to its endpoint only', async () => {
  const paused = await endpoint('/paused', ['site.changed'])
  const tested = await endpoint('/tested', ['batch.'])
  await settle()
  assert.ok((await changes().pause(SITE, paused, BY)).ok)
  assert.ok((await changes().test(SITE, tested, BY)).ok)
  await record([101])
  const got: string[] = []
  const delivery = process((path, object) => {
    got.push(`${path} ${object}`)
    return Promise.resolve(GOOD)
  })
  await eventually('the test event is delivered', async () => {
    await delivery.look()
    return got.length > 0 || null
  })
  assert.deepEqual(got, [`/tested ${tested}`])
  assert.deepEqual(await states(), [])
})

test('deliveries are sent again with the same event, one by one or all that failed', async () => {
  const id = await endpoint('/one')
  await settle()
  await record([101, 102])
  let posts = 0
  const delivery = process(() => {
    posts += 1
    return Promise.resolve(GOOD)
  })
  await deliverAll(delivery)
  const before = posts
  const again = async (filter: Parameters<ReturnType<typeof changes>['sendAgain']>[2]) => {
    const sent = await changes().sendAgain(SITE, id, filter, BY)
    return sent.ok ? sent.count : null
  }
  const { rows } = await pool.query<{ event_id: string }>(
    'select event_id from webhook_deliveries where object_id = 101',
  )
  const eventId = rows[0]?.event_id ?? ''
  assert.equal(await again({ eventId, isFailedOnly: false, since: null }), 1)
  await deliverAll(delivery)
  assert.equal(posts, before + 1)
  await pool.query(`update webhook_deliveries set state = 'failed' where object_id = 102`)
  assert.equal(await again({ eventId: null, isFailedOnly: true, since: null }), 1)
  await deliverAll(delivery)
  assert.equal(posts, before + 2)
  assert.equal(await again({ eventId: null, isFailedOnly: false, since: new Date() }), 0)
})

test('an event that is no longer kept ends its delivery as failed', async () => {
  await endpoint('/one')
  await settle()
  await record([101])
  const id = (await createEndpointStore(pool).list(SITE))[0]?.id ?? 0n
  await pool.query(
    `insert into webhook_deliveries
       (merchant_id, endpoint_id, day, position, event_id, type, object, object_id, due_at)
     values (1, $1, '2020-01-01', -1, 'evt_old', 'site.changed', 'site', 101, now())`,
    [id],
  )
  const delivery = process(() => Promise.resolve(GOOD))
  await deliverAll(delivery)
  const log = await createEndpointStore(pool).readLog(SITE, id, { state: 'failed', limit: 9 })
  assert.deepEqual(
    log.map(({ eventId, log: attempts }) => [eventId, attempts[0]?.fault]),
    [['evt_old', 'The event is no longer kept.']],
  )
})

test('retries wait for the clock of the site', async (t) => {
  t.after(() => pool.query('delete from site_clocks'))
  await endpoint('/one')
  await settle()
  await record([101])
  await pool.query(
    `insert into site_clocks (site_id, site_at, real_at, speed, changed_by)
     values (1, '2026-01-01', now(), 0, 'test')`,
  )
  await pool.query(`update webhook_deliveries set due_at = '2026-01-01 00:00:05Z'`)
  await record([102])
  await createDeliveryQueue(pool).fanOut(new Date())
  await pool.query(
    `update webhook_deliveries set due_at = '2026-01-01 00:00:05Z' where state = 'pending'`,
  )
  const ready = async () => (await createDeliveryQueue(pool).ready(new Date())).length
  assert.equal(await ready(), 0)
  await pool.query(`update site_clocks set site_at = '2026-01-01 00:00:05Z'`)
  assert.equal(await ready(), 1)
  // A clock that was taken away: what it planned is beyond every pause.
  await pool.query(`update site_clocks set site_at = '2025-06-01'`)
  assert.equal(await ready(), 1)
})

test('retention erases concluded deliveries with their attempts, and no pending one', async () => {
  await endpoint('/one')
  await settle()
  await record([101])
  await deliverAll(process(() => Promise.resolve(GOOD)))
  await record([102])
  await createDeliveryQueue(pool).fanOut(new Date())
  const { rows } = await pool.query<{ id: string }>('select id from webhook_deliveries')
  const now = new Date(Date.now() + 31 * 86_400_000)
  const client = await pool.connect()
  try {
    await deliveryRows.erase(
      client,
      rows.map(({ id }) => id),
      { kind: 'deliveries', days: 30, now },
    )
  } finally {
    client.release()
  }
  assert.deepEqual(
    (await states()).map((state) => state.split(' ').slice(1)),
    [['102', 'pending']],
  )
  assert.equal((await pool.query('select from webhook_attempts')).rowCount, 0)
})

test('the secret, the limit of endpoints and the types are decided under the lock of the site', async () => {
  const id = await endpoint('/one')
  const { removeOldSecret, rotate } = changes()
  assert.equal((await removeOldSecret(SITE, id, BY)).ok, false)
  assert.equal((await rotate(SITE, id, BY)).ok, true)
  assert.equal((await rotate(SITE, id, BY)).ok, false)
  assert.equal((await removeOldSecret(SITE, id, BY)).ok, true)
  assert.equal((await rotate(2n, id, BY)).ok, false)
  for (let count = 1; count < 10; count += 1) await endpoint(`/${count}`)
  const eleventh = await changes().add(SITE, { url: 'http://127.0.0.1/', types: [] }, BY)
  assert.equal(eleventh.ok, false)
})
