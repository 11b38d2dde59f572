import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { createBatchStore } from '../../../src/adapters/postgres/books/batch-store.ts'
import { createCardTokenStore } from '../../../src/adapters/postgres/card-tokens/card-token-store.ts'
import { createOperationStore } from '../../../src/portal/order/store/operation-store.ts'
import {
  createOperations,
  type OperationDeps,
} from '../../../src/portal/order/usecases/operations.ts'
import { createReconQueue } from '../../../src/portal/reconciliation/store/recon-queue.ts'
import { createLiveRequestStore } from '../../../src/portal/settings/store/live-requests.ts'
import { startTestServer, type TestServer } from '../../support/database.ts'

const MERCHANT = 77n

let server: TestServer
let pool: pg.Pool
before(async () => {
  server = await startTestServer()
  pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 2 })
  await pool.query(`insert into merchants (id, name) values ($1, 'Limits')`, [MERCHANT])
  await pool.query(`insert into sites (id, merchant_id, name) values (7001, $1, 'Limits')`, [
    MERCHANT,
  ])
  await pool.query(
    `insert into portal_users (merchant_id, email, name, role)
     values ($1, 'asker@limits.test', 'Asker', 'owner'), ($1, 'approver@limits.test', 'Approver', 'owner')`,
    [MERCHANT],
  )
})
after(async () => {
  await pool?.end()
  await server?.stop()
})

const at = (time: string): Date => new Date(`2031-05-10T${time}Z`)
const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

async function idOf(email: string): Promise<bigint> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from portal_users where email = $1',
    [email],
  )
  return BigInt(rows[0]?.id ?? 0)
}

suite('card tokens', () => {
  let made = 0n
  /** Whether a token is made for a request with this unique id, received at this time. */
  const make = (
    uniqueId: string,
    requestedAt: Date,
    expiresAt = at('23:00:00'),
  ): Promise<boolean> => {
    made += 1n
    return createCardTokenStore(pool).insert({
      id: made,
      hash: digest(`token ${made}`),
      site: { id: 7001n, mode: 'test', merchantId: MERCHANT, clock: { now: () => requestedAt } },
      sealed: { ciphertext: 'ab12', dataKeyId: 1 },
      fingerprint: digest('card'),
      createdAt: requestedAt,
      expiresAt,
      code: null,
      uniqueId,
      requestedAt,
    })
  }

  test('a unique id is refused for ten minutes, and is free afterwards', async () => {
    assert.equal(await make('again', at('10:00:00.000')), true)
    await createCardTokenStore(pool).eraseExpired(at('10:10:00.000'), at('10:10:00.000'))
    assert.equal(await make('again', at('10:10:00.000')), false)
    assert.equal(await make('again', at('10:10:00.001')), true)
  })

  test('a unique id is erased after ten minutes, and not before', async () => {
    const store = createCardTokenStore(pool)
    const isKept = async (): Promise<boolean> => {
      const { rowCount } = await pool.query(
        `select from token_request_ids where unique_id = 'erased'`,
      )
      return rowCount === 1
    }
    assert.equal(await make('erased', at('11:00:00.000')), true)
    await store.eraseExpired(at('11:10:00.000'), at('11:10:00.000'))
    assert.equal(await isKept(), true)
    await store.eraseExpired(at('11:10:00.001'), at('11:10:00.001'))
    assert.equal(await isKept(), false)
  })

  test('a token is known for 40 days after it expired, and not longer', async () => {
    const store = createCardTokenStore(pool)
    const expiry = new Date('2031-01-01T12:00:00Z')
    const isKept = async (): Promise<boolean> => {
      const { rowCount } = await pool.query('select from card_tokens where id = $1', [made])
      return rowCount === 1
    }
    assert.equal(await make('kept', at('12:00:00'), expiry), true)
    const days40 = new Date(expiry.getTime() + 40 * 86_400_000)
    await store.eraseExpired(days40, days40)
    assert.equal(await isKept(), true)
    const longer = new Date(days40.getTime() + 1)
    await store.eraseExpired(longer, longer)
    assert.equal(await isKept(), false)
  })
})

