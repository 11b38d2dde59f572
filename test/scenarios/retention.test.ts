import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import type { RetentionDays } from '../../packages/gateway/src/domain/retention/retention-kinds.ts'
import { openOperator, type Operator } from '../../packages/gateway/src/wiring/operator.ts'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { retention } from '../../packages/tollgate/src/retention-command.ts'
import { runProgram } from '../../packages/tollgate/test/program.ts'
import { assertBooksAreClean, brokenInvariants } from '../support/books.ts'
import { ask, codes, monthly, sale, type Record } from '../support/memberships.ts'
import { moneyOf, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import {
  ageOrder,
  answersOfErasedCard,
  cardText,
  gateOn,
  lastAuditEntry,
  untilSomebodyWaits,
} from '../support/retention.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'

const DAYS: RetentionDays = {
  guest_cards: 180,
  advices: 30,
  three_ds_messages: 120,
  requests: 90,
  operations: 90,
  sessions: 30,
  operator_sessions: 30,
  evidence: 540,
  events: 35,
  deliveries: 30,
  caught_webhooks: 7,
  mails: 30,
  customers: 0,
}
const DAY_MS = 86_400_000
const cli = new URL('../../packages/tollgate/src/cli.ts', import.meta.url)

suite('retention', () => {
  let gateway: RunningGateway
  let operator: Operator
  before(async () => {
    gateway = await startRunningGateway()
    const { databaseUrl, vaultKey } = gateway
    operator = await openOperator({
      databaseUrl: new Secret(databaseUrl),
      vaultKey,
      vaultKmsKey: null,
      vaultKeyPrevious: null,
      retention: DAYS,
    })
    // The job's own passes are over then, and the next ones are a day away.
    await untilRow(
      gateway,
      'the job has ended its first passes',
      `select 1 from retention_passes where next_at > now() having count(*) >= $1`,
      [Object.values(DAYS).filter((days) => days > 0).length],
    )
  })
  after(async () => {
    await operator?.close()
    await gateway?.stop()
  })

  const ordered = async (more: Parameters<typeof sale>[0] = {}): Promise<Record> => {
    const answer = await ask(gateway, sale(more))
    assert.equal(codes(answer), 'APPROVED 0/100')
    return answer
  }
  const age = (order: Record, days: number): Promise<void> => ageOrder(gateway, order, days)
  const numberOf = ({ PMT_ID: card }: Record): Promise<string> => cardText(gateway, card)
  const refund = ({ PO_ID: order }: Record): Promise<Record> =>
    ask(gateway, {
      REQUEST_ACTION: 'CCCREDIT',
      REQUEST_REF_PO_ID: order ?? '',
      LI_VALUE_1: '1.00',
      IDEMPOTENCY_KEY: `refund-of-${order}-by-test`,
    })
  const lastEntry = (operation: string): Promise<unknown> => lastAuditEntry(gateway, operation)

  test("a guest's number is erased after 180 quiet days, and no number that a merchant asked to keep", async () => {
    const guest = await ordered()
    const young = await ordered()
    const kept = [
      await ordered({ PMT_ID_XTL: 'card-1' }),
      await ordered({ REQUEST_REBILL: '2' }),
      await ordered({ CUST_LOGIN: 'ann', CUST_PASSWORD: 'Some-secret-9' }),
      await ordered({ ...monthly('Kept'), LI_PROD_ID_1: '' }),
      await ordered({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '0.00' }),
      await ordered({ REQUEST_ACTION: 'CCAUTHORIZE' }),
    ]
    const back = await ordered()
    await ordered({ CUST_ID: back['CUST_ID'] ?? '', PMT_NUMB: null, PMT_EXPIRY: null })
    for (const order of [guest, ...kept, back]) await age(order, 200)
    await age(young, 170)
    const due = (await operator.retention.countDue()).guest_cards
    assert.equal(due?.due, 1)
    assert.equal(Math.round((Date.now() - Number(due.oldest)) / DAY_MS), 200)
    assert.equal(await numberOf(guest), 'Visa 1111 kept')

    assert.equal((await operator.retention.eraseNow()).guest_cards, 1)

    assert.equal(await numberOf(guest), 'Visa 1111 erased')
    for (const order of [young, ...kept, back])
      assert.equal(await numberOf(order), 'Visa 1111 kept')
    assert.deepEqual(await lastEntry('retention.erased'), {
      object: 'card numbers of guests',
      details: { erased: 1, days: 180 },
    })
    const again = sale({ CUST_ID: guest['CUST_ID'] ?? '', PMT_NUMB: null, PMT_EXPIRY: null })
    assert.match(codes(await ask(gateway, again)), /^- 0\/113|- 113/)
    assert.match(codes(await refund(guest)), /580/)
    await assertBooksAreClean(gateway)
  })

  test('a refund that begins while the number is being erased is refused, and none is queued', async (t) => {
    const guest = await ordered()
    await age(guest, 200)
    const open = await gateOn(
      t,
      gateway,
      'payment_methods',
      'update of pan_ciphertext on payment_methods for each row',
    )
    const erasing = operator.retention.eraseNow()
    await untilSomebodyWaits(gateway, 'advisory')
    const refunding = refund(guest)
    await untilSomebodyWaits(gateway, 'transactionid')
    await open()
    assert.equal((await erasing).guest_cards, 1)
    assert.match(codes(await refunding), /580/)
    assert.deepEqual(await brokenInvariants(gateway), [])
  })

  test('a number stays while a refund holds its order, and goes with the next pass', async () => {
    const guest = await ordered()
    await age(guest, 200)
    const holder = await gateway.pool.connect()
    try {
      await holder.query('begin')
      await holder.query('select from orders where id = $1 for update', [guest['PO_ID']])
      assert.equal((await operator.retention.eraseNow()).guest_cards, 0)
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    assert.equal((await operator.retention.eraseNow()).guest_cards, 1)
  })

  test('advices go after 30 days if their batch is closed, and a later refund still reaches the bank', async () => {
    const open = await ordered({ PMT_ID_XTL: 'card-2' })
    await age(open, 60)
    assert.equal((await operator.retention.eraseNow()).advices, 0)
    assert.ok((await operator.batches.close(2001n)).ok)
    await untilRow(
      gateway,
      'the bank agrees to the batch',
      `select from batches where merchant_account_id = 2001 and agreement = 'agreed'`,
    )
    await ordered()
    assert.ok(Number((await operator.retention.countDue()).advices?.due) > 0)
    await operator.retention.eraseNow()
    const left = await gateway.pool.query('select from advices where order_id = $1', [
      open['PO_ID'],
    ])
    assert.equal(left.rowCount, 0)
    await assertBooksAreClean(gateway)

    assert.equal(codes(await refund(open)), 'APPROVED 0/100')
    await untilNoAdviceIsQueued(gateway)
    assert.match(await moneyOf(gateway, open['PO_ID'] ?? ''), /refunded 100/)
    await assertBooksAreClean(gateway)
    await gateway.pool.query('create table lost_advices (like advices)')
    await gateway.pool.query(
      `with lost as (delete from advices where order_id = $1 returning *)
       insert into lost_advices select * from lost`,
      [open['PO_ID']],
    )
    assert.deepEqual(await brokenInvariants(gateway), [
      'advices_are_gapless',
      'refunds_reach_the_bank',
    ])
    await gateway.pool.query('insert into advices overriding system value table lost_advices')
    await assertBooksAreClean(gateway)
  })

  test('a run that is killed loses one step, and the next one ends the pass with the whole count', async (t) => {
    await gateway.pool.query(`
      insert into requests (id, received_at, username, address, action, parameters, http_status, api_code,
                            service_code, ref_field, state, took_ms)
      select n, now() - interval '91 days', '', '', 'CCSTATUS', '{}', 200, '0', 0, '', '', 1
        from generate_series(1, 1200) n`)
    const oldRequests = async (): Promise<number> => {
      const { rowCount } = await gateway.pool.query('select from requests where id <= 1200')
      return rowCount ?? 0
    }
    const open = await gateOn(
      t,
      gateway,
      'requests',
      'delete on requests for each row when (old.id = 1100)',
    )
    const env = { DATABASE_URL: gateway.databaseUrl, VAULT_KEY: gateway.vaultKey.reveal() }
    const program = runProgram(cli, { args: ['retention', 'erase'], env })
    // The third step of 500 rows.
    const pid = await untilSomebodyWaits(gateway, 'advisory')
    program.child.kill('SIGKILL')
    await program.end()
    await open()
    await untilRow(
      gateway,
      'the connection of the killed command is gone',
      `select 1 where not exists (select from pg_stat_activity where pid = $1)`,
      [pid],
    )
    assert.equal(await oldRequests(), 200)
    assert.equal((await operator.retention.eraseNow()).requests, 200)
    assert.equal(await oldRequests(), 0)
    assert.deepEqual(await lastEntry('retention.erased'), {
      object: 'requests',
      details: { erased: 1200, days: 90 },
    })
  })

  test("erasing a customer leaves the books whole, and nothing of the customer's data", async () => {
    const personal = {
      CUST_FNAME: 'Ann',
      CUST_LNAME: 'Zimmermann',
      CUST_EMAIL: 'zimmermann@shop.test',
      BILL_ADDR: 'Zimmermann street 1',
      XTL_CUST_ID: 'ref-zimmermann',
      XTL_UDF01: 'zimmermann',
      CUST_LOGIN: 'zimmermann',
      CUST_PASSWORD: 'Some-secret-9',
    }
    const member = await ordered({
      ...personal,
      CUST_LOGIN: 'other',
      ...monthly('Busy'),
      LI_PROD_ID_1: '',
    })
    await untilNoAdviceIsQueued(gateway)
    const refused = await operator.retention.eraseCustomer(BigInt(member['CUST_ID'] ?? ''))
    assert.deepEqual(refused, {
      ok: false,
      kind: 'conflict',
      faults: ['A membership charges a card. Cancel the membership.'],
    })
    const order = await ordered(personal)
    const id = order['CUST_ID'] ?? ''
    await untilNoAdviceIsQueued(gateway)
    const logged = 'select from requests where order_id = $1'
    await untilRow(gateway, 'the request is logged', logged, [order['PO_ID']])
    const money = await moneyOf(gateway, order['PO_ID'] ?? '')
    const owner = await signIn(gateway)
    const { contact } = (await owner.get(`/customers/${id}`)).body

    assert.deepEqual(await operator.retention.eraseCustomer(BigInt(id)), { ok: true, cards: 1 })

    const { rows: left } = await gateway.pool.query<{ place: string }>(
      `select 'customer' as place from customers c where id = $1 and c::text ilike '%zimmer%'
       union all select 'login' from customer_logins where login = 'zimmermann'
       union all select 'order' from orders o where customer_id = $1 and o::text ilike '%zimmer%'
       union all select 'request' from requests where order_id = $2
       union all select 'audit entry' from audit_entries e where e::text ilike '%zimmer%'`,
      [id, order['PO_ID']],
    )
    assert.deepEqual(left, [])
    assert.equal(await moneyOf(gateway, order['PO_ID'] ?? ''), money)
    assert.equal(await numberOf(order), 'Visa 1111 erased')
    assert.deepEqual(await lastEntry('customer.erased'), {
      object: `customer ${id}`,
      details: { orders: 1, cards: 1 },
    })
    const again = sale({ CUST_ID: id })
    assert.match(codes(await ask(gateway, again)), /115/)
    assert.match(codes(await refund(order)), /580/)
    const page = await owner.get(`/customers/${id}`)
    assert.deepEqual([page.status, page.body.cards[0].last4], [200, '1111'])
    const change = { seen: page.body.contact, wanted: contact }
    assert.equal((await owner.put(`/customers/${id}/contact`, change)).status, 409)
    assert.equal((await owner.get(`/orders/${order['PO_ID']}`)).status, 200)
    assert.equal((await operator.retention.eraseCustomer(BigInt(id))).ok, false)
    await ordered(personal)
  })

  test('the command retention prints what is due, erases it, and erases a customer', async () => {
    const env = {
      DATABASE_URL: gateway.databaseUrl,
      VAULT_KEY: gateway.vaultKey.reveal(),
      RETENTION_SESSION_DAYS: '0',
    }
    const run = async (...args: string[]): Promise<{ code: number; lines: string }> => {
      const lines: string[] = []
      const write = (text: string): void => void lines.push(text)
      const code = await runCommand(retention, args, { env, print: write, complain: write })
      return { code, lines: lines.join('\n').replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY') }
    }
    const counts = (cards: string, label: string): string =>
      [
        `card numbers of guests: ${cards} (RETENTION_GUEST_CARD_DAYS=180)`,
        `acknowledged advices: 0 ${label} (RETENTION_ADVICE_DAYS=30)`,
        `3-D Secure messages: 0 ${label} (RETENTION_THREE_DS_MESSAGE_DAYS=120)`,
        `requests: 0 ${label} (RETENTION_REQUEST_DAYS=90)`,
        `operations without a transaction: 0 ${label} (RETENTION_OPERATION_DAYS=90)`,
        'sessions: kept without end (RETENTION_SESSION_DAYS=0)',
        `sessions of operators: 0 ${label} (RETENTION_OPERATOR_SESSION_DAYS=30)`,
        `evidence of disputes: 0 ${label} (RETENTION_EVIDENCE_DAYS=540)`,
        `days of events: 0 ${label} (RETENTION_EVENT_DAYS=35)`,
        `deliveries of webhooks: 0 ${label} (RETENTION_WEBHOOK_DAYS=30)`,
        `caught webhooks: 0 ${label} (RETENTION_CAUGHT_WEBHOOK_DAYS=7)`,
        `mails: 0 ${label} (RETENTION_MAIL_DAYS=30)`,
        'personal data of customers: kept without end (RETENTION_CUSTOMER_DAYS=0)',
      ].join('\n')
    await operator.retention.eraseNow()
    const guest = await ordered()
    await age(guest, 200)

    assert.deepEqual(await run(), {
      code: 0,
      lines: counts(
        '1 due now, the oldest since DAY; last whole pass DAY',
        'due now; last whole pass DAY',
      ),
    })
    assert.equal(await numberOf(guest), 'Visa 1111 kept')
    assert.deepEqual(await run('erase'), { code: 0, lines: counts('1 erased', 'erased') })
    assert.equal(await numberOf(guest), 'Visa 1111 erased')

    const customer = (await ordered({ PMT_ID_XTL: 'card-3' }))['CUST_ID'] ?? ''
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual(await run('erase-customer', customer), {
      code: 0,
      lines:
        `The personal data of customer ${customer} was erased. Erased card numbers: 1.\n` +
        'Orders and their amounts stay. Backups still have the data until you remove them.',
    })
    assert.deepEqual(await run('erase-customer', '999999999'), {
      code: 1,
      lines: 'Customer 999999999 does not exist.\nNothing was changed.',
    })
  })
  test('three years on the clock of a site make its own guests due, and each path refuses an erased number', async () => {
    const here = credentials(1003)
    await clock(gateway, 'stop', {}, 1003)
    const start = (await clock(gateway, '', {}, 1003)).time
    const guest = await ordered({ ...here, XTL_ORDER_ID: 'years', UNIQUE_XTL_ORDER_ID: '2' })
    const yearly = { ...monthly('Years'), PROD_REBILL_METRIC: 'Y', LI_PROD_ID_1: '' }
    const member = await ordered({ ...here, ...yearly })
    const elsewhere = await ordered()
    await untilNoAdviceIsQueued(gateway)
    const to = new Date(Date.parse(start) + 3 * 365 * DAY_MS + DAY_MS).toISOString()
    await clock(gateway, 'jump', { to, wait: 60 }, 1003)
    await untilRow(
      gateway,
      'the clock has come there',
      'select 1 from site_clocks where site_id = 1003 and target_at is null and site_at >= $1',
      [to],
    )
    await untilNoAdviceIsQueued(gateway)

    await operator.retention.eraseNow()

    assert.equal(await numberOf(guest), 'Visa 1111 erased')
    assert.equal(await numberOf(member), 'Visa 1111 kept')
    assert.equal(await numberOf(elsewhere), 'Visa 1111 kept')
    const { rows: renewals } = await gateway.pool.query(
      `select o.state from orders o where o.customer_id = $1 order by id`,
      [member['CUST_ID']],
    )
    assert.deepEqual(
      renewals.map(({ state }) => state),
      ['authorized', 'authorized', 'authorized', 'authorized'],
    )
    const card = { CUST_ID: guest['CUST_ID'] ?? '', PMT_ID: guest['PMT_ID'] ?? '' }
    assert.deepEqual(await answersOfErasedCard(gateway, { ...here, ...card }, guest, member), {
      'sale by the customer': '- 113/0 CUST_ID',
      'sale by card': '- 113/0 PMT_ID',
      'charge by the merchant': '- 113/0 PMT_ID',
      'refund of the order': 'DECLINED 0/580',
      'membership with the card': '- 113/0 SUB_UPDATE_PMT_ID',
      'repeat of the payment': `APPROVED 0/100 ${guest['TRANS_ID']}`,
    })
    const owner = await signIn(gateway)
    assert.equal((await owner.get(`/orders/${guest['PO_ID']}`)).status, 200)
    const cards = (await owner.get('/terminal/cards?site=1003&text=1111')).body
    assert.equal(JSON.stringify(cards).includes(`"${guest['PMT_ID']}"`), false)
    await assertBooksAreClean(gateway)
  })
})
