import { compileProfile, HOUSE_PROFILE } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankOrder } from '../support/bank-books.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { openBatchId } from '../support/batches.ts'
import {
  newReference,
  outcome,
  payment,
  postForm,
  untilNoAdviceIsQueued,
  untilRow,
} from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { CARD } from '../support/three-ds.ts'

let gateway: RunningGateway
let tap: BankTap
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, async (bankPort) => {
    tap = await openBankTap(bankPort)
    return tap.port
  })
})
after(async () => {
  await gateway.stop()
  await tap.close()
})

test('A10: a bank whose answer is lost is answered FAILED 502, and the reversal is durable first', async () => {
  tap.muteBank()

  const answer = await gateway.client().authorize(payment('31.00'))

  assert.equal(outcome(answer), 'FAILED 0/502')
  const { rows } = await gateway.pool.query(
    `select kind, reason, remaining_minor from advices where order_id = $1`,
    [answer.orderId],
  )
  assert.deepEqual(rows, [{ kind: 'reversal', reason: 'TO', remaining_minor: null }])
  tap.unmuteBank()
  await untilNoAdviceIsQueued(gateway)
  assert.equal((await bankOrder(gateway, String(answer.orderId)))?.state, 'reversed')
})

for (const [amount, expected, state] of [
  ['9000.05', 'DECLINED 0/650', null],
  ['9000.10', 'DECLINED 0/660', 'reversed'],
  ['9000.68', 'FAILED 0/502', null],
  ['9000.85', 'APPROVED 0/100', 'held'],
] as const) {
  test(`a payment of ${amount}, answered with the code of its cents, is ${expected}`, async () => {
    const answer = await gateway.client().authorize(payment(amount))

    assert.equal(outcome(answer), expected)
    await untilNoAdviceIsQueued(gateway)
    assert.equal((await bankOrder(gateway, String(answer.orderId)))?.state ?? null, state)
  })
}

test('the first page of a sandbox lists outcomes that payments have', async () => {
  const page = await (await fetch(gateway.baseUrl)).text()
  const rows = [...page.matchAll(/<td>(\d{16})<\/td><td>([\d.]+)<\/td><td>([^<]+)<\/td>/g)]
  const found: string[] = []
  for (const [, cardNumber = '', amount = '', says = ''] of rows) {
    // Payments with the card of 3-D Secure are in three-ds-payments.test.ts.
    if (says.startsWith('3-D Secure') && cardNumber === CARD.authenticated) continue
    const answer = await gateway.client().authorize(payment(amount, { cardNumber }))
    found.push(`${says} | ${outcome(answer)} ${answer.service.advice}`)
  }
  assert.deepEqual(found, [
    'approved | APPROVED 0/100 ',
    'declined by the bank | DECLINED 0/600 Declined',
    'declined with the DE 39 code of the cents: 51 | DECLINED 0/635 Insufficient Funds',
    'declined: insufficient funds | DECLINED 0/635 Insufficient Funds',
    'FAILED: the bank never answers | FAILED 0/502 Transaction error',
  ])
})

test('A9: a repeat whose wait for the first request runs out is answered RUNNING with its ids', async () => {
  const reference = newReference()
  const first = await gateway
    .client()
    .authorize(payment('32.00', { orderReference: reference, duplicates: 'replay' }))
  assert.equal(first.status, 'APPROVED')

  // The request that holds the claim is made to look as if it were still waiting for the bank.
  await gateway.pool.query(`update order_claims set state = 'running' where reference = $1`, [
    reference,
  ])
  await gateway.pool.query(
    `update transactions set state = 'running', service_code = 0, concluded_at = null where id = $1`,
    [first.transactionId],
  )
  const repeat = await gateway
    .client()
    .authorize(payment('32.00', { orderReference: reference, duplicates: 'replay' }))

  assert.equal(repeat.status, 'RUNNING')
  assert.equal(repeat.transactionId, first.transactionId)
  // "Declined", the text of code 0, would be wrong while money may be held.
  assert.deepEqual([repeat.raw['SERVICE_RESPONSE'], repeat.raw['SERVICE_ADVICE']], [0, ' '])
})

test('a payment that a crash left open is ended FAILED and reversed, and its reference is free again', async () => {
  const reference = newReference()
  const first = await gateway
    .client()
    .authorize(payment('33.00', { orderReference: reference, duplicates: 'refuse' }))
  // As a process killed between the bank's answer and its writing down leaves it.
  // At once, or the job that ends it could come in between.
  await gateway.pool.query(
    `with left_open as (
       update transactions set state = 'running', concluded_at = null, batch_id = null,
              created_at = created_at - interval '5 minutes' where id = $1),
     listed as (insert into open_transactions (merchant_id, transaction_id) values (1, $1)),
     its_order as (
       update orders set state = 'running', authorized_minor = 0, expires_at = null where id = $2)
     update order_claims set state = 'running' where reference = $3`,
    [first.transactionId, first.orderId, reference],
  )

  await untilRow(
    gateway,
    'the open transaction has failed',
    `select 1 from transactions where id = $1 and state = 'failed' and service_code = 502`,
    [first.transactionId],
  )

  await untilNoAdviceIsQueued(gateway)
  assert.equal((await bankOrder(gateway, String(first.orderId)))?.state, 'reversed')
  const again = await gateway
    .client()
    .authorize(payment('33.00', { orderReference: reference, duplicates: 'refuse' }))
  assert.equal(again.status, 'APPROVED')
})

