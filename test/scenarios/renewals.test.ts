import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankOrder } from '../support/bank-books.ts'
import { membershipOf, startMembership, untilCharged } from '../support/renewals.ts'
import { moneyOf, untilNoAdviceIsQueued } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway.stop())

test('a membership that is due is charged once, and its next renewal planned a month later', async () => {
  const dueAt = new Date()
  const membership = await startMembership(gateway, { dueAt })

  const charges = await untilCharged(gateway, membership.id)

  assert.deepEqual(charges.map(({ outcome, attempt }) => [outcome, attempt]), [['approved', 1]])
  const orderId = charges[0]?.order_id ?? ''
  assert.equal(await moneyOf(gateway, orderId), 'authorized 1000, captured 1000, voided 0, credited 0')
  await untilNoAdviceIsQueued(gateway)
  const atBank = await bankOrder(gateway, orderId)
  assert.equal(atBank?.capturedMinor, 1_000n)
  const { state, paid_period: period, next_kind: kind } = await membershipOf(gateway, membership.id)
  assert.deepEqual({ state, period, kind }, { state: 'active', period: 1, kind: 'renewal' })
})
