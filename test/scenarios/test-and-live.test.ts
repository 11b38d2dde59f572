import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { bankOrder } from '../support/bank-books.ts'
import { untilSeen } from '../support/eventually.ts'
import { liveAccountFile, startLiveAcquirer, type LiveAcquirer } from '../support/live-acquirer.ts'
import {
  newReference,
  outcome,
  payment,
  untilNoAdviceIsQueued,
  untilRow,
} from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let live: LiveAcquirer
let operator: Operator
before(async () => {
  gateway = await startRunningGateway()
  live = await startLiveAcquirer('acme-live')
  const { databaseUrl, vaultKey } = gateway
  operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
  await live?.stop()
})

const shop = () => gateway.client()

/** Waits until payments go to the account, because processes learn the site's mode late. */
async function untilPaymentsGoTo(account: number): Promise<void> {
  await untilSeen(
    `payments go to account ${account}`,
    async () => {
      const answer = await shop().authorize(payment('1.00'))
      await shop().void({ orderId: answer.orderId })
      return String(answer.raw['MERCH_ACCT_ID'])
    },
    (seen) => seen === String(account),
    { everyMs: 100 },
  )
}

async function moveTo(mode: 'test' | 'live'): Promise<void> {
  const moved = await operator.setSiteMode(1001, mode)
  assert.ok(moved.ok, JSON.stringify(moved))
  await untilPaymentsGoTo(mode === 'live' ? 3001 : 2001)
}

test('a site does not go live before it has a live account for each of its currencies', async () => {
  const without = await operator.setSiteMode(1001, 'live')
  assert.deepEqual(without, {
    ok: false,
    kind: 'conflict',
    faults: [
      'Site 1001 has no live account for USD, EUR, GBP, JPY, KWD. Give it one with "tollgate accounts put".',
    ],
  })

  const noLink = await operator.putAccount(liveAccountFile())
  assert.deepEqual(noLink, {
    ok: false,
    kind: 'invalid',
    faults: [
      'link is "acme-live", but there is none of that name; "tollgate links" lists those there are.',
    ],
  })
  const link = await operator.putLink(live.linkFile(), live.folder)
  assert.deepEqual(link, { ok: true, name: 'acme-live', created: true, warnings: [] })
  const some = await operator.putAccount(liveAccountFile({ currencies: ['USD', 'EUR'] }))
  assert.deepEqual(some, { ok: true, id: 3001, created: true, kept: [] })

  const partly = await operator.setSiteMode(1001, 'live')
  assert.equal(partly.ok, false)
  assert.match(partly.ok ? '' : partly.faults.join(), /no live account for GBP, JPY, KWD\./)
  const { rows } = await gateway.pool.query('select mode from sites where id = 1001')
  assert.deepEqual(rows, [{ mode: 'test' }])
})

test('the same forms are approved by the bundled bank in test mode and by the acquirer in live mode', async () => {
  assert.deepEqual(await operator.putAccount(liveAccountFile()), {
    ok: true,
    id: 3001,
    created: false,
    kept: [],
  })
  await untilRow(
    gateway,
    'the link of the new account is up without a restart',
    `select 1 from processor_link_states where state = 'up'`,
  )
  const forms = [
    payment('40.00', { more: { MERCH_ACCT_ID: '2001' } }),
    payment('41.00', { currency: 'EUR', securityCode: '123' }),
  ]
  const inTest = await Promise.all(forms.map((form) => shop().authorize(form)))
  await moveTo('live')

  const inLive = await Promise.all(forms.map((form) => shop().authorize(form)))
  const sale = await shop().sale(payment('42.00'))
  const captured = await shop().capture({ orderId: inLive[0]?.orderId ?? '', amount: '15.00' })
  await untilNoAdviceIsQueued(gateway)

  for (const answer of [...inTest, ...inLive, sale, captured]) {
    assert.equal(outcome(answer), 'APPROVED 0/100')
  }
  for (const { orderId } of inTest) {
    assert.equal((await bankOrder(gateway, orderId))?.state, 'held')
    assert.equal(await bankOrder(gateway, orderId, { ...live, bank: gateway.bank }), null)
    assert.equal(await bankOrder(gateway, orderId, { bank: live.bank, acquirer: '414000' }), null)
  }
  for (const { orderId } of [...inLive, sale]) {
    assert.equal(await bankOrder(gateway, orderId, { ...live, bank: gateway.bank }), null)
    assert.equal(await bankOrder(gateway, orderId), null)
  }
  const booked = async (orderId: string) => {
    const order = await bankOrder(gateway, orderId, live)
    return [order?.approvedMinor, order?.capturedMinor]
  }
  assert.deepEqual(await booked(inLive[0]?.orderId ?? ''), [4_000n, 1_500n])
  assert.deepEqual(await booked(inLive[1]?.orderId ?? ''), [4_100n, 0n])
  assert.deepEqual(await booked(sale.orderId), [4_200n, 4_200n])
  await moveTo('test')
})

