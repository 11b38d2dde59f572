import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankOrder } from '../support/bank-books.ts'
import { monthBefore } from '../support/dates.ts'
import { assertSchema, eventsOf } from '../support/events.ts'
import { moneyOf, untilNoAdviceIsQueued } from '../support/payments.ts'
import { membershipOf, renewalOrders, startMembership, untilCharged } from '../support/renewals.ts'
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

  assert.deepEqual(
    charges.map(({ outcome, attempt }) => [outcome, attempt]),
    [['approved', 1]],
  )
  const orderId = charges[0]?.order_id ?? ''
  assert.equal(
    await moneyOf(gateway, orderId),
    'authorized 1000, captured 1000, voided 0, refunded 0',
  )
  await untilNoAdviceIsQueued(gateway)
  const atBank = await bankOrder(gateway, orderId)
  assert.equal(atBank?.capturedMinor, 1_000n)
  const { state, paid_period: period, next_kind: kind } = await membershipOf(gateway, membership.id)
  assert.deepEqual({ state, period, kind }, { state: 'active', period: 1, kind: 'renewal' })
})

test('an issuer that is strict with merchants minds nothing about a renewal', async () => {
  // Its first payment is the only one that asks no network reference of it.
  const membership = await startMembership(gateway, { cardNumber: '4012889000001101' })

  const [charge] = await untilCharged(gateway, membership.id)

  assert.equal(charge?.outcome, 'approved')
  const { rows } = await gateway.pool.query<{ entry_mode: string }>(
    'select entry_mode from orders where id = $1',
    [charge?.order_id],
  )
  assert.equal(rows[0]?.entry_mode, '102')
})

test('a card with another expiry by now is charged, and keeps what the account updater says', async () => {
  const membership = await startMembership(gateway, {
    cardNumber: '4012889000001028',
    dueAt: new Date('2090-05-05T00:00:00Z'),
  })
  await gateway.pool.query(
    'update payment_methods set expiry_month = 1, expiry_year = 2025 where id = $1',
    [membership.cardId],
  )
  await gateway.pool.query(`update memberships set next_at = now() where id = $1`, [membership.id])

  const [charge] = await untilCharged(gateway, membership.id)

  assert.equal(charge?.outcome, 'approved')
  const { rows } = await gateway.pool.query(
    'select expiry_month, expiry_year, update_description from payment_methods where id = $1',
    [membership.cardId],
  )
  assert.deepEqual(rows, [
    { expiry_month: 12, expiry_year: 2049, update_description: 'Expiration Date Change Message' },
  ])
  const [event] = await eventsOf(gateway, `card ${membership.cardId}`)
  assert.deepEqual(
    [event?.type, event?.data['update'], event?.data['po_id']],
    ['card.updated', 'E', charge.order_id],
  )
  assertSchema(event)
  const later = await gateway.client().sale({
    customerId: membership.customerId,
    paymentMethodId: membership.cardId,
    amount: '3.00',
  })
  assert.equal(later.status, 'APPROVED')
  assert.equal(later.raw['PMT_AAU_UPDATE_DESC'], 'Expiration Date Change Message')
})

test('a card with another number by now is charged, and paid with under its new one', async () => {
  const membership = await startMembership(gateway, { cardNumber: '4012889000001010' })

  const [charge] = await untilCharged(gateway, membership.id)

  assert.equal(charge?.outcome, 'approved')
  const later = await gateway.client().sale({
    customerId: membership.customerId,
    paymentMethodId: membership.cardId,
    amount: '3.00',
  })
  assert.equal(later.status, 'APPROVED')
  assert.equal(later.last4, '1093')
  assert.equal(later.raw['PMT_AAU_UPDATE_DESC'], 'Account Number Change Message')
  assert.match(String(later.raw['PMT_AAU_UPDATE_DT']), /^\d{4}-\d{2}-\d{2}$/)
})

test('an account update of a card lets another waiting membership of that card retry at once', async () => {
  const far = new Date('2090-05-05T00:00:00Z')
  const membership = await startMembership(gateway, { cardNumber: '4012889000001028', dueAt: far })
  const waiting = await startMembership(gateway, { dueAt: far, startedAt: monthBefore(new Date()) })
  await gateway.pool.query(
    `update memberships
        set payment_method_id = $2, customer_id = $3, state = 'past_due', renewal_due_at = now() - interval '1 day',
            renewal_attempts = 1, renewal_first_failed_at = now() - interval '1 day', next_kind = 'give_up',
            next_at = now() + interval '6 days', version = version + 1
      where id = $1`,
    [waiting.id, membership.cardId, membership.customerId],
  )
  await gateway.pool.query(
    'update payment_methods set expiry_month = 1, expiry_year = 2025 where id = $1',
    [membership.cardId],
  )
  await gateway.pool.query('update memberships set next_at = now() where id = $1', [membership.id])

  const [charge] = await untilCharged(gateway, waiting.id)
  assert.equal(charge?.outcome, 'approved')
  assert.equal((await membershipOf(gateway, waiting.id)).state, 'active')
})

