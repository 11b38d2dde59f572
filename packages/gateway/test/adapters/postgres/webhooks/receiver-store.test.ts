import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type pg from 'pg'
import { appendAudit } from '../../../../src/adapters/postgres/audit/audit-log.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { AUDITED, inTransaction } from '../../../../src/adapters/postgres/connection/transaction.ts'
import { createEventNumbering } from '../../../../src/adapters/postgres/events/event-numbering.ts'
import { caughtWebhookRows } from '../../../../src/adapters/postgres/retention/retention-rows.ts'
import { createEndpointStore } from '../../../../src/adapters/postgres/webhooks/endpoint-store.ts'
import { createFaultStore } from '../../../../src/adapters/postgres/webhooks/fault-store.ts'
import { createReceiverStore } from '../../../../src/adapters/postgres/webhooks/receiver-store.ts'
import { Secret } from '../../../../src/base/secret.ts'
import { planAfter } from '../../../../src/domain/webhooks/receiver-answer.ts'
import { createChangeEndpoints } from '../../../../src/usecases/webhooks/change-endpoints.ts'
import { createSetFaults } from '../../../../src/usecases/webhooks/change-faults.ts'
import { createChangeReceivers } from '../../../../src/usecases/webhooks/change-receivers.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

const SITE = 1n
const BY = { actor: 'api:shop@example.test' }
const RULES = { allowsLoopback: true, allowed: [], refused: [], ports: [443] }

let server: TestServer
let database: Database
let pool: pg.Pool
before(async () => {
  server = await startTestServer()
  database = openDatabase(await server.createDatabase(), () => undefined)
  pool = database.pool
  await pool.query(`insert into merchants (id, name) values (1, 'Merchant')`)
  await pool.query(`insert into sites (id, merchant_id, name) values (1, 1, 'Site'), (2, 1, 'B')`)
  await pool.query(`insert into data_keys (purpose, wrapped, kek_id) values ('pan', '', 'test')`)
})
beforeEach(async () => {
  await pool.query('delete from webhook_endpoints')
  await pool.query(`update sites set mode = 'test'`)
})
after(async () => {
  await database?.close()
  await server.stop()
})

const endpoints = () =>
  createChangeEndpoints({
    store: createEndpointStore(pool),
    rulesOf: () => RULES,
    newSecret: () => new Secret('whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='),
    openSeal: async () => async () => ({ ciphertext: Buffer.from('sealed'), dataKeyId: 1 }),
  })
let made = 0
const changes = () =>
  createChangeReceivers({
    store: createReceiverStore(pool),
    endpoints: endpoints(),
    newId: () => `rcv_${String((made += 1)).padStart(32, '0')}`,
    urlOf: (id) => `http://127.0.0.1/${id}`,
  })

async function receiver(
  site = SITE,
): Promise<{ readonly id: string; readonly endpointId: bigint }> {
  const result = await changes().add(site, [], BY)
  assert.ok(result.ok)
  return result.added
}

/** As an operator moves a site. */
async function goLive(site: bigint): Promise<void> {
  await inTransaction(pool, AUDITED, async (client) => {
    await client.query(`update sites set mode = 'live' where id = $1`, [site])
    const [operation, object] = ['site.mode_set', `site ${site}`] as const
    const details = { before: 'test', after: 'live' }
    await appendAudit(client, [
      { actor: 'operator:test', operation, object, result: 'done', details },
    ])
  })
}

const counts = async (): Promise<readonly (number | undefined)[]> => {
  const count = async (table: string) => (await pool.query(`select from ${table}`)).rowCount ?? 0
  const tables = ['webhook_endpoints', 'webhook_receivers', 'caught_webhooks']
  return Promise.all(tables.map(count))
}

const caught = (receiverId: string, at = new Date()) => ({
  receiverId,
  at,
  siteAt: at,
  eventId: 'evt_1',
  eventType: 'payment.approved',
  verdict: 'current' as const,
  headers: [['x-a', 'b']] as const,
  body: '{}',
  bodyBytes: 2,
})

test('a live site gets no receiver, from the use case and from the database', async () => {
  const { endpointId } = await receiver()
  await goLive(2n)
  const refused = await changes().add(2n, [], BY)
  assert.deepEqual([refused.ok, refused.ok ? '' : refused.code], [false, 'live_site'])
  assert.deepEqual(await counts(), [1, 1, 0])
  await pool.query('delete from webhook_receivers')
  await assert.rejects(
    pool.query('insert into webhook_receivers (id, site_id, endpoint_id) values ($1, 2, $2)', [
      `rcv_${'x'.repeat(32)}`,
      endpointId,
    ]),
    { constraint: 'webhook_receivers_of_test_sites' },
  )
})

