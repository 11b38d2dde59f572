import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import type pg from 'pg'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { adviceRows } from '../../../../src/adapters/postgres/retention/advice-rows.ts'
import { guestCardRows } from '../../../../src/adapters/postgres/retention/customer-rows.ts'
import { createRetentionStore } from '../../../../src/adapters/postgres/retention/retention-store.ts'
import type { RetentionKindName } from '../../../../src/domain/retention/retention-kinds.ts'
import type { RetentionRule } from '../../../../src/usecases/retention/retention-store.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { guests } from '../../../support/guests.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const NOW = new Date('2030-01-01T12:00:00Z')
const DAY_MS = 86_400_000
const rule = (kind: RetentionKindName, days: number): RetentionRule => ({ kind, days, now: NOW })
const daysAgo = (days: number): Date => new Date(NOW.getTime() - days * DAY_MS)

async function database(t: TestContext): Promise<Database> {
  const opened = openDatabase(await server.createDatabase(), () => undefined)
  t.after(() => opened.close())
  return opened
}

const MOST_STEPS = 10

/** Steps until the pass ends; the number of erased rows of each step. */
async function wholePass(pool: pg.Pool, of: RetentionRule): Promise<number[]> {
  const store = createRetentionStore(pool)
  const erased: number[] = []
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const step = await store.step(of, 'test', false)
    assert.ok(step !== null, 'another process has the pass')
    erased.push(step.erased)
    if (step.isEnd) return erased
  }
  throw new Error(`The pass has not ended after ${MOST_STEPS} steps.`)
}

async function idsOf(pool: pg.Pool, table: string): Promise<number[]> {
  const { rows } = await pool.query<{ id: string }>(`select id from ${table} order by id`)
  return rows.map(({ id }) => Number(id))
}

test('sessions, messages and operations go by their own rules, and what is needed stays', async (t) => {
  const { pool } = await database(t)
  await pool.query(`insert into merchants (id, name) values (1, 'Shop')`)
  await pool.query(`insert into sites (id, merchant_id, name) values (1, 1, 'Site')`)
  await pool.query(
    `insert into portal_users (merchant_id, email, name, role) values (1, 'a@b.test', 'Ann', 'owner')`,
  )
  await pool.query(
    `insert into operators (email, name, role) values ('a@ops.test', 'Ann', 'owner')`,
  )
  for (const [table, user] of [
    ['portal_sessions', '(portal_user_id) select 101'],
    ['operator_sessions', '(operator_id) select (select id from operators)'],
  ] as const) {
    const columns = 'token_digest, csrf_token, address, browser, last_seen_at, ended_at'
    await pool.query(
      `insert into ${table} ${user.replace(')', `, ${columns})`)},
              sha256(n::text::bytea), '', '', '', seen, ended
         from (values (1, $1::timestamptz, $1::timestamptz), (2, $1, null), (3, $2, null),
                      (4, $1, $2)) s (n, seen, ended)`,
      [daysAgo(31), daysAgo(29)],
    )
  }
  await pool.query(
    `insert into portal_operations (merchant_id, portal_user_id, site_id, key, operation, order_id,
       digest, request_id, transaction_id, state, result, address, begun_at, ended_at)
     select 1, 101, 1, 'key-0123456789-' || n, 'refund', 1, sha256(n::text::bytea), n, transaction,
            state, case when state <> 'begun' then '{}'::json end, '', $1,
            case when state <> 'begun' then $1::timestamptz end
       from (values (1, null::bigint, 'refused'), (2, 7, 'done'), (3, null, 'begun'),
                    (4, null, 'interrupted'), (5, 8, 'interrupted')) o (n, transaction, state)`,
    [daysAgo(91)],
  )
  await pool.query(
    `insert into three_ds_messages (at, direction, type, content)
     values ($1, 'out', 'AReq', '{}'), ($2, 'in', 'ARes', '{}')`,
    [daysAgo(121), daysAgo(119)],
  )
  assert.deepEqual(await wholePass(pool, rule('sessions', 30)), [2])
  assert.deepEqual(await idsOf(pool, 'portal_sessions'), [3, 4])
  assert.deepEqual(await wholePass(pool, rule('operator_sessions', 30)), [2])
  assert.deepEqual(await idsOf(pool, 'operator_sessions'), [3, 4])
  assert.deepEqual(await wholePass(pool, rule('operations', 90)), [2])
  assert.deepEqual(await idsOf(pool, 'portal_operations'), [2, 3, 5])
  assert.deepEqual(await wholePass(pool, rule('three_ds_messages', 120)), [1])
  assert.deepEqual(await idsOf(pool, 'three_ds_messages'), [2])
})

