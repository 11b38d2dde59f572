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

/** Customers from an id on, each with a card and one captured order that moved last at a time. */
async function guests(pool: pg.Pool, first: number, count: number, at: Date): Promise<void> {
  const ids = `generate_series($1::bigint, $1 + $2 - 1) n`
  const values = [first, count, at]
  await pool.query(
    `insert into customers (id, merchant_id, mode, first_name, created_at)
     select n, 1, 'test', 'Ann', $3 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id,
       fingerprint, brand, last4, created_at, last_used_at)
     select n, 1, n, 'test', 'x', 1, sha256(n::text::bytea), 'Visa', '1111', $3, $3 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id,
       payment_method_id, kind, state, currency, requested_minor, authorized_minor, captured_minor,
       message_number, message_at, entry_mode, created_at, advice_count)
     select n, 1, 1, 1, 'test', n, n, 'payment', 'authorized', 'USD', 100, 100, 100, n, $3, '010',
            $3, 1 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
       value_minor, created_at, concluded_at, batch_id)
     select n, 1, n, n, 'sale', 'approved', 100, 100, $3, $3, 1 from ${ids}`,
    values,
  )
  await pool.query(
    `insert into advices (id, merchant_id, order_id, transaction_id, sequence, kind, state,
       amount_minor, original_mti, original_number, original_at, message_number, message_at,
       next_try_at, response_code, acknowledged_at, created_at)
     select n, 1, n, n, 1, 'capture', 'acknowledged', 100, '0100', n, $3, n + 1000000, $3, $3,
            '00', $3, $3 from ${ids}`,
    values,
  )
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
    `insert into portal_sessions (portal_user_id, token_digest, csrf_token, address, browser,
       last_seen_at, ended_at)
     select 101, sha256(n::text::bytea), '', '', '', seen, ended
       from (values (1, $1::timestamptz, $1::timestamptz), (2, $1, null), (3, $2, null),
                    (4, $1, $2)) s (n, seen, ended)`,
    [daysAgo(31), daysAgo(29)],
  )
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
  assert.deepEqual(await wholePass(pool, rule('operations', 90)), [2])
  assert.deepEqual(await idsOf(pool, 'portal_operations'), [2, 3, 5])
  assert.deepEqual(await wholePass(pool, rule('three_ds_messages', 120)), [1])
  assert.deepEqual(await idsOf(pool, 'three_ds_messages'), [2])
})

test('a pass takes 500 rows a step, begins again a day later, and is left to the process that has it', async (t) => {
  const { pool } = await database(t)
  await guests(pool, 1, 600, daysAgo(200))
  const store = createRetentionStore(pool)
  const cards = rule('guest_cards', 180)
  assert.deepEqual(await store.step(cards, 'test', true), { erased: 500, isEnd: false })
  const other = await pool.connect()
  await other.query('begin')
  await other.query('select from retention_passes for update')
  assert.equal(await store.step(cards, 'test', true), null)
  await other.query('rollback')
  other.release()
  assert.deepEqual(await store.step(cards, 'test', true), { erased: 100, isEnd: true })
  assert.equal(await store.step(cards, 'test', true), null)
  const nextDay = { ...cards, now: new Date(NOW.getTime() + DAY_MS) }
  assert.deepEqual(await store.step(nextDay, 'test', true), { erased: 0, isEnd: false })
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