test('a live site gets no faults, from the use case and from the database, and loses those it had', async () => {
  const { endpointId } = await receiver()
  const other = await endpoints().add(2n, { url: 'http://127.0.0.1/', types: [] }, BY)
  assert.ok(other.ok)
  const faults = createFaultStore(pool)
  const setFaults = createSetFaults(faults)
  const fault = { kind: 'lose', type: '', share: 50, seconds: 60, left: 2 } as const
  assert.ok((await setFaults(SITE, endpointId, [fault], BY)).ok)
  assert.ok((await setFaults(2n, other.id, [fault], BY)).ok)
  assert.equal((await setFaults(2n, endpointId, [fault], BY)).ok, false)
  await goLive(2n)
  assert.deepEqual((await faults.list(2n))[0]?.faults, [])
  assert.deepEqual((await faults.list(SITE))[0]?.faults, [fault])
  const refused = await setFaults(2n, other.id, [fault], BY)
  assert.equal(refused.ok ? '' : refused.code, 'live_site')
  for (const [endpoint, site] of [
    [other.id, 2n],
    [other.id, SITE],
  ]) {
    await assert.rejects(
      pool.query(
        `insert into webhook_faults (endpoint_id, site_id, kind, type, share, seconds)
         values ($1, $2, 'lose', '', 1, 1)`,
        [endpoint, site],
      ),
      { constraint: 'webhook_faults_of_test_sites' },
    )
  }
})

test('a site that goes live loses its receivers with their endpoints, and keeps other endpoints', async () => {
  const { id } = await receiver()
  await receiver(2n)
  const kept = await endpoints().add(SITE, { url: 'http://127.0.0.1/', types: [] }, BY)
  assert.ok(kept.ok)
  await createReceiverStore(pool).store(caught(id), 9, planAfter)
  await goLive(SITE)
  assert.deepEqual(await counts(), [2, 1, 0])
  const [left] = await createEndpointStore(pool).list(SITE)
  assert.equal(left?.id, kept.id)
})

test('requests at once count down the same plan, and each is stored with its own answer', async () => {
  const { id } = await receiver()
  const plan = { manner: 'answer', status: 503, retryAfterS: 5, delayMs: 0, left: 2 } as const
  assert.ok((await changes().setAnswer(SITE, id, plan, BY)).ok)
  const store = createReceiverStore(pool)
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => store.store(caught(id), 9, planAfter)),
  )
  assert.deepEqual(answers.map((answer) => answer?.status).toSorted(), [204, 204, 503, 503])
  const read = await store.readCaught(SITE, { receiverId: id, before: null, limit: 9 })
  assert.deepEqual(read.map(({ status }) => status).toSorted(), [204, 204, 503, 503])
  assert.deepEqual(read[0]?.headers, [['x-a', 'b']])
})

test('a request for a receiver that is gone is not stored', async () => {
  const { id } = await receiver()
  assert.ok((await changes().remove(SITE, id, BY)).ok)
  assert.equal(await createReceiverStore(pool).store(caught(id), 9, planAfter), null)
  assert.deepEqual(await counts(), [0, 0, 0])
})

test('only the site itself removes a receiver and sets its answers', async () => {
  const { id } = await receiver()
  const plan = { manner: 'hang', status: 204, retryAfterS: null, delayMs: 0, left: null } as const
  const refusals = [
    await changes().remove(2n, id, BY),
    await changes().setAnswer(2n, id, plan, BY),
    await changes().setAnswer(SITE, 'rcv_none', plan, BY),
  ]
  for (const refusal of refusals) {
    assert.deepEqual(refusal.ok ? [] : refusal.faults, ['The site has no such receiver.'])
  }
  assert.deepEqual(await counts(), [1, 1, 0])
})

test('retention erases caught webhooks after their days', async () => {
  const { id } = await receiver()
  const store = createReceiverStore(pool)
  const now = new Date()
  await store.store(caught(id, new Date(now.getTime() - 8 * 86_400_000)), 9, planAfter)
  await store.store(caught(id, now), 9, planAfter)
  const { rows } = await pool.query<{ id: string }>('select id from caught_webhooks order by id')
  const ids = rows.map((row) => row.id)
  const rule = { kind: 'caught_webhooks', days: 7, now } as const
  const due = await caughtWebhookRows.due(pool, ids, rule)
  assert.deepEqual(
    due.map((row) => row.id),
    ids.slice(0, 1),
  )
})

test('an event about an endpoint names the API user, portal user or operator as its origin', async () => {
  const { endpointId } = await receiver()
  for (const actor of ['api:a', 'portal:a', 'operator:a']) {
    assert.ok((await endpoints().test(SITE, endpointId, { actor })).ok)
  }
  await createEventNumbering(pool).number(100)
  const { rows } = await pool.query<{ origin: string }>(
    `select details ->> 'origin' as origin from events where type = 'endpoint.tested'
      order by position`,
  )
  assert.deepEqual(
    rows.map(({ origin }) => origin),
    ['API', 'PORTAL', 'OPERATOR'],
  )
})