test('a trigger amount means nothing to a live acquirer', async () => {
  const inTest = await shop().authorize(payment('5.30'))
  await moveTo('live')

  const inLive = await shop().authorize(payment('5.30'))

  assert.equal(outcome(inTest), 'DECLINED 0/530')
  assert.equal(outcome(inLive), 'APPROVED 0/100')
  await moveTo('test')
})

for (const [made, other] of [
  ['test', 'live'],
  ['live', 'test'],
] as const) {
  test(`nothing that was made in ${made} mode exists in ${other} mode, and all is back afterwards`, async () => {
    if (made === 'live') await moveTo('live')
    const reference = newReference()
    const once = { orderReference: reference, duplicates: 'replay' } as const
    const order = await shop().authorize(payment('50.00', once))
    const { orderId, customerId, transactionId } = order
    const before = await bankOrder(gateway, orderId, made === 'live' ? live : undefined)
    await moveTo(other)

    for (const adjust of [shop().capture, shop().refund, shop().void, shop().captureVoid]) {
      const answer = await adjust({ orderId, amount: '10.00' })
      assert.equal(outcome(answer), 'DECLINED 0/512')
    }
    assert.equal((await shop().status({ orderId })).events, null)
    assert.equal((await shop().status({ orderReference: reference })).events, null)
    const saved = await shop().authorize({ customerId, amount: '10.00' })
    assert.equal(outcome(saved), 'REFUSED 115/0')
    const attached = await shop().authorize(payment('10.00', { customerId }))
    assert.equal(outcome(attached), 'REFUSED 115/0')
    const again = await shop().authorize(payment('50.00', once))
    assert.equal(outcome(again), 'APPROVED 0/100')
    assert.notEqual(again.transactionId, transactionId)
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual(await bankOrder(gateway, orderId, made === 'live' ? live : undefined), before)

    await moveTo(made)
    const replayed = await shop().authorize(payment('50.00', once))
    assert.equal(replayed.transactionId, transactionId)
    assert.equal(outcome(await shop().capture({ orderId, amount: '10.00' })), 'APPROVED 0/100')
    assert.equal(outcome(await shop().authorize({ customerId, amount: '3.00' })), 'APPROVED 0/100')
    await untilNoAdviceIsQueued(gateway)
    const now = await bankOrder(gateway, orderId, made === 'live' ? live : undefined)
    assert.equal(now?.capturedMinor, 1_000n)
    if (made === 'live') await moveTo('test')
  })
}

test('an account cannot be moved to another bank, by command or by SQL', async () => {
  const put = await operator.putAccount(
    liveAccountFile({ mode: 'test', link: null, acquirerId: '414000', standsFor: null }),
  )

  assert.equal(put.ok, false)
  assert.deepEqual(put.ok ? [] : put.faults.map((fault) => fault.split(' ')[0]), [
    'mode',
    'link',
    'acquirerId',
  ])
  const { pool } = gateway
  await assert.rejects(
    pool.query('update merchant_accounts set processor_link_id = null where id = 3001'),
    /stays with its bank/,
  )
  const insert = `insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
    acquirer_merchant_id, category_code, name_and_location, currencies, processor_link_id)
    select 3002, 1, $1, 'X', '1', 'X', '5999', 'X', '{USD}', $2`
  const { rows } = await pool.query<{ id: string }>('select id from processor_links')
  await assert.rejects(pool.query(insert, ['test', rows[0]?.id]), /use_a_link_of_their_mode/)
  await assert.rejects(pool.query(insert, ['live', null]), /live_have_a_link/)
})

test('the database lets no site become live by SQL without the record of an operator or two users', async () => {
  const { pool } = gateway
  const refused = /cannot be live without a record/
  await assert.rejects(pool.query(`update sites set mode = 'live' where id = 1002`), refused)
  const insert = `insert into sites (id, merchant_id, name, mode) values (1902, 1, 'New', 'live')`
  await assert.rejects(pool.query(insert), refused)
  const record = `insert into audit_entries (actor, operation, object, result, details)
    values ('portal:owner@tollgate.test', 'site.mode_set', 'site 1002', 'done', '{"after":"live"}')`
  const update = `update sites set mode = 'live' where id = 1002`
  // One statement list is one transaction. A portal user's record needs the second user's approval.
  await assert.rejects(pool.query(`${update}; ${record}`), refused)
  await pool.query(record.replace('portal:owner@tollgate.test', 'operator:ops@vm'))
  await assert.rejects(pool.query(update), refused, 'the record is of an earlier transaction')
})

test("a link's key is in no column, list or log in plain", async () => {
  const { rows } = await gateway.pool.query<{ text: string }>(
    `select to_json(l)::text || encode(tls_key_ciphertext, 'escape') as text from processor_links l`,
  )

  const seen = [rows[0]?.text, JSON.stringify(await operator.listLinks()), gateway.logged()].join()

  assert.match(seen, /acme-live/)
  assert.doesNotMatch(seen, /PRIVATE KEY/)
})
