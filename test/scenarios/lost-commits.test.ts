import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { bankOrder } from '../support/bank-books.ts'
import {
  openConnectionCutter,
  type ConnectionCutter,
  type CutWhen,
} from '../support/connection-cutter.ts'
import { untilSeen } from '../support/eventually.ts'
import { ask, codes, monthly, sale } from '../support/memberships.ts'
import { moneyOf, newReference, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let cutter: ConnectionCutter
before(async () => {
  gateway = await startRunningGateway({}, undefined, {
    detour: async (url) => {
      cutter = await openConnectionCutter(url)
      return cutter.url
    },
  })
})
after(async () => {
  await gateway.stop()
  await cutter.close()
})

const MOMENTS: readonly CutWhen[] = ['before the server', 'before the answer']

async function assertBankHolds(answer: Transaction, held: bigint, captured = 0n): Promise<void> {
  await untilNoAdviceIsQueued(gateway)
  const atBank = await bankOrder(gateway, String(answer.orderId))
  assert.deepEqual([atBank?.heldMinor, atBank?.capturedMinor], [held, captured])
}

for (const when of MOMENTS) {
  test(`an authorization whose intent loses its connection ${when} is approved, once`, async () => {
    const orderReference = newReference()
    const cut = cutter.cutNext('intend', when)

    const request = payment('41.00', { orderReference, duplicates: 'refuse' })
    const answer = await gateway.client().authorize(request)

    await cut
    assert.equal(answer.status, 'APPROVED')
    const { rows } = await gateway.pool.query('select id from orders where reference = $1', [
      orderReference,
    ])
    assert.deepEqual(rows, [{ id: String(answer.orderId) }])
    await assertBankHolds(answer, 4_100n)
  })

  test(`a sale whose conclusion loses its connection ${when} is approved, and captured once`, async () => {
    const cut = cutter.cutNext('conclude', when)

    const answer = await gateway.client().sale(payment('42.00'))

    await cut
    assert.equal(answer.status, 'APPROVED')
    assert.equal(
      await moneyOf(gateway, String(answer.orderId)),
      'authorized 4200, captured 4200, voided 0, refunded 0',
    )
    await assertBankHolds(answer, 0n, 4_200n)
  })

  test(`a decline whose conclusion loses its connection ${when} stays a decline`, async () => {
    const cut = cutter.cutNext('conclude', when)

    const answer = await gateway.client().sale(payment('6.35'))

    await cut
    assert.equal(answer.status, 'DECLINED')
    assert.equal(answer.service.code, '635')
  })
}

for (const when of MOMENTS) {
  for (const statement of ['take idempotency keys', 'intend', 'commit']) {
    test(`a sale with a key whose ${statement} loses its connection ${when} is charged once, and repeated`, async () => {
      const orderReference = newReference()
      const more = { IDEMPOTENCY_KEY: newReference() }
      const cut = cutter.cutNext(statement, when, 'take idempotency keys')

      const ask = () => gateway.client().sale(payment('45.00', { orderReference, more }))
      const answers = [await ask(), await ask()]

      await cut
      assert.deepEqual(
        answers.map(({ status }) => status),
        ['APPROVED', 'APPROVED'],
      )
      assert.equal(answers[0]?.transactionId, answers[1]?.transactionId)
      const { rows } = await gateway.pool.query('select id from orders where reference = $1', [
        orderReference,
      ])
      assert.equal(rows.length, 1)
      for (const answer of answers) await assertBankHolds(answer, 0n, 4_500n)
    })
  }
}

for (const when of MOMENTS) {
  test(`a sale of a membership whose conclusion loses its connection ${when} begins it, once`, async () => {
    const cut = cutter.cutNext('conclude with more', when)

    const answer = await ask(gateway, sale(monthly('Lost', { LI_VALUE_1: '43.00' })))

    await cut
    assert.equal(codes(answer), 'APPROVED 0/100')
    const { rows } = await gateway.pool.query('select id from memberships where order_id = $1', [
      answer['PO_ID'],
    ])
    assert.deepEqual(rows, [{ id: answer['MBSHP_ID_1'] }])
  })

  test(`a cancellation that loses its connection ${when} is done, and says so`, async () => {
    const { MBSHP_ID_1: id = '' } = await ask(gateway, sale(monthly('Lost')))
    const cut = cutter.cutNext('change membership', when)

    const answer = await ask(gateway, {
      REQUEST_ACTION: 'SUB_CANCEL',
      REQUEST_REF_MBSHP_ID: id,
      SUB_CANCEL_TYPE: '1',
    })

    await cut
    assert.equal(codes(answer), '- 0/0')
    const { rows } = await gateway.pool.query(
      'select state, version from memberships where id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ state: 'cancelled', version: '2' }])
  })
}

type Adjust = (orderId: string) => Promise<Transaction>

/** Each of an order of 50.00 with 20.00 captured, and what it comes to when it happens once. */
const ADJUSTMENTS: readonly {
  readonly name: string
  readonly adjust: Adjust
  readonly money: string
  readonly held: bigint
  readonly captured: bigint
}[] = [
  {
    name: 'a capture',
    adjust: (orderId) => gateway.client().capture({ orderId, amount: '10.00' }),
    money: 'authorized 5000, captured 3000, voided 0, refunded 0',
    held: 2_000n,
    captured: 3_000n,
  },
  {
    name: 'a void',
    adjust: (orderId) => gateway.client().void({ orderId, amount: '10.00' }),
    money: 'authorized 5000, captured 2000, voided 1000, refunded 0',
    held: 2_000n,
    captured: 2_000n,
  },
  {
    name: 'a refund',
    adjust: (orderId) => gateway.client().refund({ orderId, amount: '10.00' }),
    money: 'authorized 5000, captured 2000, voided 0, refunded 1000',
    held: 3_000n,
    captured: 2_000n,
  },
]

for (const { name, adjust, money, held, captured } of ADJUSTMENTS) {
  test(`${name} whose commit was done and its answer lost is approved, once`, async () => {
    const { order, orderId } = await aPartlyCapturedOrder()
    const cut = cutter.cutNext('commit', 'before the answer', 'adjust orders')

    const answer = await adjust(orderId)

    await cut
    assert.equal(answer.status, 'APPROVED')
    assert.equal(await moneyOf(gateway, orderId), money)
    await assertBankHolds(order, held, captured)
  })

  test(`${name} whose commit never reached the server is not accepted, and may be sent again`, async () => {
    const { order, orderId } = await aPartlyCapturedOrder()
    const cut = cutter.cutNext('commit', 'before the server', 'adjust orders')

    await assert.rejects(adjust(orderId), { accepted: 'no' })

    await cut
    const before = 'authorized 5000, captured 2000, voided 0, refunded 0'
    assert.equal(await moneyOf(gateway, orderId), before)
    assert.equal((await adjust(orderId)).status, 'APPROVED')
    assert.equal(await moneyOf(gateway, orderId), money)
    await assertBankHolds(order, held, captured)
  })
}

async function aPartlyCapturedOrder(): Promise<{ order: Transaction; orderId: string }> {
  const order = await gateway.client().authorize(payment('50.00'))
  const orderId = String(order.orderId)
  await gateway.client().capture({ orderId, amount: '20.00' })
  return { order, orderId }
}

test('an intent that the server is still writing when its connection is lost is not written twice', async () => {
  const orderReference = newReference()
  const blocker = await holdingBack('lock table orders in share mode')
  const abandoned = cutter.abandonNext('intend')
  const request = payment('43.00', { orderReference, duplicates: 'refuse' })
  const answered = gateway.client().authorize(request)

  await abandoned
  await blocker.untilWaiting(2)
  await blocker.letGo()

  const answer = await answered
  assert.equal(answer.status, 'APPROVED')
  const { rows } = await gateway.pool.query('select id from orders where reference = $1', [
    orderReference,
  ])
  assert.deepEqual(rows, [{ id: String(answer.orderId) }])
  await assertBankHolds(answer, 4_300n)
})

test('a capture that the server is still committing when its connection is lost is waited for', async () => {
  const { order, orderId } = await aPartlyCapturedOrder()
  // Every commit of a transaction row waits for a lock, as it would for a slow standby.
  await gateway.pool.query(`
    create function wait_for_lock() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(414); return null; end';
    create constraint trigger slow_commit after insert on transactions
      deferrable initially deferred for each row execute function wait_for_lock()`)
  const blocker = await holdingBack('select pg_advisory_xact_lock(414)')
  const abandoned = cutter.abandonNext('commit', 'adjust orders')
  const answered = gateway.client().capture({ orderId, amount: '10.00' })

  await abandoned
  await blocker.untilWaiting(2)
  await blocker.letGo()

  assert.equal((await answered).status, 'APPROVED')
  await gateway.pool.query('drop function wait_for_lock cascade')
  assert.equal(
    await moneyOf(gateway, orderId),
    'authorized 5000, captured 3000, voided 0, refunded 0',
  )
  await assertBankHolds(order, 2_000n, 3_000n)
})

for (const statement of ['intend', 'conclude']) {
  test(`twenty sales whose shared ${statement} was done and its answer lost are approved, each once`, async () => {
    const cut = cutter.cutNext(statement, 'before the answer')

    const sales = Array.from({ length: 20 }, () => gateway.client().sale(payment('44.00')))
    const answers = await Promise.all(sales)

    await cut
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], ['APPROVED'])
    assert.equal(new Set(answers.map(({ orderId }) => orderId)).size, 20)
    for (const answer of answers) await assertBankHolds(answer, 0n, 4_400n)
  })
}

