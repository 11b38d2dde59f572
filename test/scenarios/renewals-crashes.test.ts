import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankOrder } from '../support/bank-books.ts'
import {
  openConnectionCutter,
  type ConnectionCutter,
  type CutWhen,
} from '../support/connection-cutter.ts'
import { monthBefore } from '../support/dates.ts'
import { startGatewayNode } from '../support/gateway-node.ts'
import { untilNoAdviceIsQueued } from '../support/payments.ts'
import {
  membershipOf,
  renewalOrders,
  startMembership,
  untilCharged,
  type TestMembership,
} from '../support/renewals.ts'
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

const FAR = new Date('2090-05-05T00:00:00Z')

/** One approved charge, one order, and the bank has captured it once. */
async function assertChargedOnce({ id }: TestMembership): Promise<void> {
  const charges = await untilCharged(gateway, id)
  assert.deepEqual(
    charges.map(({ outcome }) => outcome),
    ['approved'],
  )
  const orders = await renewalOrders(gateway, id)
  assert.deepEqual(
    orders.map(({ state }) => state),
    ['authorized'],
  )
  await untilNoAdviceIsQueued(gateway)
  assert.equal((await bankOrder(gateway, orders[0]?.id ?? ''))?.capturedMinor, 1_000n)
  const { state, paid_period: period, charge_at: chargeAt } = await membershipOf(gateway, id)
  assert.deepEqual({ state, period, chargeAt }, { state: 'active', period: 1, chargeAt: null })
}

const MOMENTS: readonly CutWhen[] = ['before the server', 'before the answer']

/** The statements that a renewal is written by, in their sequence. */
const STATEMENTS = ['begin charges', 'intend', 'conclude', 'conclude charges']

for (const statement of STATEMENTS) {
  for (const when of MOMENTS) {
    test(`a renewal whose statement "${statement}" loses its connection ${when} is charged once`, async () => {
      const membership = await startMembership(gateway, {
        dueAt: FAR,
        startedAt: monthBefore(new Date()),
      })
      const cut = cutter.cutNext(statement, when)
      await gateway.pool.query('update memberships set next_at = now() where id = $1', [
        membership.id,
      ])
      await cut

      await assertChargedOnce(membership)
    })
  }
}

test('a renewal whose process died before its payment was intended is charged by the next one, with the words of its test', async () => {
  const membership = await startMembership(gateway, {
    dueAt: FAR,
    startedAt: monthBefore(new Date()),
  })
  await gateway.pool.query(
    `with begun as (
       update memberships
          set renewal_due_at = date_trunc('milliseconds', now()), renewal_attempts = 1,
              charge_at = date_trunc('milliseconds', now()),
              charge_card_id = payment_method_id, next_kind = null, next_at = null,
              leased_until = now() - interval '1 second', version = version + 1
        where id = $1 returning *
     )
     insert into membership_charges (membership_id, merchant_id, due_at, attempt, at, payment_method_id,
                                     amount_minor, currency, order_id, transaction_id, bank_test)
     select id, merchant_id, renewal_due_at, 1, charge_at, payment_method_id, price_minor, currency,
            nextval('order_ids'), nextval('transaction_ids'), 'avs=N'
       from begun`,
    [membership.id],
  )

  await assertChargedOnce(membership)
  const [order] = await renewalOrders(gateway, membership.id)
  const { rows } = await gateway.pool.query(
    "select avs_code from transactions where order_id = $1 and kind = 'sale'",
    [order?.id],
  )
  assert.deepEqual(rows, [{ avs_code: 'N' }])
})

test('a membership that was cancelled after its process died, before its payment, is not charged', async () => {
  const membership = await startMembership(gateway, {
    dueAt: FAR,
    startedAt: monthBefore(new Date()),
  })
  await gateway.pool.query(
    `with begun as (
       update memberships
          set state = 'cancelled', over_at = now(), renewal_due_at = date_trunc('milliseconds', now()),
              renewal_attempts = 1, charge_at = date_trunc('milliseconds', now()),
              charge_card_id = payment_method_id, next_kind = null, next_at = null,
              leased_until = now() - interval '1 second', version = version + 1
        where id = $1 returning *
     )
     insert into membership_charges (membership_id, merchant_id, due_at, attempt, at, payment_method_id,
                                     amount_minor, currency, order_id, transaction_id)
     select id, merchant_id, renewal_due_at, 1, charge_at, payment_method_id, price_minor, currency,
            nextval('order_ids'), nextval('transaction_ids')
       from begun`,
    [membership.id],
  )

  const [charge] = await untilCharged(gateway, membership.id)
  assert.match(charge?.reason ?? '', /over already/)
  assert.deepEqual(
    (await renewalOrders(gateway, membership.id)).map(({ state }) => state),
    ['declined'],
  )
})

