import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import {
  closeBatch,
  moneyOf,
  newReference,
  outcome,
  payment,
  untilNoAdviceIsQueued,
} from '../support/payments.ts'
import { startRunningGateway } from '../support/running-gateway.ts'

const DEBIAN_SERVER = '/usr/lib/postgresql/15/bin/postgres'

test('PostgreSQL 15 behind DATABASE_URL takes every card action like the embedded 18', async (t) => {
  if (!existsSync(DEBIAN_SERVER)) {
    const missing = 'PostgreSQL 15 is not installed: install the package postgresql-15'
    process.stderr.write(`SKIPPED: ${missing}\n`)
    t.skip(missing)
    return
  }
  process.env['TOLLGATE_TEST_DATABASE'] = 'debian'
  const gateway = await startRunningGateway()
  try {
    const { rows } = await gateway.pool.query<{ server_version: string }>('show server_version')
    assert.match(rows[0]?.server_version ?? '', /^15/)
    const client = gateway.client()

    const orderReference = newReference()
    const once = payment('50.00', { orderReference, duplicates: 'replay' })
    const order = await client.authorize(once)
    const again = await client.authorize(once)
    assert.equal(again.transactionId, order.transactionId)
    const orderId = String(order.orderId)
    await client.capture({ orderId, amount: '30.00' })
    await client.refund({ orderId, amount: '5.00' })
    await client.captureVoid({ orderId, amount: '10.00' })
    await client.void({ orderId })
    await closeBatch(gateway)
    const late = await client.captureVoid({ orderId })
    assert.equal(outcome(late), 'DECLINED 0/525')
    const declined = await client.sale(payment('6.35'))
    assert.equal(outcome(declined), 'DECLINED 0/635')

    await untilNoAdviceIsQueued(gateway)
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 5000, captured 2000, voided 3000, refunded 500',
    )
  } finally {
    delete process.env['TOLLGATE_TEST_DATABASE']
    await gateway.stop()
  }
})
