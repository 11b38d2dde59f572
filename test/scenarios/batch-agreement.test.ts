import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createAgreementStore } from '../../packages/gateway/src/adapters/postgres/books/batch-agreement-store.ts'
import { countInSlices } from '../../packages/gateway/src/adapters/postgres/books/batch-count.ts'
import { createBatchStore } from '../../packages/gateway/src/adapters/postgres/books/batch-store.ts'
import {
  BATCH_SUMS,
  sumOf,
  type BatchSumRow,
} from '../../packages/gateway/src/adapters/postgres/books/batch-sum-text.ts'
import { openDatabase } from '../../packages/gateway/src/adapters/postgres/connection/database.ts'
import type { BatchSum, CloseOutcome } from '../../packages/gateway/src/usecases/books/batches.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import {
  bankBatches,
  closeAnsweredBatch,
  closeOpenBatch,
  openBatchId,
  untilBatchEnded,
} from '../support/batches.ts'
import { brokenInvariants } from '../support/books.ts'
import { untilSeen } from '../support/eventually.ts'
import {
  EXPIRY,
  MASTERCARD,
  outcome,
  payment,
  untilNoAdviceIsQueued,
  untilRow,
  VISA,
} from '../support/payments.ts'
import { signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const FEW = { connections: 1, timeoutMs: 1_000 }
const CREDIT = { PMT_NUMB: VISA, PMT_EXPIRY: EXPIRY }

suite('batches agreed with the bank', () => {
  let gateway: RunningGateway
  let tap: BankTap
  let owner: SignedInUser
  before(async () => {
    gateway = await startRunningGateway({}, async (bankPort) => {
      tap = await openBankTap(bankPort)
      return tap.port
    })
    owner = await signIn(gateway)
  })
  after(async () => {
    await gateway?.stop()
    await tap?.close()
  })

  async function authorized(amount: string): Promise<string> {
    const answer = await gateway.client().authorize(payment(amount))
    assert.equal(outcome(answer), 'APPROVED 0/100')
    return answer.orderId
  }

  /** The account's bank; triggers would refuse another one. */
  async function useBank(link: string): Promise<void> {
    await gateway.pool.query(
      `begin;
       set local session_replication_role = replica;
       update merchant_accounts set processor_link_id = ${link} where id = 2001;
       commit`,
    )
  }

  /** Gives the account a link whose acquirer agrees on no batches. */
  async function moveToSilentAcquirer(): Promise<void> {
    await gateway.pool.query(
      `insert into processor_links (name, mode, addresses, profile, institution_id,
         echo_idle_seconds, request_window, message_timeout_ms)
       values ('silent', 'test', '{127.0.0.1:1}', 'house', '500001', 60, 8, 1000)`,
    )
    await useBank(`(select id from processor_links where name = 'silent')`)
  }

  const store = () => createAgreementStore(gateway.pool)

  async function audited(batch: string): Promise<string[]> {
    const { rows } = await gateway.pool.query<{ operation: string }>(
      'select operation from audit_entries where object = $1 order by number',
      [`batch ${batch}`],
    )
    return rows.map(({ operation }) => operation)
  }

  test('gateway and bank agree on a batch by currency and brand, with its voids and refunds', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('10.00'))
    await client.sale(payment('3.00'))
    await client.sale(payment('500', { currency: 'JPY' }))
    await client.sale(payment('7.00', { cardNumber: MASTERCARD }))
    const orderId = await authorized('8.00')
    await client.capture({ orderId, amount: '5.00' })
    await client.captureVoid({ orderId, amount: '2.00' })
    await client.refund({ orderId: sale.orderId, amount: '1.50' })
    const id = await closeAnsweredBatch(gateway, owner)

    assert.equal(await untilBatchEnded(gateway, id), 'agreed')

    const { body } = await owner.get(`/batches/${id}/agreement`)
    assert.deepEqual(
      body.totals.map((row: { gateway: unknown; bank: unknown }) => row.gateway),
      body.totals.map((row: { gateway: unknown; bank: unknown }) => row.bank),
    )
    const brands = (await bankBatches(gateway, id)).flatMap(({ brands, currency, closed }) =>
      brands.map((brand) => `${closed} ${currency} ${Object.values(brand).join(' ')}`),
    )
    assert.deepEqual(brands.toSorted(), [
      'true 392 VISA 1 500 0 0 0 0 0 0',
      'true 840 MASTERCARD 1 700 0 0 0 0 0 0',
      'true 840 VISA 3 1800 1 150 1 200 0 0',
    ])
    assert.deepEqual(await audited(id), ['batch.closed', 'batch.counted', 'batch.agreed'])
    assert.equal((await owner.get(`/batches/${id}`)).body.state, 'agreed')
  })

  test('a batch that is counted a transaction at a time has the sums that were counted at once', async () => {
    const { rows } = await gateway.pool.query<{ id: string }>(
      `select id from batches where agreement = 'agreed'`,
    )
    const [agreed] = rows
    const counted = await countInSlices(gateway.pool, BigInt(agreed?.id ?? 0), 1)

    const sums = await gateway.pool.query<BatchSumRow>(BATCH_SUMS, [[agreed?.id]])
    const text = ({ currency, action, brand, amountMinor, voidedMinor, transactions }: BatchSum) =>
      [currency, action, brand, transactions, amountMinor, voidedMinor].join(' ')
    assert.deepEqual(counted.sums.map(text), [
      'JPY sale Visa 1 500 0',
      'USD sale Mastercard 1 700 0',
      'USD sale Visa 2 1300 0',
      'USD capture Visa 1 500 200',
      'USD refund Visa 1 150 0',
    ])
    assert.deepEqual(counted.sums.map(text).toSorted(), sums.rows.map(sumOf).map(text).toSorted())
    assert.deepEqual(
      [...counted.totals].map(([currency, brands]) => [currency, brands.map(({ brand }) => brand)]),
      [
        ['JPY', ['VISA']],
        ['USD', ['MASTERCARD', 'VISA']],
      ],
    )
  })

  test('a report of a serving gateway runs on one core, which leaves the others to payments', async () => {
    const database = openDatabase(gateway.databaseUrl, () => undefined)
    const pools = [database.pool, database.portalUsers(), database.reports(FEW)]
    const setting = 'show max_parallel_workers_per_gather'
    const answers = await Promise.all(pools.map((pool) => pool.query(setting)))
    await database.close()
    assert.deepEqual(
      answers.flatMap(({ rows }) => rows.flatMap(Object.values)),
      ['0', '0', '0'],
    )
  })

  test('a capture without an answer at the cut-off is in the next batch, at the bank too, and can be voided', async () => {
    const client = gateway.client()
    const answered = await authorized('20.00')
    await client.capture({ orderId: answered, amount: '20.00' })
    await untilNoAdviceIsQueued(gateway)
    const late = await authorized('30.00')
    tap.holdBank()
    await client.capture({ orderId: late, amount: '30.00' })
    await untilSeen(
      'the bank has counted the capture whose answer is held',
      async () => {
        const [batch] = await bankBatches(gateway, await openBatchId(gateway))
        return batch?.brands[0]?.['salesMinor']
      },
      (minor) => minor === '5000',
    )

    const id = await closeOpenBatch(gateway, owner)
    const next = await openBatchId(gateway)
    assert.equal(outcome(await client.captureVoid({ orderId: answered })), 'DECLINED 0/525')
    assert.equal(await store().count(BigInt(id)), null, 'the bank may count it in both')
    tap.letGo()

    assert.equal(await untilBatchEnded(gateway, id), 'agreed')
    assert.equal((await bankBatches(gateway, id))[0]?.brands[0]?.['salesMinor'], '2000')
    assert.equal((await bankBatches(gateway, next))[0]?.brands[0]?.['salesMinor'], '3000')
    assert.equal(outcome(await client.captureVoid({ orderId: late })), 'APPROVED 0/100')
    const last = await closeAnsweredBatch(gateway, owner)
    assert.equal(last, next)
    assert.equal(await untilBatchEnded(gateway, next), 'agreed')
  })

  test('a batch with a void on its way is agreed after the bank has it', async () => {
    const orderId = await authorized('21.00')
    await gateway.client().capture({ orderId, amount: '21.00' })
    await untilNoAdviceIsQueued(gateway)
    tap.holdBank()
    await gateway.client().captureVoid({ orderId, amount: '1.00' })

    const id = await closeOpenBatch(gateway, owner)
    assert.equal(await store().count(BigInt(id)), null, 'the bank may not have the void')
    tap.letGo()

    assert.equal(await untilBatchEnded(gateway, id), 'agreed')
    assert.equal((await bankBatches(gateway, id))[0]?.brands[0]?.['voidedSalesMinor'], '100')
  })

  async function closeOnce(id: string): Promise<CloseOutcome> {
    const { rows } = await gateway.pool.query<{ merchant_id: string }>(
      'select merchant_id from batches where id = $1',
      [id],
    )
    const merchantId = BigInt(rows[0]?.merchant_id ?? 0)
    const by = { actor: 'operator:x', address: '' }
    return createBatchStore(gateway.pool).close(merchantId, BigInt(id), by)
  }

  const untilStatementWaits = (like: string) =>
    untilRow(
      gateway,
      `a statement like ${like} waits for a lock`,
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
      [like],
    )

  test('a batch whose first refund is being written is closed with that refund in it', async () => {
    const id = await openBatchId(gateway, 2003)
    const holder = await gateway.pool.connect()
    try {
      tap.holdBank()
      // The bank answers it at once, so that no advice follows.
      const credit = gateway
        .client(1003)
        .raw({ ...CREDIT, REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1', LI_VALUE_1: '17.00' })
      const { id: running } = await untilRow(
        gateway,
        'the credit waits for the bank',
        `select id from transactions where state = 'running' and kind = 'refund'`,
      )
      await holder.query('begin')
      await holder.query('select from transactions where id = $1 for update', [running])
      tap.letGo()
      await untilStatementWaits('%locked_batches%')

      const closing = closeOnce(id)
      const waiting = untilStatementWaits('%from batches where id = %for update')
      assert.equal(
        await Promise.race([closing.then(({ kind }) => kind), waiting.then(() => '')]),
        '',
      )
      await holder.query('commit')

      assert.equal((await credit)['TRANS_STATUS_NAME'], 'APPROVED')
      const closed = await closing
      assert.equal(closed.kind, 'closed')
      assert.deepEqual(
        closed.batch.sums.map(({ action, amountMinor }) => `${action} ${amountMinor}`),
        ['refund 1700'],
      )
      await untilBatchEnded(gateway, id)
    } finally {
      tap.letGo()
      await holder.query('rollback')
      holder.release()
    }
  })

  test('a batch that holds nothing stays open, and nothing is audited', async () => {
    const id = await openBatchId(gateway)
    assert.deepEqual(await closeOnce(id), { kind: 'empty' })
    assert.deepEqual(await audited(id), [])
    assert.equal(await openBatchId(gateway), id)
  })

  test('a batch of an acquirer without agreement closes without one, and says so', async () => {
    await gateway.client().sale(payment('9.00'))
    await untilNoAdviceIsQueued(gateway)
    await moveToSilentAcquirer()
    const id = await closeOpenBatch(gateway, owner)

    assert.equal(await untilBatchEnded(gateway, id), 'none')

    await useBank('null')
    assert.deepEqual(await audited(id), ['batch.closed', 'batch.counted'])
    assert.equal((await owner.get(`/batches/${id}`)).body.state, 'closed')
    assert.deepEqual((await owner.get(`/batches/${id}/agreement`)).body.totals, [])
  })

  test('a batch with other totals at the bank names the rows that differ', async () => {
    const client = gateway.client()
    const changed = await client.sale(payment('11.00'))
    const missing = await client.sale(payment('12.00'))
    await client.sale(payment('13.00'))
    await untilNoAdviceIsQueued(gateway)
    const { rows: closed } = await gateway.pool.query<{ id: string }>(
      'select id from batches where merchant_account_id = 2001 and closed_at is not null limit 1',
    )
    // Planted: an amount of the gateway that is wrong, and a row that it has in another batch.
    await gateway.pool.query(
      `update transactions set voided_minor = 100 where order_id = $1 and kind = 'sale'`,
      [changed.orderId],
    )
    await gateway.pool.query(
      `update transactions set batch_id = $2 where order_id = $1 and kind = 'sale'`,
      [missing.orderId, closed[0]?.id],
    )

    const id = await closeOpenBatch(gateway, owner)
    assert.equal(await untilBatchEnded(gateway, id), 'differing')

    const { body } = await owner.get(`/batches/${id}/agreement`)
    assert.equal(body.differing, 2)
    assert.deepEqual(
      body.differences.map((row: Record<string, unknown>) =>
        [row['orderId'], row['gatewayMinor'], row['gatewayVoidedMinor'], row['bankMinor']].join(
          ' ',
        ),
      ),
      [`${changed.orderId} 1100 100 1100`, '   1200'],
    )
    assert.deepEqual(await audited(id), ['batch.closed', 'batch.counted', 'batch.differs'])
    assert.match(await gateway.metrics(), /^tollgate_batches_differing_total 1$/m)
    await gateway.pool.query(
      `update transactions set voided_minor = 0, batch_id = $2
        where order_id = any($1::bigint[]) and kind = 'sale'`,
      [[changed.orderId, missing.orderId], id],
    )
  })

  test('a 0500 without an answer is repeated with its identity until the bank answers it', async () => {
    await gateway.client().sale(payment('14.00'))
    await untilNoAdviceIsQueued(gateway)
    const { status } = await fetch(`${gateway.bank.controlUrl}/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ match: { mti: '0500' }, action: { kind: 'close' }, count: 1 }),
    })
    assert.equal(status, 201)
    const id = await closeOpenBatch(gateway, owner)

    assert.equal(await untilBatchEnded(gateway, id), 'agreed')
    const { rows } = await gateway.pool.query(
      'select tries > 1 as repeated, in_balance from batch_agreements where batch_id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ repeated: true, in_balance: true }])
    const heard = tap.messages.map((message) => message.subarray(0, 4).toString())
    assert.ok(heard.includes('0501'), 'no 0501 was sent')
    assert.deepEqual(await brokenInvariants(gateway), [])
  })
})
