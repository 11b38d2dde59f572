import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newReference, payment, untilRow } from '../support/payments.ts'
import { addPerson, signIn, STRANGER, type PortalUser } from '../support/portal.ts'
import { credentials, startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { CARD, enrolForm, prepare, untilCardRanges } from '../support/three-ds.ts'

suite('pages for developers', () => {
  let gateway: RunningGateway
  let developer: PortalUser
  before(async () => {
    gateway = await startRunningGateway({}, undefined, {}, { timeScale: 4 })
    developer = await signIn(gateway, await addPerson(gateway, 'developer'))
    await untilCardRanges(gateway)
  })
  after(() => gateway?.stop())

  /** Sends a form as it is. Gives the id of the request, which not every answer tells. */
  const send = async (form: Readonly<Record<string, string>>): Promise<string> => {
    const mark = newReference()
    const response = await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ ...credentials(), REQUEST_RESPONSE_FORMAT: 'JSON', XTL_UDF20: mark, ...form }),
    })
    await response.text()
    const row = await untilRow(gateway, `request ${mark}`, `select id from requests where parameters->>'XTL_UDF20' = $1`, [mark])
    return String(row['id'])
  }

  test('a refused request is in the log with its field, what its code means and no card data', async () => {
    const id = await send({ REQUEST_ACTION: 'CCAUTHORIZE', PMT_NUMB: '4111111111111111', PMT_EXPIRY: '122039', PMT_KEY: '123', LI_VALUE_1: 'ten' })

    const list = await developer.get('/developer/requests?outcome=refused&api=112')
    assert.equal(list.status, 200, list.text)
    assert.equal(list.body.rows[0].id, id)
    const { body, text } = await developer.get(`/developer/requests/${id}`)
    assert.deepEqual([body.refField, body.refusal.name, body.outcome], ['LI_VALUE_1', 'value_not_numeric', 'refused'])
    assert.ok(body.curl.includes(`--data-urlencode 'PMT_NUMB=<card number>'`), body.curl)
    assert.ok(body.curl.includes(`'REQ_PASSWORD=<password>'`) && body.curl.includes(`'PMT_KEY=<security code>'`))
    assert.ok(!text.includes('4111111111111111') && !text.includes('Sandbox-4.14'))
  })

  test('a request is found by its order, and is not there for another merchant or a role without the right', async () => {
    const sale = await gateway.client().sale(payment('12.50'))
    await untilRow(gateway, 'request', 'select * from requests where order_id = $1', [sale.orderId])

    const { body } = await developer.get(`/developer/requests?id=${sale.orderId}`)
    assert.deepEqual(body.rows.map(({ transactionId }: { transactionId: string }) => transactionId), [sale.transactionId])
    const [stranger, support] = await Promise.all([signIn(gateway, STRANGER), signIn(gateway, await addPerson(gateway, 'support'))])
    const [{ id }] = body.rows
    assert.equal((await stranger.get(`/developer/requests/${id}`)).status, 404)
    assert.deepEqual((await stranger.get(`/developer/requests?id=${sale.orderId}`)).body.rows, [])
    assert.equal((await support.get(`/developer/requests/${id}`)).status, 403)
  })

  type Form = Readonly<Record<string, string>>
  const CARD_FORM: Form = { REQUEST_ACTION: 'CCAUTHORIZE', PMT_NUMB: '4111111111111111', PMT_EXPIRY: '122039', PMT_KEY: '123' }
  const pays = (amount: string, more: Form = {}): Form => ({ ...CARD_FORM, LI_VALUE_1: amount, ...more })
  const explain = async (form: Form) => (await developer.get(`/developer/requests/${await send(form)}/why`)).body

  test('every kind of refusal and decline is explained by the step that made it, and by no other', async () => {
    await gateway.pool.query(
      `insert into card_testing_policies (site_id, mode, rules) values (1003, 'enforce', $1)`,
      [JSON.stringify([{ name: 'one-a-day', subject: 'site', counts: 'attempts', limit: 1, windowSeconds: 86_400, code: 601 }])],
    )
    await gateway.pool.query('update sites set three_ds_required = true where id = 1003')
    const sold = newReference()
    const sale = await gateway.client().sale(payment('20.00', { orderReference: sold }))
    const authorized = await gateway.client().authorize(payment('20.00'))
    const trigger = (amount: string): readonly [string, Form, string] => [`trigger ${amount}`, pays(amount), 'bank']
    const deck = (number: string, more: Form = {}): readonly [string, Form, string] => [`deck ${number}`, pays('50.00', { PMT_NUMB: number, ...more }), 'bank']
    const cases: readonly (readonly [name: string, form: Form, step: string])[] = [
      ['no number', pays('ten'), 'parameters'],
      ['no expiry', { REQUEST_ACTION: 'CCAUTHORIZE', PMT_NUMB: '4111111111111111', PMT_KEY: '123', LI_VALUE_1: '10.00' }, 'parameters'],
      ['no such month', pays('10.00', { PMT_EXPIRY: '132039' }), 'parameters'],
      ['version', pays('10.00', { REQUEST_API_VERSION: '4.13' }), 'action'],
      ['action', pays('10.00', { REQUEST_ACTION: 'CCNOTHING' }), 'action'],
      ['account', pays('10.00', { MERCH_ACCT_ID: '999999' }), 'references'],
      ['customer', pays('10.00', { CUST_ID: '1' }), 'references'],
      ['currency', pays('10.00', { REQUEST_CURRENCY: 'XQX' }), 'references'],
      ['order to show', { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: '1' }, 'references'],
      ['duplicate', pays('10.00', { XTL_ORDER_ID: sold, UNIQUE_XTL_ORDER_ID: '1' }), 'duplicate'],
      ['membership', { REQUEST_ACTION: 'SUB_CANCEL', CUST_ID: '1', REQUEST_REF_MBSHP_ID: '1', SUB_CANCEL_TYPE: '1' }, 'subscription'],
      ['too much captured', { REQUEST_ACTION: 'CCCAPTURE', REQUEST_REF_PO_ID: authorized.orderId, LI_VALUE_1: '30.00' }, 'order_state'],
      ['nothing captured', { REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: authorized.orderId, LI_VALUE_1: '3.00' }, 'order_state'],
      ['too much credited', { REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: sale.orderId, LI_VALUE_1: '30.00' }, 'order_state'],
      ['order to void', { REQUEST_ACTION: 'CCREVERSE', REQUEST_REF_PO_ID: '1' }, 'order_state'],
      ['check digit', pays('10.00', { PMT_NUMB: '4111111111111112' }), 'card'],
      ['expired', pays('10.00', { PMT_EXPIRY: '012020' }), 'card'],
      ['nothing to sell', pays('0.00', { REQUEST_ACTION: 'CCAUTHCAP' }), 'card'],
      ['browser data', pays('10.00', { SITE_ID: '1003', REQUEST_ENROLLMENT: '1' }), 'browser_data'],
      ['let through', pays('10.00', { SITE_ID: '1003' }), 'result'],
      ['card testing', pays('10.00', { SITE_ID: '1003' }), 'card_testing'],
      ['not authenticated', enrolForm(CARD.notAuthenticated, await prepare(gateway, CARD.notAuthenticated)), 'issuer'],
      ['rejected', enrolForm(CARD.rejected, await prepare(gateway, CARD.rejected)), 'issuer'],
      ['challenge', enrolForm(CARD.challenged, await prepare(gateway, CARD.challenged)), 'issuer'],
      ...['5.01', '5.02', '5.03', '5.04', '5.05', '5.06', '5.07', '5.18', '5.30', '6.00', '6.10', '6.20', '6.35', '6.60', '8.81'].map(trigger),
      deck('4000009000000417'),
      deck('4000009000000433'),
      deck('4242429000000001'),
      deck('4000009000000110'),
      ['lost answer', pays('9104.00'), 'bank'],
      ['too little', pays('50.00', { PMT_NUMB: '4242429000000308', PARTIAL_AUTH: '1', PARTIAL_AUTH_MIN: '40.00' }), 'partial'],
      ['address', pays('5.08', { CHKAVS: 'T', BILL_ADDR: '1 Elsewhere', BILL_ADDR_ZIP: '99999' }), 'address'],
      ['security code', pays('7.25', { CHKCVV: 'T' }), 'security_code'],
      ['approved', pays('12.50'), 'result'],
    ]
    const found: [string, string][] = []
    for (const [name, form, step] of cases) {
      const { steps } = await explain(form)
      const decided = steps.filter(({ verdict }: { verdict: string }) => verdict === 'decided')
      assert.equal(decided.length, 1, name)
      found.push([name, decided[0].key])
      assert.ok(decided[0].says !== '', name)
      if (step !== 'result' && name !== 'challenge') assert.ok(decided[0].approve, `${name}: what would have approved it`)
      const behind = steps.slice(steps.indexOf(decided[0]) + 1)
      assert.ok(behind.every(({ verdict }: { verdict: string }) => verdict === 'not_reached'), name)
    }
    assert.deepEqual(found, cases.map(([name, , step]) => [name, step]))
  })

  test('what a test value of the bank did is named, and what was changed at the site since', async () => {
    const id = await send(pays('5.07'))
    const { body } = await developer.get(`/developer/requests?id=${id}`)
    const { transactionId } = body.rows[0]
    await gateway.pool.query(
      `insert into audit_entries (actor, act, object, merchant_id, result) values ('operator:x@y', 'site.three_ds_set', 'site 1001', 1, 'done')`,
    )

    const { body: why } = await developer.get(`/developer/why/${transactionId}`)
    const bank = why.steps.find(({ verdict }: { verdict: string }) => verdict === 'decided')
    assert.match(JSON.stringify(bank.inputs), /5\.07 USD is a trigger amount of the test bank/)
    assert.match(bank.approve, /no trigger amount/)
    assert.deepEqual(why.changes.map(({ act }: { act: string }) => act), ['site.three_ds_set'])
    const stranger = await signIn(gateway, STRANGER)
    assert.equal((await stranger.get(`/developer/why/${transactionId}`)).status, 404)
  })
})