test('a renewal whose process died before it updated the membership is not charged again', async () => {
  const membership = await startMembership(gateway)
  await untilCharged(gateway, membership.id)

  await gateway.pool.query(
    `with reopened as (
       update membership_charges set outcome = 'open' where membership_id = $1 returning *
     )
     update memberships m
        set renewal_due_at = c.due_at, renewal_attempts = 1, charge_at = c.at,
            charge_card_id = c.payment_method_id, next_kind = null, next_at = null, paid_period = 0,
            leased_until = now() - interval '1 second', version = version + 1
       from reopened c where m.id = c.membership_id`,
    [membership.id],
  )

  await assertChargedOnce(membership)
})

test('a renewal whose membership was cancelled during the charge is voided', async () => {
  const membership = await startMembership(gateway)
  await untilCharged(gateway, membership.id)

  await gateway.pool.query(
    `with reopened as (
       update membership_charges set outcome = 'open' where membership_id = $1 returning *
     )
     update memberships m
        set state = 'cancelled', over_at = now(), renewal_due_at = c.due_at, renewal_attempts = 1,
            charge_at = c.at, charge_card_id = c.payment_method_id, next_kind = null, next_at = null,
            leased_until = now() - interval '1 second', version = version + 1
       from reopened c where m.id = c.membership_id`,
    [membership.id],
  )

  const [charge] = await untilCharged(gateway, membership.id)
  assert.match(charge?.reason ?? '', /cancelled while it was charged/)
  await untilNoAdviceIsQueued(gateway)
  const [order] = await renewalOrders(gateway, membership.id)
  const { rows } = await gateway.pool.query(
    'select captured_minor, voided_minor from orders where id = $1',
    [order?.id],
  )
  assert.deepEqual(rows, [{ captured_minor: '0', voided_minor: '1000' }])
})

test('three gateways that see the same memberships due charge each of them once', async () => {
  const startedAt = monthBefore(new Date())
  const memberships: TestMembership[] = []
  for (let n = 0; n < 40; n += 1)
    memberships.push(await startMembership(gateway, { dueAt: FAR, startedAt }))
  const settings = {
    ...gateway.nodeSettings,
    VAULT_KEY: gateway.vaultKey.reveal(),
    PORT: '0',
    TLS_PORT: '0',
  }
  const nodes = await Promise.all([startGatewayNode(settings), startGatewayNode(settings)])
  try {
    await gateway.pool.query('update memberships set next_at = now() where id = any($1)', [
      memberships.map(({ id }) => id),
    ])
    for (const membership of memberships) await assertChargedOnce(membership)
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
})

test('a membership whose rows contradict each other keeps no other from being charged', async () => {
  const startedAt = monthBefore(new Date())
  const broken = await startMembership(gateway, { dueAt: FAR, startedAt })
  const sound = await startMembership(gateway, { dueAt: FAR, startedAt })
  // Its record says already what is about to be started.
  await gateway.pool.query(
    `insert into membership_charges (membership_id, merchant_id, due_at, attempt, at, payment_method_id,
                                     amount_minor, currency, outcome, order_id, transaction_id)
     select id, merchant_id, '2026-01-01', 1, '2026-01-01', payment_method_id, price_minor, currency,
            'declined', 1, -1 from memberships where id = $1`,
    [broken.id],
  )
  await gateway.pool.query(
    "update memberships set next_at = case id when $1 then timestamptz '2026-01-01' else now() end where id = any($2)",
    [broken.id, [broken.id, sound.id]],
  )

  await assertChargedOnce(sound)

  await gateway.pool.query('update memberships set next_at = $2 where id = $1', [broken.id, FAR])
})