test('a batch is due from the minute of its cut-off', async () => {
  // The orders of the transaction are of no concern here, nor are other rows that it refers to.
  await pool.query(`
    begin;
    set local session_replication_role = replica;
    insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
      acquirer_merchant_id, category_code, name_and_location, currencies, batch_cutoff)
      values (8001, 77, 'test', 'bundled', '1', '1', '5999', 'Limits', '{USD}', 17 * 60 + 42);
    insert into batches (id, merchant_id, merchant_account_id, opened_at)
      values (9001, 77, 8001, '2031-05-10T09:00:00Z');
    insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
      value_minor, batch_id, created_at, concluded_at)
      values (1, 77, 1, 1, 'sale', 'approved', 100, 100, 9001, '2031-05-10T10:00:00Z',
        '2031-05-10T10:00:00Z');
    commit`)
  const due = async (time: string): Promise<bigint[]> =>
    (await createBatchStore(pool).findDue(at(time))).map(({ batchId }) => batchId)
  assert.deepEqual(await due('17:41:59.999'), [])
  assert.deepEqual(await due('17:42:00.000'), [9001n])
  await pool.query(`update batches set opened_at = '2031-05-10T17:42:00Z' where id = 9001`)
  assert.deepEqual(await due('23:59:59.999'), [])
})

suite('comparisons', () => {
  const runs = async (): Promise<number> =>
    Number((await pool.query('select from recon_runs where merchant_id = $1', [MERCHANT])).rowCount)

  test('the daily comparison is asked for from its hour on, once', async () => {
    const queue = createReconQueue(pool)
    await pool.query('insert into recon_schedules (merchant_id, hour) values ($1, 14)', [MERCHANT])
    // One of yesterday at that hour.
    await pool.query(
      `insert into recon_runs (merchant_id, asked_by, state, asked_at, finished_at)
       values ($1, 'gateway', 'failed', '2031-05-09T14:00:00Z', now())`,
      [MERCHANT],
    )
    await queue.requestDue(at('13:59:59.999'))
    assert.equal(await runs(), 1)
    await queue.requestDue(at('14:00:00.000'))
    assert.equal(await runs(), 2)
    await pool.query(
      `update recon_runs set asked_at = '2031-05-10T14:00:00Z', state = 'failed', finished_at = now()
        where state = 'waiting'`,
    )
    await queue.requestDue(at('23:59:59.999'))
    assert.equal(await runs(), 2)
  })

  test('a comparison is taken over after five minutes of silence, and not before', async () => {
    const queue = createReconQueue(pool)
    const silentFor = async (seconds: number): Promise<unknown> => {
      await pool.query(
        `update recon_runs set alive_at = now() - $1 * interval '1 second' where state = 'running'`,
        [seconds],
      )
      return queue.take()
    }
    await pool.query(
      `insert into recon_runs (merchant_id, asked_by, state) values ($1, 'x', 'running')`,
      [MERCHANT],
    )
    // Ten seconds for the statement itself, on a machine that is busy.
    assert.equal(await silentFor(290), null)
    assert.notEqual(await silentFor(301), null)
  })
})

test('an operation counts as forgotten after two minutes, and not before', async () => {
  const store = createOperationStore(pool)
  const user = await idOf('asker@limits.test')
  await pool.query(
    `insert into portal_operations (merchant_id, portal_user_id, site_id, key, operation, order_id, digest, request_id, address, begun_at)
     select $1, $2, 7001, 'key-of-' || lpad(s::text, 12, '0'), 'capture', s, sha256('x'), s, '127.0.0.1',
            now() - s * interval '1 second'
       from unnest(array[60, 110, 121, 180]) s`,
    [MERCHANT, user],
  )
  const forgotten: bigint[] = []
  const operations = createOperations({
    operations: {
      ...store,
      async findForgotten(olderThanMs: number) {
        const found = await store.findForgotten(olderThanMs)
        forgotten.push(...found.map(({ orderId }) => orderId))
        return []
      },
    },
  } as unknown as OperationDeps)
  await operations.recoverForgotten()
  assert.deepEqual(forgotten, [180n, 121n])
})

test('a link of a portal user bars its owner from approving for 24 hours, and an old one does not', async () => {
  const { transact } = createLiveRequestStore({
    pool,
    isPublishedKey: () => Promise.resolve(false),
    idleDays: 0,
    hasBundledBank: true,
  })
  const approver = await idOf('approver@limits.test')
  const isBarred = async (madeBy: string, age: string): Promise<boolean> => {
    await pool.query('delete from portal_invitations')
    await pool.query(
      `insert into portal_invitations (portal_user_id, kind, token_digest, made_by, made_at)
       values ($1, 'reset', sha256('link'), $2, now() - $3::interval)`,
      [approver, madeBy, age],
    )
    return transact((tx) => tx.hasFreshLink(approver))
  }
  assert.equal(await isBarred('portal:asker@limits.test', '31 minutes'), true)
  assert.equal(await isBarred('portal:asker@limits.test', '23 hours 59 minutes'), true)
  assert.equal(await isBarred('portal:asker@limits.test', '24 hours 1 second'), false)
  assert.equal(await isBarred('operator', '1 minute'), false)
})