test('a capture whose writing was cut short in the middle is not there, and may be sent again', async () => {
  const { order, orderId } = await aPartlyCapturedOrder()
  const blocker = await holdingBack('lock table advices in share mode')
  const abandoned = cutter.abandonNext('queue advices')
  const answered = gateway.client().capture({ orderId, amount: '10.00' })

  await abandoned
  await blocker.untilWaiting(2)
  await blocker.letGo()

  // The commit was never sent, so that nothing of it can be there.
  await assert.rejects(answered, { accepted: 'no' })
  assert.equal(
    await moneyOf(gateway, orderId),
    'authorized 5000, captured 2000, voided 0, refunded 0',
  )
  await assertBankHolds(order, 3_000n, 2_000n)
})

/** Another session that holds a lock, so that the gateway's statements wait for it. */
async function holdingBack(statement: string): Promise<{
  untilWaiting(sessions: number): Promise<void>
  letGo(): Promise<void>
}> {
  const client = new pg.Client({ connectionString: gateway.databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query(statement)
  return {
    async untilWaiting(sessions) {
      await untilSeen(
        `${sessions} sessions wait for a lock`,
        async () => {
          const { rows } = await gateway.pool.query<{ waiting: number }>(
            'select count(*)::int as waiting from pg_locks where not granted',
          )
          return rows[0]?.waiting ?? 0
        },
        (waiting) => waiting >= sessions,
        { everyMs: 10 },
      )
    },
    async letGo() {
      await client.query('rollback')
      await client.end()
    },
  }
}
