import { reconcileNoted, type NotedReconciliation } from '@tollgate/gateway/books'
import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { CHOOSING } from '../../packages/gateway/src/adapters/postgres/books/chosen-orders.ts'
import {
  COPYING,
  withValues,
} from '../../packages/gateway/src/adapters/postgres/books/invariants/copy-changed-rows.ts'
import { CHOSEN_ORDERS } from '../../packages/gateway/src/adapters/postgres/books/orders-in-books.ts'
import { readReconMark } from '../../packages/gateway/src/adapters/postgres/books/recon-runs.ts'
import { newReference, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { walksOf } from '../support/table-walks.ts'

let gateway: RunningGateway
/** An order that was captured in part, longer ago than any run takes for new. */
let old = ''
before(async () => {
  gateway = await startRunningGateway()
  old = (await gateway.client().authorize(payment('100.00'))).orderId
  await gateway.client().capture({ orderId: old, amount: '60' })
  await untilNoAdviceIsQueued(gateway)
  await age(old)
})
after(() => gateway?.stop())

beforeEach(async () => {
  await untilAllHasPositions()
  assert.deepEqual(found(await runOf(false)), [], 'the books differ before the test')
})

function runOf(sinceLast: boolean): Promise<NotedReconciliation> {
  const { controlUrl } = gateway.bank
  assert.ok(controlUrl !== null)
  const options = { controlUrl, readSecret: () => null, settleMs: 0 }
  return reconcileNoted(gateway.databaseUrl, sinceLast, options)
}

/** An event without a position counts as one behind the mark. */
async function untilAllHasPositions(): Promise<void> {
  const numbered = 'select where not exists (select from event_outbox)'
  await untilRow(gateway, 'each event has a position', numbered)
}

/** The orders that differ, each with its first reason. */
const found = ({ differences }: NotedReconciliation): string[] =>
  differences.map(({ order, reasons }) => `${order.orderId ?? 'bank'} ${reasons[0]?.kind}`)

/** Changes rows as no gateway does. */
async function damage(sql: string): Promise<void> {
  await gateway.pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`)
}

function age(orderId: string): Promise<void> {
  return damage(`update orders set created_at = now() - interval '3 hours' where id = ${orderId}`)
}

/** Takes an order out of the database with its events, as a restore of an older copy does. */
async function lose(orderId: string): Promise<() => Promise<void>> {
  await damage(
    `create table lost_orders as select * from orders where id = ${orderId};
     delete from orders where id = ${orderId};
     delete from event_outbox where object_id = ${orderId}`,
  )
  return () => damage('insert into orders select * from lost_orders; drop table lost_orders')
}

suite('recon since the last run', () => {
  test('compares orders that have changed, and leaves an unchanged one to full runs', async () => {
    const { orderId } = await gateway.client().sale(payment('10.00'))
    await untilNoAdviceIsQueued(gateway)
    await damage(
      `update orders set captured_minor = captured_minor - 1 where id in (${old}, ${orderId})`,
    )

    const sinceLast = await runOf(true)
    const full = await runOf(false)

    await damage(
      `update orders set captured_minor = captured_minor + 1 where id in (${old}, ${orderId})`,
    )
    assert.deepEqual(found(sinceLast), [`${orderId} ledger_differs`])
    assert.deepEqual(found(full), [`${old} ledger_differs`, `${orderId} ledger_differs`])
  })

  test('an order that differs is compared in each later run until its books agree', async () => {
    await damage(`update orders set captured_minor = captured_minor - 1 where id = ${old}`)
    assert.deepEqual(found(await runOf(false)), [`${old} ledger_differs`])
    assert.deepEqual(found(await runOf(true)), [`${old} ledger_differs`])
    assert.deepEqual(found(await runOf(true)), [`${old} ledger_differs`])

    await damage(`update orders set captured_minor = captured_minor + 1 where id = ${old}`)

    assert.deepEqual(found(await runOf(true)), [])
    const { orders } = await runOf(true)
    const { rows } = await gateway.pool.query('select from operator_recon_orders')
    assert.deepEqual([rows.length, orders < 10], [0, true])
  })

  test('finds an order that the gateway has lost, new or older, until the gateway has it again', async () => {
    const { orderId } = await gateway.client().sale(payment('20.00'))
    await untilNoAdviceIsQueued(gateway)
    const restore = await lose(orderId)
    assert.deepEqual(found(await runOf(true)), ['bank unknown_to_gateway'])
    assert.deepEqual(found(await runOf(true)), ['bank unknown_to_gateway'])
    await restore()
    assert.deepEqual(found(await runOf(true)), [])

    const refunded = { orderId: old, amount: '10', more: { IDEMPOTENCY_KEY: newReference() } }
    await gateway.client().refund(refunded)
    await untilNoAdviceIsQueued(gateway)
    const restoreOld = await lose(old)
    const lost = await runOf(true)
    await restoreOld()
    assert.deepEqual(found(lost), ['bank unknown_to_gateway'])
    assert.equal(lost.differences[0]?.order.bank?.refundedMinor, 1_000n)
  })

  test('compares an order that the bank alone has changed', async () => {
    const { rows } = await gateway.pool.query<{ state: string }>(
      `select state from orders where id = ${old}`,
    )
    assert.equal(rows[0]?.state, 'authorized')
    // The gateway forgets the refund as a whole, and that it has been open.
    await gateway.client().refund({
      orderId: old,
      amount: '5',
      more: { IDEMPOTENCY_KEY: newReference() },
    })
    await untilNoAdviceIsQueued(gateway)
    await damage(
      `update orders set refunded_minor = refunded_minor - 500 where id = ${old};
       delete from ledger_postings where order_id = ${old} and amount_minor = 500;
       delete from event_outbox where object_id = ${old};
       update events set object_id = 1, transaction_id = 1 where object_id = ${old}`,
    )

    const differing = await runOf(true)

    await damage(`update orders set refunded_minor = refunded_minor + 500 where id = ${old};
      insert into ledger_postings (merchant_id, order_id, transaction_id, kind, currency, amount_minor, posted_at)
      select merchant_id, ${old}, id, 'refund', 'USD', 500, now() from transactions
       where order_id = ${old} and kind = 'refund' and value_minor = 500`)
    assert.deepEqual(found(differing), [`${old} unexplained`])
  })

  test('a change that commits only after a run is compared in the next one', async () => {
    const late = await gateway.pool.connect()
    try {
      await late.query('begin')
      await late.query('set local session_replication_role = replica')
      await late.query(
        `insert into event_outbox (type, merchant_id, object_id, details)
         select 'payment.approved', merchant_id, id, '{}' from orders where id = ${old}`,
      )
      await late.query(`update orders set captured_minor = captured_minor - 1 where id = ${old}`)
      assert.deepEqual(found(await runOf(true)), [])
      const { orderId } = await gateway.client().sale(payment('1.00'))
      await untilNoAdviceIsQueued(gateway)
      assert.deepEqual(found(await runOf(true)), [], orderId)
      await late.query('commit')
    } finally {
      late.release()
    }

    await untilAllHasPositions()
    const later = await runOf(true)

    await damage(`update orders set captured_minor = captured_minor + 1 where id = ${old}`)
    assert.deepEqual(found(later), [`${old} ledger_differs`])
  })

  test('reaches each row of a growing table by a key', async () => {
    const client = await gateway.pool.connect()
    try {
      const mark = await readReconMark(client)
      assert.ok(typeof mark !== 'string')
      const walked: Record<string, string[]> = {}
      await client.query(`begin isolation level repeatable read; ${COPYING}`)
      for (const { table, sql } of CHOOSING) {
        walked[table] = await walksOf(client, withValues(sql, mark))
        await client.query(`create temporary table ${table} as ${withValues(sql, mark)}`)
      }
      await client.query(
        `create temporary table bank_orders (
           message_number bigint, acquirer text, transmitted_at text, key text, currency text,
           approved_minor bigint, captured_minor bigint, refunded_minor bigint)`,
      )
      await client.query(CHOSEN_ORDERS.settings)
      walked['comparison'] = await walksOf(client, CHOSEN_ORDERS.sql)
      const none = { events: [], changed_facts: [], recon_scope: [], comparison: [] }
      assert.deepEqual(walked, none)
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})