test('a pass locks 20 customers at once, reads 500, begins again a day later, and is left to the process that has it', async (t) => {
  const { pool } = await database(t)
  await guests(pool, 1, 30, daysAgo(200))
  await guests(pool, 31, 570, daysAgo(2))
  const store = createRetentionStore(pool)
  const cards = rule('guest_cards', 180)
  assert.deepEqual(await store.step(cards, 'test', true), { erased: 20, isEnd: false })
  const other = await pool.connect()
  await other.query('begin')
  await other.query('select from retention_passes for update')
  assert.equal(await store.step(cards, 'test', true), null)
  await other.query('rollback')
  other.release()
  assert.deepEqual(await store.step(cards, 'test', true), { erased: 10, isEnd: false })
  assert.deepEqual(await store.readPasses(), [{ kind: 'guest_cards', endedAt: null }])
  assert.deepEqual(await store.step(cards, 'test', true), { erased: 0, isEnd: true })
  assert.deepEqual(await store.readPasses(), [{ kind: 'guest_cards', endedAt: NOW }])
  assert.equal(await store.step(cards, 'test', true), null)
  const nextDay = { ...cards, now: new Date(NOW.getTime() + DAY_MS) }
  assert.deepEqual(await store.step(nextDay, 'test', true), { erased: 0, isEnd: false })
  assert.deepEqual(await store.readPasses(), [{ kind: 'guest_cards', endedAt: NOW }])
})

test('rows that were due before their locks are read again under them', async (t) => {
  const { pool } = await database(t)
  await guests(pool, 1, 1, daysAgo(200))
  await guests(pool, 2, 1, daysAgo(2))
  const client = await pool.connect()
  try {
    assert.equal(await guestCardRows.erase(client, ['1', '2'], rule('guest_cards', 180)), 1)
    assert.equal(await adviceRows.erase(client, ['1', '2'], rule('advices', 30)), 1)
  } finally {
    client.release()
  }
  const { rows } = await pool.query(`select id from payment_methods where removed_at is null`)
  assert.deepEqual(rows, [{ id: '2' }])
  assert.deepEqual(await idsOf(pool, 'advices'), [2])
})

test('an open settlement difference keeps the number and the advices of its order', async (t) => {
  const { pool } = await database(t)
  await guests(pool, 1, 2, daysAgo(200))
  await pool.query(`
    insert into merchants (id, name) values (1, 'Shop');
    insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
      acquirer_merchant_id, category_code, name_and_location, currencies)
    values (1, 1, 'test', 'Bank', '1', 'M1', '5999', 'Shop', '{USD}');
    insert into settlement_sources (id, merchant_id, merchant_account_id, currency, sender, receiver,
      account, since, fx_band_basis_points, made_by) overriding system value
    values (1, 1, 1, 'USD', 's', 'r', 'a', '2029-01-01', 0, 'test');
    insert into settlement_differences (source_id, merchant_id, code, transaction_id, order_id, since, found_at)
    values (1, 1, 'missing_at_bank', 1, 1, '2029-12-01', now())`)
  assert.deepEqual(await wholePass(pool, rule('guest_cards', 180)), [1])
  assert.deepEqual(await wholePass(pool, rule('advices', 30)), [1])
  assert.deepEqual(await idsOf(pool, 'advices'), [1])
  await pool.query(`update settlement_differences set state = 'ended', ended_as = 'matched_late',
                      ended_by = 'test', ended_at = now(), ended_reason = 'test'`)
  assert.deepEqual(await wholePass(pool, rule('guest_cards', 180)), [1])
})

