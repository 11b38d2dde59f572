import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createFeeStore } from '../../packages/gateway/src/adapters/postgres/fees/fee-store.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import {
  chargeFees,
  priceTransactions,
} from '../../packages/gateway/src/usecases/fees/charge-fees.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { openBatchId, untilBatchEnded } from '../support/batches.ts'
import { brokenInvariants } from '../support/books.ts'
import { MASTERCARD, outcome, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const CURRENCIES = ['USD', 'EUR', 'GBP', 'JPY', 'KWD']

suite("an operator's fees", () => {
  let gateway: RunningGateway
  let operator: Operator
  before(async () => {
    gateway = await startRunningGateway()
    const { databaseUrl, vaultKey } = gateway
    operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
  })
  after(async () => {
    await operator?.close()
    await gateway?.stop()
  })

  const store = () => createFeeStore(gateway.pool)

  async function dayFromToday(days: number): Promise<string> {
    const { rows } = await gateway.pool.query<{ day: string }>(
      `select ((now() at time zone time_zone)::date + $1::int)::text as day
         from merchants where id = 1`,
      [days],
    )
    return rows[0]?.day ?? ''
  }

  function planFile(startsOn: string, rates: readonly object[], monthly: object = {}): string {
    return JSON.stringify({ merchantId: 1, startsOn, rates, monthly })
  }

  /** As if the plan had been stored in time. */
  async function startPlan(days: number): Promise<void> {
    await gateway.pool.query(
      `update fee_plans set starts_on = $1::date where starts_on = $2::date`,
      [await dayFromToday(days), await dayFromToday(1)],
    )
  }

  async function closeBatch(): Promise<bigint> {
    await untilNoAdviceIsQueued(gateway)
    const id = await openBatchId(gateway)
    const closed = await operator.batches.close(2001n)
    assert.ok(closed.ok)
    await untilBatchEnded(gateway, id)
    return BigInt(id)
  }

  async function feesOf(batchId: bigint): Promise<string[]> {
    const { rows } = await gateway.pool.query<{ fee: string }>(
      `select kind || ' ' || brand || ' ' || currency || ' ' || amount_minor || ': ' || fee_minor as fee
         from transaction_fees where batch_id = $1 order by transaction_id`,
      [batchId],
    )
    return rows.map(({ fee }) => fee)
  }

  test('a plan is stored for tomorrow, replaced, on record, and refused for today', async () => {
    const tomorrow = await dayFromToday(1)
    const fixed = Object.fromEntries(CURRENCIES.map((currency) => [currency, '0']))
    const all = [
      { kind: 'sale', percent: '1.5', fixed: { ...fixed, USD: '0.25' } },
      { kind: 'sale', brand: 'Mastercard', percent: '2' },
      { kind: 'refund', percent: '-1.5' },
    ]
    const first = await operator.fees.put(planFile(tomorrow, []))
    assert.ok(first.ok && !first.replaced)
    const second = await operator.fees.put(planFile(tomorrow, all, { USD: '10.00' }))
    assert.ok(second.ok && second.replaced)

    const late = await operator.fees.put(planFile(await dayFromToday(0), all))
    assert.ok(!late.ok && late.kind === 'conflict')
    const missing = await operator.fees.put(
      planFile(tomorrow, [{ kind: 'sale', fixed: { USD: '1' } }]),
    )
    assert.match(missing.ok ? '' : (missing.faults[0] ?? ''), /none in EUR, GBP, JPY, KWD/)
    const { rows } = await gateway.pool.query<{ rates: string[] }>(
      `select details::json -> 'rates' as rates from audit_entries where operation = 'fees.plan_put' order by number`,
    )
    assert.deepEqual(
      rows.map(({ rates }) => rates.length),
      [0, 3],
    )
  })

  test('sales, captures and refunds of a closed batch are charged once, after voids', async () => {
    await startPlan(-70)
    const client = gateway.client()
    const sale = await client.sale(payment('45.50'))
    await client.sale(payment('10.00', { cardNumber: MASTERCARD }))
    const { orderId } = await client.authorize(payment('8.00'))
    await client.capture({ orderId, amount: '5.00' })
    assert.equal(outcome(await client.captureVoid({ orderId, amount: '2.00' })), 'APPROVED 0/100')
    await client.refund({ orderId: sale.orderId, amount: '4.00' })
    assert.equal(await store().findBatch(), null)
    const batch = await closeBatch()

    // Every process of every gateway does this.
    const now = new Date()
    await Promise.all([1, 2, 3].map(() => chargeFees(store(), now)))
    assert.equal(await store().findBatch(), null)

    assert.deepEqual(await feesOf(batch), [
      'sale Visa USD 4550: 93',
      'sale Mastercard USD 1000: 20',
      'sale Visa USD 300: 30',
      'refund Visa USD 400: -6',
    ])
    const { rows } = await gateway.pool.query(
      `select debit, credit, sum(amount_minor)::int as minor from fee_entries
        where posted_at > now() - interval '1 hour' and debit <> '' group by 1, 2 order by 1`,
    )
    assert.ok(rows.some(({ debit, minor }) => debit === 'operator_payable' && minor === 6))
    assert.deepEqual(await brokenInvariants(gateway), [])
  })

  test('a process that dies while it charges a batch leaves the rest to another one', async () => {
    for (const amount of ['10.00', '20.00', '30.00']) await gateway.client().sale(payment(amount))
    const batch = await closeBatch()
    // Its own job would charge the batch in between.
    await gateway.stopGateway()
    const dying = store().chargeBatch(batch, () => {
      throw new Error('killed')
    })
    await assert.rejects(dying, /killed/)

    assert.equal(await store().chargeBatch(batch, priceTransactions), true)
    assert.equal(await store().chargeBatch(batch, priceTransactions), false)

    assert.deepEqual(await feesOf(batch), [
      'sale Visa USD 1000: 40',
      'sale Visa USD 2000: 55',
      'sale Visa USD 3000: 70',
    ])
  })

  test('a plan that has priced a transaction cannot be replaced or deleted by SQL', async () => {
    await assert.rejects(gateway.pool.query('delete from fee_plans'), /foreign key/)
    await assert.rejects(gateway.pool.query('update transaction_fees set fee_minor = 1'), /append/)
  })

  test('a command wakes idle gateways when it ends', async () => {
    const { databaseUrl, vaultKey } = gateway
    const listener = await gateway.pool.connect()
    try {
      const woken = Promise.withResolvers<string | undefined>()
      listener.on('notification', ({ payload }) => woken.resolve(payload))
      await listener.query('listen tollgate_activity')
      const command = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
      await command.close()
      assert.equal(await woken.promise, 'active')
    } finally {
      listener.release(true)
    }
  })

  test('a month that is over is charged once, and its sums are those of its fees', async () => {
    const now = new Date()
    await Promise.all([1, 2].map(() => chargeFees(store(), now)))

    const { rows } = await gateway.pool.query<{ month: string; fee: string }>(
      `select to_char(month, 'YYYY-MM') as month, currency || ' ' || fee_minor as fee
         from monthly_fees order by month`,
    )
    const months = new Set(rows.map(({ month }) => month))
    assert.ok(rows.length > 0 && months.size === rows.length)
    for (const { fee } of rows) assert.equal(fee, 'USD 1000')
    const today = await dayFromToday(0)
    assert.ok(!months.has(today.slice(0, 7)), 'this month is not over')
    const sums = await operator.fees.sums(1n, `${today.slice(0, 7)}-01`)
    assert.deepEqual(
      sums.map(({ currency, kind, brand, count, amountMinor, feeMinor }) =>
        [currency, kind, brand, count, amountMinor, feeMinor].join(' '),
      ),
      ['USD sale Mastercard 1 1000 20', 'USD sale Visa 5 10850 288', 'USD refund Visa 1 400 -6'],
    )
  })
})