test('a card whose account is closed takes all its memberships with it', async () => {
  const closed = await startMembership(gateway, {
    cardNumber: '4012889000001036',
    dueAt: new Date('2090-05-05T00:00:00Z'),
  })
  const other = await startMembership(gateway, { dueAt: new Date('2090-05-05T00:00:00Z') })
  await gateway.pool.query(
    'update memberships set payment_method_id = $2, customer_id = $3 where id = $1',
    [other.id, closed.cardId, closed.customerId],
  )
  await gateway.pool.query('update memberships set next_at = now() where id = $1', [closed.id])

  await untilCharged(gateway, closed.id)

  assert.equal((await membershipOf(gateway, closed.id)).state, 'cancelled')
  assert.equal((await membershipOf(gateway, other.id)).state, 'cancelled')
})

/** The card, what is said of it, and what becomes of its membership. */
const FAILURES: readonly (readonly [
  card: string,
  said: string,
  outcome: string,
  becomes: string,
])[] = [
  ['4012889000001036', 'is closed by the account updater', 'declined', 'cancelled'],
  ['4012889000001044', 'whose holder is to be asked', 'declined', 'cancelled'],
  ['4012889000000418', 'that was lost', 'declined', 'past_due give_up'],
  ['4012889000000913', 'whose issuer is away', 'declined', 'past_due retry'],
  ['5200829000004035', 'with the advice not to try again', 'declined', 'past_due give_up'],
  ['5200829000004266', 'with the advice to wait for 2 days', 'declined', 'past_due retry'],
]
for (const [cardNumber, said, outcome, becomes] of FAILURES) {
  test(`a membership of a card ${said} is ${becomes} after its renewal`, async () => {
    const membership = await startMembership(gateway, { cardNumber })

    const [charge] = await untilCharged(gateway, membership.id)

    assert.equal(charge?.outcome, outcome)
    const { state, next_kind: kind, next_at: at } = await membershipOf(gateway, membership.id)
    assert.equal([state, kind].filter((part) => part !== null).join(' '), becomes)
    if (said.includes('2 days')) {
      assert.equal((at?.getTime() ?? 0) - (charge?.at.getTime() ?? 0), 2 * 86_400_000)
    }
  })
}

test('a new expiry that comes with a payment has the renewal tried at once that waits for it', async () => {
  const membership = await startMembership(gateway, {
    cardNumber: '4012889000001051',
    dueAt: new Date('2090-05-05T00:00:00Z'),
  })
  await gateway.pool.query(
    'update payment_methods set expiry_month = 1, expiry_year = 2025 where id = $1',
    [membership.cardId],
  )
  await gateway.pool.query('update memberships set next_at = now() where id = $1', [membership.id])
  const [failed] = await untilCharged(gateway, membership.id)
  assert.equal(failed?.outcome, 'declined')
  assert.equal((await membershipOf(gateway, membership.id)).next_kind, 'give_up')

  const { customerId, cardId: paymentMethodId } = membership
  const bought = await gateway
    .client()
    .sale({ customerId, paymentMethodId, expiry: '122049', amount: '3.00' })
  assert.equal(bought.status, 'APPROVED')

  const charges = await untilCharged(gateway, membership.id, 2)
  assert.deepEqual(
    charges.map(({ outcome }) => outcome),
    ['declined', 'approved'],
  )
  assert.equal((await membershipOf(gateway, membership.id)).state, 'active')
})

// The last one: the site keeps its clock.
test('a clock that jumps over a year charges every month, as of its own moment and once', async () => {
  const year = new Date().getUTCFullYear() + 1
  const first = new Date(Date.UTC(year, 0, 31, 10))
  const membership = await startMembership(gateway, {
    startedAt: first,
    dueAt: new Date(Date.UTC(year, 2, 0, 10)),
  })
  await gateway.pool.query(
    `insert into site_clocks (site_id, site_at, real_at, target_at, changed_by)
     values (1001, $1, now(), $2, 'a test')`,
    [first, new Date(Date.UTC(year + 1, 1, 1))],
  )

  const charges = await untilCharged(gateway, membership.id, 12)

  assert.deepEqual(
    charges.map(({ due_at: dueAt }) => dueAt.toISOString()),
    // Each month's last day, as the 31st of January began it.
    Array.from({ length: 12 }, (_, month) =>
      new Date(Date.UTC(year, month + 2, 0, 10)).toISOString(),
    ),
  )
  assert.ok(
    charges.every(
      ({ at, due_at: dueAt, outcome }) =>
        outcome === 'approved' && at.getTime() === dueAt.getTime(),
    ),
  )
  const orders = await renewalOrders(gateway, membership.id)
  assert.equal(orders.length, 12)
})
