import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { appendAudit } from '../../packages/gateway/src/adapters/postgres/audit/audit-log.ts'
import { checkInvariants } from '../../packages/gateway/src/adapters/postgres/books/invariants/check-invariants.ts'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { auditedAsDone } from '../support/audit.ts'
import { untilSeen } from '../support/eventually.ts'
import { ask, monthly, sale } from '../support/memberships.ts'
import {
  newReference,
  outcome,
  payment,
  untilNoAdviceIsQueued,
  untilRow,
} from '../support/payments.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { CARD, enrolForm, prepare, untilCardRanges } from '../support/three-ds.ts'

suite('pages for developers', () => {
  let gateway: RunningGateway
  let developer: SignedInUser
  before(async () => {
    gateway = await startRunningGateway({}, undefined, {}, { timeScale: 4 })
    developer = await signIn(gateway, await addPortalUser(gateway, 'developer'))
    await untilCardRanges(gateway)
  })
  after(() => gateway?.stop())

  /** Sends a form as it is. Returns the id of the request, which not every answer holds. */
  const send = async (form: Readonly<Record<string, string>>): Promise<string> => {
    const mark = newReference()
    const response = await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({
        ...credentials(),
        REQUEST_RESPONSE_FORMAT: 'JSON',
        XTL_UDF20: mark,
        ...form,
      }),
    })
    await response.text()
    const row = await untilRow(
      gateway,
      `request ${mark}`,
      `select id from requests where parameters->>'XTL_UDF20' = $1`,
      [mark],
    )
    return String(row['id'])
  }

  test('a refused request is in the log with its field, what its code means and no card data', async () => {
    const id = await send({
      REQUEST_ACTION: 'CCAUTHORIZE',
      PMT_NUMB: '4111111111111111',
      PMT_EXPIRY: '122039',
      PMT_KEY: '123',
      LI_VALUE_1: 'ten',
    })

    const list = await developer.get('/developer/requests?outcome=refused&api=112')
    assert.equal(list.status, 200, list.text)
    assert.equal(list.body.rows[0].id, id)
    const { body, text } = await developer.get(`/developer/requests/${id}`)
    assert.deepEqual(
      [body.refField, body.refusal.name, body.outcome],
      ['LI_VALUE_1', 'value_not_numeric', 'refused'],
    )
    assert.ok(body.curl.includes(`--data-urlencode 'PMT_NUMB=<card number>'`), body.curl)
    assert.ok(
      body.curl.includes(`'REQ_PASSWORD=<password>'`) &&
        body.curl.includes(`'PMT_KEY=<security code>'`),
    )
    assert.ok(!text.includes('4111111111111111') && !text.includes('Sandbox-4.14'))
  })

  test('a refund above the limit of a portal user is a refusal in the log, and the explanation states the limit', async () => {
    const limited = await addPortalUser(gateway, 'support', {
      refundLimit: { minor: 500n, currency: 'USD' },
    })
    const user = await signIn(gateway, limited)
    const { orderId } = await gateway.client().sale(payment('20.00'))
    const { seen } = (await user.get(`/orders/${orderId}`)).body
    const refund = await user.post(`/orders/${orderId}/refunds`, {
      key: randomUUID(),
      amount: '6.00',
      seen,
    })
    assert.equal(`${refund.status} ${refund.body.error.code}`, '403 refund_limit')
    const { id } = await untilRow(
      gateway,
      'the refused refund',
      'select id from requests where username = $1',
      [limited.email],
    )

    const listed = await developer.get(
      `/developer/requests?outcome=refused&user=${encodeURIComponent(limited.email)}`,
    )
    assert.deepEqual(
      listed.body.rows.map((row: { id: string; outcome: string }) => [row.id, row.outcome]),
      [[String(id), 'refused']],
    )
    const { body: request } = await developer.get(`/developer/requests/${id}`)
    const said = /^You may refund up to 5\.00 USD of an order/
    assert.match(request.refusal.meaning, said)
    const { body: why } = await developer.get(`/developer/requests/${id}/why`)
    const decided = why.steps.filter(({ verdict }: { verdict: string }) => verdict === 'decided')
    assert.equal(decided.length, 1)
    assert.equal(decided[0].key, 'operation')
    assert.match(decided[0].says, said)
  })

  test('a wrong password is in the log of the merchant whose user it named, and explained', async () => {
    const response = await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({
        ...credentials(),
        REQ_PASSWORD: 'Not-the-password-1',
        REQUEST_ACTION: 'TESTAUTH',
        XTL_ORDERID: 'a misspelt name',
      }),
    })
    assert.match(await response.text(), /<API_RESPONSE>101</)
    assert.equal(response.headers.get('tollgate-unknown-parameters'), 'XTL_ORDERID')
    const [, id = ''] = /\/portal\/developer\/requests\/(\d+)\/why$/.exec(
      response.headers.get('tollgate-why') ?? '',
    ) ?? ['']
    await untilRow(gateway, `request ${id}`, 'select id from requests where id = $1', [id])

    const { body, text } = await developer.get(`/developer/requests/${id}`)
    assert.deepEqual([body.refusal.name, body.outcome], ['credentials_wrong', 'refused'])
    assert.ok(!text.includes('Not-the-password'))
    const { steps } = (await developer.get(`/developer/requests/${id}/why`)).body
    const decided = steps.find(({ verdict }: { verdict: string }) => verdict === 'decided')
    assert.equal(decided.key, 'login')
    const other = await signIn(gateway, OTHER_OWNER)
    assert.equal((await other.get(`/developer/requests/${id}`)).status, 404)
  })

  test('a request is found by its order, and is not there for another merchant or a role without the right', async () => {
    const sale = await gateway.client().sale(payment('12.50'))
    await untilRow(gateway, 'request', 'select * from requests where order_id = $1', [sale.orderId])

    const { body } = await developer.get(`/developer/requests?id=${sale.orderId}`)
    assert.deepEqual(
      body.rows.map(({ transactionId }: { transactionId: string }) => transactionId),
      [sale.transactionId],
    )
    const [otherOwner, support] = await Promise.all([
      signIn(gateway, OTHER_OWNER),
      signIn(gateway, await addPortalUser(gateway, 'support')),
    ])
    const [{ id }] = body.rows
    assert.equal((await otherOwner.get(`/developer/requests/${id}`)).status, 404)
    assert.deepEqual((await otherOwner.get(`/developer/requests?id=${sale.orderId}`)).body.rows, [])
    assert.equal((await support.get(`/developer/requests/${id}`)).status, 403)
  })

  test('a search for something rare stops in time, says how far it looked, and goes on from there', async () => {
    await gateway.pool.query(
      `insert into requests select 500000 + n, timestamptz '2020-01-01' - n * interval '1 second', 1, 1001, 'demo', '10.0.0.1',
              case when n = 20500 then 'RARE' else 'CCSTATUS' end, '{}', 200, '0', 100, '', '', null, null, 1
         from generate_series(1, 21000) n`,
    )
    const first = await developer.get('/developer/requests?action=RARE&to=2020-01-01T00:00:00Z')
    assert.deepEqual(first.body.rows, [])
    assert.equal(first.body.lookedBackTo, '2019-12-31T18:26:40.000Z')
    const second = await developer.get(
      `/developer/requests?action=RARE&to=2020-01-01T00:00:00Z&after=${encodeURIComponent(first.body.next)}`,
    )
    assert.deepEqual(
      second.body.rows.map(({ id }: { id: string }) => id),
      ['520500'],
    )
    assert.equal(second.body.next, null)
    const pages = await developer.get('/developer/requests?to=2020-01-01T00:00:00Z')
    assert.equal(pages.body.rows.length, 50)
    const next = await developer.get(
      `/developer/requests?to=2020-01-01T00:00:00Z&after=${encodeURIComponent(pages.body.next)}`,
    )
    assert.equal(next.body.rows[0].id, '500051')
    await gateway.pool.query(`delete from requests where received_at < '2020-01-01'`)
  })

  type Form = Readonly<Record<string, string>>
  const CARD_FORM: Form = {
    REQUEST_ACTION: 'CCAUTHORIZE',
    PMT_NUMB: '4111111111111111',
    PMT_EXPIRY: '122039',
    PMT_KEY: '123',
  }
  const pays = (amount: string, more: Form = {}): Form => ({
    ...CARD_FORM,
    LI_VALUE_1: amount,
    ...more,
  })
  const explain = async (form: Form) =>
    (await developer.get(`/developer/requests/${await send(form)}/why`)).body

  test('every kind of refusal and decline is explained by the step that made it, and by no other', async () => {
    await gateway.pool.query(
      `insert into card_testing_policies (site_id, mode, rules) values (1003, 'enforce', $1)`,
      [
        JSON.stringify([
          {
            name: 'one-a-day',
            subject: 'site',
            counts: 'attempts',
            limit: 1,
            windowSeconds: 86_400,
            code: 601,
          },
        ]),
      ],
    )
    await gateway.pool.query('update sites set three_ds_required = true where id = 1003')
    const sold = newReference()
    const sale = await gateway.client().sale(payment('20.00', { orderReference: sold }))
    const authorized = await gateway.client().authorize(payment('20.00'))
    const trigger = (amount: string): readonly [string, Form, string] => [
      `trigger ${amount}`,
      pays(amount),
      'bank',
    ]
    const testCard = (number: string, more: Form = {}): readonly [string, Form, string] => [
      `test card ${number}`,
      pays('50.00', { PMT_NUMB: number, ...more }),
      'bank',
    ]
    const cases: readonly (readonly [name: string, form: Form, step: string])[] = [
      ['no number', pays('ten'), 'parameters'],
      [
        'no expiry',
        {
          REQUEST_ACTION: 'CCAUTHORIZE',
          PMT_NUMB: '4111111111111111',
          PMT_KEY: '123',
          LI_VALUE_1: '10.00',
        },
        'parameters',
      ],
      ['no such month', pays('10.00', { PMT_EXPIRY: '132039' }), 'parameters'],
      ['version', pays('10.00', { REQUEST_API_VERSION: '4.13' }), 'action'],
      ['action', pays('10.00', { REQUEST_ACTION: 'CCNOTHING' }), 'action'],
      ['account', pays('10.00', { MERCH_ACCT_ID: '999999' }), 'references'],
      ['customer', pays('10.00', { CUST_ID: '1' }), 'references'],
      ['currency', pays('10.00', { REQUEST_CURRENCY: 'XQX' }), 'references'],
      ['order to show', { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: '1' }, 'references'],
      ['duplicate', pays('10.00', { XTL_ORDER_ID: sold, UNIQUE_XTL_ORDER_ID: '1' }), 'duplicate'],
      [
        'membership',
        {
          REQUEST_ACTION: 'SUB_CANCEL',
          CUST_ID: '1',
          REQUEST_REF_MBSHP_ID: '1',
          SUB_CANCEL_TYPE: '1',
        },
        'subscription',
      ],
      [
        'too much captured',
        { REQUEST_ACTION: 'CCCAPTURE', REQUEST_REF_PO_ID: authorized.orderId, LI_VALUE_1: '30.00' },
        'order_state',
      ],
      [
        'nothing captured',
        { REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: authorized.orderId, LI_VALUE_1: '3.00' },
        'order_state',
      ],
      [
        'too much refunded',
        { REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: sale.orderId, LI_VALUE_1: '30.00' },
        'order_state',
      ],
      ['order to void', { REQUEST_ACTION: 'CCREVERSE', REQUEST_REF_PO_ID: '1' }, 'order_state'],
      ['check digit', pays('10.00', { PMT_NUMB: '4111111111111112' }), 'card'],
      ['expired', pays('10.00', { PMT_EXPIRY: '012020' }), 'card'],
      ['nothing to sell', pays('0.00', { REQUEST_ACTION: 'CCAUTHCAP' }), 'card'],
      ['browser data', pays('10.00', { SITE_ID: '1003', REQUEST_ENROLLMENT: '1' }), 'browser_data'],
      ['let through', pays('10.00', { SITE_ID: '1003' }), 'result'],
      ['card testing', pays('10.00', { SITE_ID: '1003' }), 'card_testing'],
      [
        'not authenticated',
        enrolForm(CARD.notAuthenticated, await prepare(gateway, CARD.notAuthenticated)),
        'issuer',
      ],
      ['rejected', enrolForm(CARD.rejected, await prepare(gateway, CARD.rejected)), 'issuer'],
      ['challenge', enrolForm(CARD.challenged, await prepare(gateway, CARD.challenged)), 'issuer'],
      ...[
        '5.01',
        '5.02',
        '5.03',
        '5.04',
        '5.05',
        '5.06',
        '5.07',
        '5.18',
        '5.30',
        '6.00',
        '6.10',
        '6.20',
        '6.35',
        '6.60',
        '8.81',
      ].map(trigger),
      testCard('4000009000000417'),
      testCard('4000009000000433'),
      testCard('4242429000000001'),
      testCard('4000009000000110'),
      ['lost answer', pays('9104.00'), 'bank'],
      [
        'too little',
        pays('50.00', {
          PMT_NUMB: '4242429000000308',
          PARTIAL_AUTH: '1',
          PARTIAL_AUTH_MIN: '40.00',
        }),
        'partial',
      ],
      [
        'address',
        pays('5.08', { CHKAVS: 'T', BILL_ADDR: '1 Elsewhere', BILL_ADDR_ZIP: '99999' }),
        'address',
      ],
      ['security code', pays('7.25', { CHKCVV: 'T' }), 'security_code'],
      ['approved', pays('12.50'), 'result'],
    ]
    const found: [string, string][] = []
    for (const [name, form, step] of cases) {
      const { steps } = await explain(form)
      // The connection to the bank was closed, and is made again.
      if (name === 'lost answer') {
        await untilSeen(
          'a payment is approved: the link is up',
          async () => outcome(await gateway.client().authorize(payment('10.00'))),
          (seen) => seen === 'APPROVED 0/100',
        )
      }
      const decided = steps.filter(({ verdict }: { verdict: string }) => verdict === 'decided')
      assert.equal(decided.length, 1, name)
      found.push([name, decided[0].key])
      assert.ok(decided[0].says !== '', name)
      if (step !== 'result' && name !== 'challenge')
        assert.ok(decided[0].approve, `${name}: what would have approved it`)
      const behind = steps.slice(steps.indexOf(decided[0]) + 1)
      assert.ok(
        behind.every(({ verdict }: { verdict: string }) => verdict === 'not_reached'),
        name,
      )
    }
    assert.deepEqual(
      found,
      cases.map(([name, , step]) => [name, step]),
    )
  })

  test('the explanation names the trigger amount of the test bank, and later changes of the site', async () => {
    const id = await send(pays('5.07'))
    const { body } = await developer.get(`/developer/requests?id=${id}`)
    const { transactionId } = body.rows[0]
    await gateway.pool.query(
      `insert into audit_entries (actor, operation, object, merchant_id, result) values ('operator:x@y', 'site.three_ds_set', 'site 1001', 1, 'done')`,
    )

    const { body: why } = await developer.get(`/developer/why/${transactionId}`)
    const bank = why.steps.find(({ verdict }: { verdict: string }) => verdict === 'decided')
    assert.match(JSON.stringify(bank.inputs), /5\.07 USD is a trigger amount of the test bank/)
    assert.match(bank.approve, /no trigger amount/)
    assert.deepEqual(
      why.changes.map(({ operation }: { operation: string }) => operation),
      ['site.three_ds_set'],
    )
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    assert.equal((await otherOwner.get(`/developer/why/${transactionId}`)).status, 404)
  })

  test("the explanation repeats the advice that the card's network sent with its decline", async () => {
    const id = await send({
      REQUEST_ACTION: 'CCAUTHORIZE',
      PMT_NUMB: '5555555555554444',
      PMT_EXPIRY: '122039',
      PMT_KEY: '123',
      LI_VALUE_1: '12.50',
    })
    const { transactionId } = (await developer.get(`/developer/requests?id=${id}`)).body.rows[0]
    const set = (state: string, service: number, code: string) =>
      gateway.pool.query(
        'update transactions set state = $2, service_code = $3, response_code = $4 where id = $1',
        [transactionId, state, service, code],
      )
    await set('declined', 650, '05')
    await gateway.pool.query(
      `insert into account_updates (transaction_id, merchant_id, merchant_advice, at) values ($1, 1, '03', now())`,
      [transactionId],
    )

    const { steps } = (await developer.get(`/developer/why/${transactionId}`)).body
    assert.match(
      steps.find(({ verdict }: { verdict: string }) => verdict === 'decided').approve,
      /The network says: do not try again/,
    )
    await gateway.pool.query('delete from account_updates where transaction_id = $1', [
      transactionId,
    ])
    await set('approved', 100, '00')
  })

  test('a fault rule strikes the payments of the own sites, is on record, and another merchant neither sees nor removes it', async () => {
    // The rule strikes any message of the card, an advice of an earlier test too.
    await untilNoAdviceIsQueued(gateway)
    const rule = {
      site: '1001',
      last4: '1111',
      count: 1,
      action: { kind: 'code', code: '41', applied: false },
    }
    const added = await developer.post('/developer/bank/faults', rule)
    assert.equal(added.status, 200, added.text)
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    assert.deepEqual((await otherOwner.get('/developer/bank/faults')).body.rules, [])
    assert.equal((await otherOwner.remove(`/developer/bank/faults/${added.body.id}`)).status, 404)

    const struck = await gateway.client().authorize(payment('33.00'))
    const spared = await gateway.client().authorize(payment('33.00'))
    assert.deepEqual([struck.service.code, spared.status], ['615', 'APPROVED'])
    assert.equal((await developer.get('/developer/bank/faults')).body.rules[0].done, 1)
    assert.equal((await developer.remove(`/developer/bank/faults/${added.body.id}`)).status, 200)
    assert.deepEqual((await developer.get('/developer/bank/faults')).body.rules, [])
    const { rows } = await gateway.pool.query(
      `select operation, actor from audit_entries where object = 'test bank' order by number`,
    )
    assert.deepEqual(
      rows.map(({ operation }) => operation),
      ['bank.fault_added', 'bank.fault_removed'],
    )
    assert.match(rows[0].actor, /^portal:developer-/)
    const nonsense = await developer.post('/developer/bank/faults', {
      ...rule,
      action: { kind: 'explode' },
    })
    assert.deepEqual([nonsense.status, nonsense.body.error.code], [400, 'refused'])
    const reader = await signIn(gateway, await addPortalUser(gateway, 'read_only'))
    assert.equal((await reader.post('/developer/bank/faults', rule)).status, 403)
  })

  test('accounts at the test bank show what the own merchant has done there, and no whole card number', async () => {
    await gateway.client().authorize(payment('44.00', { cardNumber: '4242429000000100' }))

    const { body, text } = await developer.get('/developer/bank/accounts')
    const account = body.accounts.find(
      ({ last4, first6 }: { last4: string; first6: string }) =>
        last4 === '0100' && first6 === '424242',
    )
    assert.deepEqual(account.balances[0], {
      ...account.balances[0],
      currency: 'USD',
      availableMinor: '95600',
      heldMinor: '4400',
    })
    assert.equal(/\b\d{14,19}\b/.exec(text), null)
    const statement = await developer.get(`/developer/bank/statement?account=${account.id}`)
    assert.deepEqual(
      statement.body.lines.map(({ amountMinor, state }: { amountMinor: string; state: string }) => [
        amountMinor,
        state,
      ]),
      [['4400', 'held']],
    )
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    assert.deepEqual(
      (await otherOwner.get(`/developer/bank/statement?account=${account.id}`)).body.lines,
      [],
    )
  })

  test('test values come from the bank, and each has a request that names the chosen site', async () => {
    const { body, text } = await developer.get('/developer/test-values')
    const row = body.rows.find(({ value }: { value: string }) => value === '5.07')
    assert.match(row.outcome, /over the limit/)
    assert.equal(/\b\d{14,19}\b/.exec(text), null)
    const asked = await developer.get(
      `/developer/test-values/request?site=1003&key=${encodeURIComponent(row.key)}`,
    )
    assert.match(asked.body.curl, /'LI_VALUE_1=5\.07'/)
    assert.match(asked.body.curl, /'SITE_ID=1003'/)
    assert.equal(
      (
        await developer.get(
          `/developer/test-values/request?site=1002&key=${encodeURIComponent(row.key)}`,
        )
      ).status,
      404,
    )
  })

  test("a portal user moves a test site's clock, due work is done, and the audit log has their name", async () => {
    const before = await gateway
      .client(1003)
      .authorize(payment('5.55', { cardNumber: '5555555555554444' }))
    await gateway.pool.query(`delete from card_testing_policies where site_id = 1003`)

    const agenda = await developer.get('/developer/clocks/1003/agenda')
    assert.equal(agenda.status, 200, agenda.text)
    const moved = await developer.post('/developer/clocks/1003', {
      action: 'step',
      argument: 'P1D',
    })
    assert.equal(moved.status, 200, moved.text)
    assert.equal(moved.body.clock.hasOwnClock, true)
    const back = await developer.post('/developer/clocks/1003', {
      action: 'jump',
      argument: '2020-01-01T00:00:00Z',
    })
    assert.deepEqual([back.status, back.body.error.code], [409, 'backwards'])
    const { rows } = await gateway.pool.query(
      `select actor, result from audit_entries where operation = 'site.clock_changed' order by number`,
    )
    assert.deepEqual(
      rows.map(({ actor, result }) => [actor.startsWith('portal:developer-'), result]),
      [
        [true, 'done'],
        [true, 'refused'],
      ],
    )
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    assert.equal((await otherOwner.post('/developer/clocks/1003', { action: 'stop' })).status, 404)
    assert.ok(before.transactionId !== '')
  })

  test('a reset frees references, releases authorizations and leaves books that agree, while payments go on', async () => {
    const reference = newReference()
    const sold = await gateway
      .client()
      .sale(payment('20.00', { orderReference: reference, duplicates: 'refuse' }))
    const held = await gateway.client().authorize(payment('30.00'))
    const member = await ask(gateway, sale(monthly('Scenario paper', { CUST_LOGIN: 'reader' })))
    const key = 'reset-of-the-scenario-1'
    const wrong = await developer.post('/developer/resets', {
      key,
      site: '1001',
      confirmed: '1003',
    })
    assert.deepEqual([wrong.status, wrong.body.error.code], [400, 'not_confirmed'])

    const during = Array.from({ length: 5 }, () => gateway.client().sale(payment('11.00')))
    const reset = await developer.post('/developer/resets', {
      key,
      site: '1001',
      confirmed: '1001',
    })
    assert.ok((await Promise.all(during)).every(({ status }) => status === 'APPROVED'))
    assert.equal(reset.status, 200, reset.text)
    assert.ok(
      reset.body.doneAt !== null &&
        reset.body.done.authorizations > 0 &&
        reset.body.done.references > 0 &&
        reset.body.done.requests > 0,
    )
    const { rows: orders } = await gateway.pool.query(
      'select voided_minor, captured_minor from orders where id = any($1) order by id',
      [[sold.orderId, held.orderId]],
    )
    assert.deepEqual(
      orders.map((order) => [order.voided_minor, order.captured_minor]),
      [
        ['0', '2000'],
        ['3000', '0'],
      ],
    )
    assert.equal(
      (
        await gateway.pool.query(
          `select from order_claims where site_id = 1001 and state = 'approved' and reference = $1`,
          [reference],
        )
      ).rowCount,
      0,
    )

    assert.deepEqual([reset.body.done.memberships, reset.body.done.logins], [1, 1])
    const { rows: members } = await gateway.pool.query(
      'select state from memberships where id = $1',
      [member['MBSHP_ID_1']],
    )
    assert.equal(members[0].state, 'cancelled')

    const again = await developer.post('/developer/resets', {
      key,
      site: '1001',
      confirmed: '1001',
    })
    assert.deepEqual(
      [again.body.id, again.body.doneAt, again.body.done],
      [reset.body.id, reset.body.doneAt, reset.body.done],
    )
    await untilNoAdviceIsQueued(gateway)
    await assertBooksAgree(gateway)
    const client = await gateway.pool.connect()
    const broken = (
      await checkInvariants(client, { longestRunMs: 60_000, idMarks: new Map() })
    ).filter(({ count }) => count > 0)
    client.release()
    assert.deepEqual(
      broken.map(({ name }) => name),
      [],
    )
  })

  test('a reset leaves the requests of a time in which the site was live', async () => {
    const insert = (id: number, at: string): Promise<unknown> =>
      gateway.pool.query(
        `insert into requests values ($1, now() + $2::interval, 1, 1001, 'demo@tollgate.test', '127.0.0.1', 'CCSTATUS', '{}', 200, '0', 0, '', '', null, null, 1)`,
        [id, at],
      )
    await insert(1, '-2 days')
    const client = await gateway.pool.connect()
    await appendAudit(client, [
      {
        actor: 'operator',
        operation: 'site.mode_set',
        object: 'site 1001',
        merchantId: 1n,
        result: 'done',
        details: { before: 'live', after: 'test' },
      },
    ])
    client.release()
    await insert(2, '0 seconds')
    const reset = await developer.post('/developer/resets', {
      key: 'reset-of-the-scenario-2',
      site: '1001',
      confirmed: '1001',
    })
    assert.notEqual(reset.body.doneAt, null)
    const { rows } = await gateway.pool.query('select id from requests where id in (1, 2)')
    assert.deepEqual(rows, [{ id: '1' }])
  })

  test('neither the program nor the database resets a live site', async () => {
    // One transaction: the database holds a live site to the record of its move.
    await gateway.pool.query(`
      insert into sites (id, merchant_id, name, mode) values (1900, 1, 'Live', 'live');
      insert into audit_entries (actor, operation, object, result, details)
      values ('operator:ops@vm', 'site.mode_set', 'site 1900', 'done', '{"after":"live"}')`)

    const refused = await developer.post('/developer/resets', {
      key: 'reset-of-a-live-site',
      site: '1900',
      confirmed: '1900',
    })
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'live_site'])
    await assert.rejects(
      gateway.pool.query(
        `insert into site_resets (merchant_id, site_id, portal_user_id, key) select 1, 1900, id, 'sixteen-letters-or-more' from portal_users limit 1`,
      ),
      /not in test mode/,
    )
  })

  test('each of these operations is in the audit log as done', async () => {
    const operations = ['site.reset'] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  })
})