test('the site clock of its endpoint dates a delivery, and the preview has the oldest', async (t) => {
  const { pool } = await database(t)
  await pool.query(`
    insert into merchants (id, name) values (1, 'Shop');
    insert into sites (id, merchant_id, name) values (1, 1, 'Ahead'), (2, 1, 'Real')`)
  await pool.query(
    `insert into site_clocks (site_id, site_at, real_at, speed, changed_by)
     values (1, $1, $2, 0, 'test')`,
    [daysAgo(-400), NOW],
  )
  await pool.query(
    `insert into webhook_endpoints (id, merchant_id, site_id, url, types, position)
     overriding system value
     select n, 1, n, 'https://shop.test/' || n, '{}', 0 from generate_series(1, 2) n`,
  )
  await pool.query(
    `insert into webhook_deliveries (merchant_id, endpoint_id, day, position, event_id, type, object,
       object_id, state, due_at, ended_at)
     select 1, endpoint, '2030-01-01', n, 'e', 't', 'order', n, 'delivered', at, at
       from (values (1, 1, $1::timestamptz), (2, 1, $2), (3, 2, $3), (4, 2, $4), (5, 1, $4))
              d (n, endpoint, at)`,
    [daysAgo(-369), daysAgo(-371), daysAgo(29), daysAgo(31)],
  )
  const due = await createRetentionStore(pool).countPage(rule('deliveries', 30), 0n)
  assert.deepEqual(due, { due: 3, oldest: daysAgo(31), last: null })
  assert.deepEqual(await wholePass(pool, rule('deliveries', 30)), [3])
  assert.deepEqual(await idsOf(pool, 'webhook_deliveries'), [2, 3])
})

test('advices stay until their batch is closed and agreed on', async (t) => {
  const { pool } = await database(t)
  await guests(pool, 1, 1, daysAgo(60))
  await pool.query(`
    insert into merchants (id, name) values (1, 'Shop');
    insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
      acquirer_merchant_id, category_code, name_and_location, currencies)
    values (1, 1, 'test', 'Bank', '1', 'M1', '5999', 'Shop', '{USD}');
    insert into batches (id, merchant_id, merchant_account_id) values (1, 1, 1)`)
  const pass = (): Promise<number[]> => wholePass(pool, rule('advices', 30))
  const restart = () => pool.query('delete from retention_passes')
  const setBatch = async (columns: string): Promise<void> => {
    await restart()
    await pool.query(`update batches set ${columns} where id = 1`)
  }
  await setBatch('closed_at = null')
  assert.deepEqual(await pass(), [0])
  for (const agreement of ['closing', 'agreeing', 'comparing']) {
    await setBatch(`closed_at = now(), agreement = '${agreement}'`)
    assert.deepEqual(await pass(), [0], agreement)
  }
  await setBatch(`agreement = 'agreed', agreed_at = now()`)
  assert.deepEqual(await pass(), [1])
})

test('personal data of quiet customers go with their numbers, and their orders stay', async (t) => {
  const { pool } = await database(t)
  await guests(pool, 1, 2, daysAgo(800))
  await guests(pool, 3, 1, daysAgo(700))
  assert.deepEqual(await wholePass(pool, rule('customers', 730)), [2])
  const { rows } = await pool.query(
    `select c.id, c.first_name as name, p.last4, p.pan_ciphertext is null as erased, o.captured_minor as captured
       from customers c join payment_methods p on p.customer_id = c.id
       join orders o on o.customer_id = c.id order by c.id`,
  )
  assert.deepEqual(rows, [
    { id: '1', name: '', last4: '1111', erased: true, captured: '100' },
    { id: '2', name: '', last4: '1111', erased: true, captured: '100' },
    { id: '3', name: 'Ann', last4: '1111', erased: false, captured: '100' },
  ])
  assert.deepEqual(await wholePass(pool, rule('customers', 730)), [0])
})