test('a payment whose process may still be at work is left alone until 30 seconds after the time-out', async () => {
  const left: string[] = []
  for (const [amount, seconds] of [
    ['34.00', 15],
    ['35.00', 33],
  ] as const) {
    const { transactionId, orderId } = await gateway.client().authorize(payment(amount))
    await gateway.pool.query(
      `with left_open as (
         update transactions set state = 'running', concluded_at = null, batch_id = null,
                created_at = now() - make_interval(secs => $3) where id = $1),
       listed as (insert into open_transactions (merchant_id, transaction_id) values (1, $1))
       update orders set state = 'running', authorized_minor = 0, expires_at = null where id = $2`,
      [transactionId, orderId, seconds],
    )
    left.push(transactionId)
  }
  const stateOf = 'select state from transactions where id = $1'
  const [young, old] = left
  await untilRow(gateway, 'the older one has failed', `${stateOf} and state = 'failed'`, [old])
  assert.deepEqual((await gateway.pool.query(stateOf, [young])).rows, [{ state: 'running' }])
})

test('a running sale shows no batch, counts in none, and enters the one that is open at its end', async () => {
  const owner = await signIn(gateway)
  // Without it, the batch would be empty, and stay open.
  const { orderId } = await gateway.client().sale(payment('36.00'))
  await untilNoAdviceIsQueued(gateway)
  tap.holdBank()
  const asked = gateway.client().sale(payment('37.00'))
  const running = await untilRow(
    gateway,
    'the sale is running',
    `select t.order_id, t.batch_id, o.merchant_account_id from transactions t
       join orders o on o.id = t.order_id
       join open_transactions l on l.transaction_id = t.id and l.merchant_id = t.merchant_id
      where t.state = 'running' and t.amount_minor = 3700`,
  )
  const order = String(running['order_id'])
  const account = Number(running['merchant_account_id'])
  const noted = await openBatchId(gateway, account)
  const { text } = await postForm(gateway, { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: order })
  const listed = await owner.get(`/orders?batch=${noted}`)
  const closed = await owner.post(`/batches/${noted}/close`)
  tap.letGo()
  const answer = await asked

  assert.equal(closed.status, 200, closed.text)
  assert.equal(String(running['batch_id']), noted)
  assert.match(text, /<TRANS_STATUS_NAME>RUNNING<\/TRANS_STATUS_NAME>/)
  assert.match(text, /<BATCH_ID\/>/)
  assert.ok(listed.text.includes(String(orderId)), listed.text)
  assert.ok(!listed.text.includes(order), listed.text)
  assert.equal(answer.status, 'APPROVED')
  assert.equal(answer.raw['BATCH_ID'], Number(await openBatchId(gateway, account)))
  await untilRow(
    gateway,
    'the sale is no longer listed',
    `select where not exists (select from open_transactions l
       join transactions t on t.id = l.transaction_id where t.order_id = $1)`,
    [order],
  )
})

test('a transaction that an earlier program left running without a batch is listed too', async () => {
  const { transactionId } = await gateway.client().authorize(payment('37.10'))
  const { rows } = await gateway.pool.query<{ listed: boolean }>(
    `with earlier as (
       insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
                                 value_minor, created_at)
       select -id, merchant_id, order_id, request_id, kind, 'running', amount_minor, value_minor,
              created_at from transactions where id = $1 returning id)
     select id from earlier`,
    [transactionId],
  )
  assert.equal(rows.length, 1)
  const listed = await gateway.pool.query(
    'delete from open_transactions where transaction_id = -$1::bigint returning merchant_id',
    [transactionId],
  )
  await gateway.pool.query('delete from transactions where id = -$1::bigint', [transactionId])
  assert.equal(listed.rowCount, 1)
})

test('an approval that comes too late is kept and changes nothing: the reversal stays queued and goes', async () => {
  tap.holdBank()
  const answer = await gateway.client().authorize(payment('38.00'))
  assert.equal(outcome(answer), 'FAILED 0/502')
  tap.letGo()

  const late = await untilRow(
    gateway,
    'the late answer is kept',
    `select l.response_code, l.auth_code, o.id as order_id
       from late_answers l join orders o on o.message_number = l.message_number
      where l.mti = '0110'`,
  )
  assert.equal(late['order_id'], String(answer.orderId))
  assert.equal(late['response_code'], '00')
  assert.notEqual(late['auth_code'], '')

  await untilNoAdviceIsQueued(gateway)
  const { rows } = await gateway.pool.query(
    `select o.state, a.state as reversal from orders o join advices a on a.order_id = o.id
      where o.id = $1`,
    [answer.orderId],
  )
  assert.deepEqual(rows, [{ state: 'failed', reversal: 'acknowledged' }])
  assert.equal((await bankOrder(gateway, String(answer.orderId)))?.state, 'reversed')
})

test('a reversal that the bank did not acknowledge goes out again as 0421, under the same identity', async () => {
  tap.muteBank()
  const answer = await gateway.client().authorize(payment('39.00'))
  assert.equal(outcome(answer), 'FAILED 0/502')
  await untilRow(
    gateway,
    'the reversal was sent twice',
    'select 1 from advices where order_id = $1 and tries > 1',
    [answer.orderId],
  )
  tap.unmuteBank()
  await untilNoAdviceIsQueued(gateway)

  const codec = compileProfile(HOUSE_PROFILE)
  const ours = tap.messages
    .map((bytes) => codec.decode(bytes))
    .filter(({ mti, fields }) => /^042[01]$/.test(mti) && fields[4] === '000000003900')
  const identities = new Set(
    ours.map(({ fields }) => [fields[32], fields[41], fields[11], fields[7]].join()),
  )
  assert.deepEqual([...new Set(ours.map(({ mti }) => mti))], ['0420', '0421'])
  assert.equal(identities.size, 1)
})
