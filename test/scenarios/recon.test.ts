import type { DifferenceReason, Reconciliation } from '@tollgate/gateway/books'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { recon } from '../support/books.ts'
import { untilSeen } from '../support/eventually.ts'
import { EXPIRY, payment, untilNoAdviceIsQueued, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

const shop = () => gateway.client()

/** The reasons of the difference that recon finds for one order; null if it finds none. */
function reasonsFor(found: Reconciliation, orderId: string): DifferenceReason['kind'][] | null {
  const difference = found.differences.find(({ order }) => String(order.orderId) === orderId)
  return difference?.reasons.map(({ kind }) => kind) ?? null
}

/** Changes the database behind the gateway's back: no trigger and no foreign key looks. */
async function tamper(sql: string, values: readonly unknown[]): Promise<void> {
  const client = await gateway.pool.connect()
  try {
    await client.query('begin')
    await client.query('set local session_replication_role = replica')
    const { rowCount } = await client.query(sql, [...values])
    assert.ok((rowCount ?? 0) > 0, 'nothing was changed')
    await client.query('commit')
  } finally {
    client.release()
  }
}

/** Runs an action on the next advices of an order, instead of sending them at once. */
async function whenQueued(orderId: string, action: string): Promise<void> {
  await gateway.pool.query(
    `create function meddle_${orderId}() returns trigger language plpgsql as $$
     begin if new.order_id = ${orderId} then ${action} end if; return new; end $$`,
  )
  await gateway.pool.query(
    `create trigger meddle_${orderId} before insert on advices
       for each row execute function meddle_${orderId}()`,
  )
}

const WAITS = `new.next_try_at := now() + interval '1 hour';`
const IS_LOST = 'return null;'

suite('recon', () => {
  test('agrees about every order, and in total, after a mix of actions', async () => {
    const client = shop()
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { orderId } = await client.authorize(payment('40'))
        await client.capture({ orderId, amount: '25' })
        await client.void({ orderId, amount: '5' })
        await client.captureVoid({ orderId, amount: '4' })
        await client.refund({ orderId, amount: '7' })
        await client.sale(payment('7.00', { currency: 'EUR' }))
        await client.sale(payment('6.35'))
        await client.authorize(payment('0.00', { securityCode: '864' }))
      }),
    )
    await gateway.client(1003).raw({
      REQUEST_ACTION: 'CCCREDIT',
      FORCE_CREDIT: '1',
      LI_VALUE_1: '3.00',
      PMT_NUMB: VISA,
      PMT_EXPIRY: EXPIRY,
    })
    await untilNoAdviceIsQueued(gateway)

    const { differences, totals, orders, bankOrders } = await recon(gateway)
    assert.deepEqual(differences, [])
    assert.deepEqual([orders, bankOrders], [21, 11])
    const usd = { approvedMinor: 15_500n, capturedMinor: 10_500n, refundedMinor: 3_800n }
    const eur = { approvedMinor: 3_500n, capturedMinor: 3_500n, refundedMinor: 0n }
    assert.deepEqual(
      totals.map(({ currency, gateway: ours, ledger, bank }) => [currency, ours, ledger, bank]),
      [
        ['EUR', eur, eur, eur],
        ['USD', usd, usd, usd],
      ],
    )
  })

  test('names orders whose sum, ledger or message was changed behind their back', async () => {
    const [sum, posting, message] = await Promise.all(
      ['11', '12', '13'].map((amount) => shop().authorize(payment(amount))),
    )
    assert.ok(sum !== undefined && posting !== undefined && message !== undefined)
    await tamper('update orders set authorized_minor = authorized_minor - 1 where id = $1', [
      sum.orderId,
    ])
    await tamper('update ledger_postings set amount_minor = amount_minor + 1 where order_id = $1', [
      posting.orderId,
    ])
    await tamper('update orders set message_number = 1 where id = $1', [message.orderId])

    const found = await recon(gateway)
    assert.deepEqual(reasonsFor(found, sum.orderId), ['ledger_differs'])
    assert.deepEqual(reasonsFor(found, posting.orderId), ['ledger_differs'])
    assert.deepEqual(reasonsFor(found, message.orderId), ['unknown_to_bank'])
    const anonymous = found.differences.filter(({ order }) => order.orderId === null)
    assert.deepEqual(
      anonymous.map(({ order, reasons }) => [order.bank?.approvedMinor, reasons]),
      [[1_300n, [{ kind: 'unknown_to_gateway' }]]],
    )
  })

  test('names an order that the bank has in another currency', async () => {
    const { orderId } = await shop().authorize(payment('15'))
    await tamper(`update orders set currency = 'EUR' where id = $1`, [orderId])

    const found = await recon(gateway)
    assert.deepEqual(reasonsFor(found, orderId), ['currency_differs'])
    const [difference] = found.differences.filter(({ order }) => String(order.orderId) === orderId)
    assert.equal(`${difference?.order.currency} ${difference?.order.bankCurrency}`, 'EUR USD')
  })

  test('names an order that only the bank knows', async () => {
    const { orderId } = await shop().authorize(payment('14'))
    await tamper('delete from orders where id = $1', [orderId])

    const { differences } = await recon(gateway)
    const anonymous = differences.filter(({ order }) => order.bank?.approvedMinor === 1_400n)
    assert.deepEqual(
      anonymous.map(({ reasons }) => reasons),
      [[{ kind: 'unknown_to_gateway' }]],
    )
  })

  test('distinguishes a capture that waits from one whose advice is gone', async () => {
    const waiting = await shop().authorize(payment('15'))
    const lost = await shop().authorize(payment('16'))
    await whenQueued(waiting.orderId, WAITS)
    await whenQueued(lost.orderId, IS_LOST)
    await shop().capture({ orderId: waiting.orderId, amount: '15' })
    await shop().capture({ orderId: lost.orderId, amount: '16' })

    const found = await recon(gateway)
    assert.deepEqual(reasonsFor(found, waiting.orderId), ['advice_queued'])
    assert.deepEqual(reasonsFor(found, lost.orderId), ['unexplained'])
  })

  test('reports a reversal that waits, with its age and the number of its tries', async () => {
    const { orderId } = await shop().authorize(payment('17'))
    await whenQueued(orderId, WAITS)
    await shop().void({ orderId })
    await gateway.pool.query(
      `update advices set tries = 4, created_at = now() - interval '2 hours' where order_id = $1`,
      [orderId],
    )

    const { differences } = await recon(gateway)
    const [reason] =
      differences.find(({ order }) => String(order.orderId) === orderId)?.reasons ?? []
    assert.ok(reason?.kind === 'reversal_pending')
    assert.deepEqual([reason.advice.amountMinor, reason.advice.tries], [1_700n, 4])
    assert.ok(reason.advice.ageMs >= 7_200_000)
  })

  test('reports a transaction that still runs', async () => {
    const { orderId } = await shop().authorize(payment('18'))
    // As a gateway leaves it that died when the bank had answered and nothing was written down yet.
    await tamper('delete from ledger_postings where order_id = $1', [orderId])
    await tamper(`update orders set state = 'running', authorized_minor = 0 where id = $1`, [
      orderId,
    ])
    await tamper(
      `update transactions set state = 'running', concluded_at = null where order_id = $1`,
      [orderId],
    )
    assert.deepEqual(reasonsFor(await recon(gateway), orderId), ['transaction_running'])
  })

  test('finds nothing more while payments go on', async () => {
    // An advice may take longer than a second where the machine is busy. The comparison reports it
    // as queued.
    const notWaiting = ({ differences }: Reconciliation): number =>
      differences.filter(({ reasons }) => !reasons.every(({ kind }) => kind === 'advice_queued'))
        .length
    const before = notWaiting(await recon(gateway))
    let isOver = false
    let sold = 0
    const trade = async (): Promise<void> => {
      while (!isOver) {
        const { orderId } = await shop().authorize(payment('21'))
        await shop().capture({ orderId, amount: '20' })
        sold += 1
      }
    }
    const traders = [trade(), trade(), trade()]
    await untilSeen(
      'three orders are sold',
      () => sold,
      (count) => count >= 3,
    )
    const found = await recon(gateway)
    isOver = true
    await Promise.all(traders)

    assert.equal(notWaiting(found), before)
    assert.ok(found.orders > 30)
  })

  test('does not compare when the bank is away', async () => {
    await gateway.stopBank()
    await assert.rejects(recon(gateway), { name: 'BankBooksError' })
  })
})
