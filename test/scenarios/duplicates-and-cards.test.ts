import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  EXPIRY,
  MASTERCARD,
  newReference,
  outcome,
  payment,
  postForm,
  untilRow,
  VISA,
} from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

const AT_ONCE = 20

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

const shop = () => gateway.client()

/** How many authorizations the bank has approved and holds or has captured. */
function approvalsAtTheBank(): number {
  let count = 0
  for (const [, entry] of gateway.bank.books.messages.all()) if (entry.kind === 'auth') count += 1
  return count
}

suite('duplicates (O10)', () => {
  test('0: the same reference is taken as often as it comes', async () => {
    const orderReference = newReference()
    const ask = () => shop().sale(payment('10', { orderReference, duplicates: 'allow' }))
    const [first, second] = [await ask(), await ask()]
    assert.equal(`${outcome(first)} ${outcome(second)}`, 'APPROVED 0/100 APPROVED 0/100')
    assert.notEqual(first.orderId, second.orderId)
  })

  test('1: a reference of an approved order is refused with 685', async () => {
    const orderReference = newReference()
    const ask = () => shop().sale(payment('10', { orderReference, duplicates: 'refuse' }))
    assert.equal(outcome(await ask()), 'APPROVED 0/100')
    assert.equal(outcome(await ask()), 'REFUSED 0/685 XTL_ORDER_ID')
  })

  test('1: a declined order does not use its reference up', async () => {
    const orderReference = newReference()
    const ask = (amount: string) =>
      shop().sale(payment(amount, { orderReference, duplicates: 'refuse' }))
    assert.equal(outcome(await ask('6.00')), 'DECLINED 0/600')
    assert.equal(outcome(await ask('10')), 'APPROVED 0/100')
  })

  test('1: another site may use the same reference', async () => {
    const orderReference = newReference()
    const request = payment('10', { orderReference, duplicates: 'refuse' })
    assert.equal(outcome(await shop().sale(request)), 'APPROVED 0/100')
    assert.equal(outcome(await gateway.client(1003).sale(request)), 'APPROVED 0/100')
  })

  test('2: the repeat gets the stored answer under a REQ_ID of its own', async () => {
    const orderReference = newReference()
    const ask = () => shop().sale(payment('10', { orderReference, duplicates: 'replay' }))
    const [first, second] = [await ask(), await ask()]
    assert.equal(outcome(first), 'APPROVED 0/100')
    assert.notEqual(first.requestId, second.requestId)
    assert.deepEqual({ ...second.raw, REQ_ID: '' }, { ...first.raw, REQ_ID: '' })
  })

  test('2: the repeat is answered in the format that it asks for', async () => {
    const form = {
      REQUEST_ACTION: 'CCAUTHCAP',
      PMT_NUMB: VISA,
      PMT_EXPIRY: EXPIRY,
      LI_VALUE_1: '10',
      XTL_ORDER_ID: newReference(),
      UNIQUE_XTL_ORDER_ID: '2',
    }
    const json = await postForm(gateway, { ...form, REQUEST_RESPONSE_FORMAT: 'JSON' })
    const first = JSON.parse(json.text) as Record<string, unknown>
    const xml = await postForm(gateway, form)
    assert.match(xml.text, new RegExp(`<TRANS_ID>${String(first['TRANS_ID'])}</TRANS_ID>`))
  })

  test('2: other content under the same reference is 685', async () => {
    const orderReference = newReference()
    const ask = (amount: string, more: object = {}) =>
      shop().sale(payment(amount, { orderReference, duplicates: 'replay', ...more }))
    assert.equal(outcome(await ask('10')), 'APPROVED 0/100')
    const changes: readonly Promise<Transaction>[] = [
      ask('10.01'),
      ask('10', { currency: 'EUR' }),
      ask('10', { cardNumber: MASTERCARD }),
      shop().authorize(payment('10', { orderReference, duplicates: 'replay' })),
    ]
    for (const answer of await Promise.all(changes)) {
      assert.equal(outcome(answer), 'REFUSED 0/685 XTL_ORDER_ID')
    }
  })

  test('1 and 2 without a reference are 110', async () => {
    for (const duplicates of ['refuse', 'replay'] as const) {
      const answer = await shop().sale(payment('10', { duplicates }))
      assert.equal(outcome(answer), 'REFUSED 110/0 XTL_ORDER_ID')
    }
  })

  test('2: twenty at once make one approval at the bank and one TRANS_ID in all answers', async () => {
    const before = approvalsAtTheBank()
    const request = payment('10', { orderReference: newReference(), duplicates: 'replay' })
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => shop().sale(request)))
    assert.deepEqual([...new Set(answers.map(outcome))], ['APPROVED 0/100'])
    assert.equal(new Set(answers.map(({ transactionId }) => transactionId)).size, 1)
    assert.equal(new Set(answers.map(({ requestId }) => requestId)).size, AT_ONCE)
    assert.equal(approvalsAtTheBank() - before, 1)
  })

  test('1: twenty at once make one approval at the bank and nineteen refusals', async () => {
    const before = approvalsAtTheBank()
    const request = payment('10', { orderReference: newReference(), duplicates: 'refuse' })
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => shop().sale(request)))
    assert.equal(answers.filter(({ approved }) => approved).length, 1)
    assert.equal(answers.filter(({ service }) => service.code === '685').length, AT_ONCE - 1)
    assert.equal(approvalsAtTheBank() - before, 1)
  })
})

suite('saved cards (O11)', () => {
  test('CUST_ID alone is the card used last; PMT_ID and PMT_L4 choose another', async () => {
    const first = await shop().sale(payment('10'))
    const { customerId } = first
    const second = await shop().sale(payment('10', { customerId, cardNumber: MASTERCARD }))
    assert.equal(second.customerId, customerId)
    assert.notEqual(second.paymentMethodId, first.paymentMethodId)

    const lastUsed = await shop().sale({ customerId, amount: '5' })
    assert.equal(`${outcome(lastUsed)} ${lastUsed.last4}`, 'APPROVED 0/100 4444')
    const byId = await shop().sale({
      customerId,
      paymentMethodId: first.paymentMethodId,
      amount: '5',
    })
    assert.equal(`${byId.last4} ${byId.paymentMethodId}`, `1111 ${first.paymentMethodId}`)
    assert.equal((await shop().sale({ customerId, amount: '5' })).last4, '1111')
    assert.equal((await shop().sale({ customerId, last4: '4444', amount: '5' })).last4, '4444')
  })

  test('PMT_ID_XTL finds the card that was saved under it', async () => {
    const first = await shop().sale(payment('10', { more: { PMT_ID_XTL: 'my-card' } }))
    assert.equal(first.raw['PMT_ID_XTL'], 'my-card')
    const { customerId } = first
    await shop().sale(payment('10', { customerId, cardNumber: MASTERCARD }))
    const again = await shop().sale({ customerId, amount: '5', more: { PMT_ID_XTL: 'my-card' } })
    assert.equal(`${outcome(again)} ${again.last4}`, 'APPROVED 0/100 1111')
  })

  test('the same number again is the same card of the customer', async () => {
    const { customerId, paymentMethodId } = await shop().sale(payment('10'))
    const again = await shop().sale(payment('10', { customerId }))
    assert.equal(again.paymentMethodId, paymentMethodId)
  })

  test('an unknown customer is 115, an unknown card 113, a selector alone 110', async () => {
    const ask = async (more: object) => outcome(await shop().sale({ amount: '5', ...more }))
    const { customerId } = await shop().sale(payment('10'))
    assert.equal(await ask({ customerId: '999999' }), 'REFUSED 115/0')
    assert.equal(await ask({ customerId, paymentMethodId: '999999' }), 'REFUSED 113/0 PMT_ID')
    assert.equal(await ask({ customerId, last4: '9999' }), 'REFUSED 113/0 PMT_L4')
    assert.equal(await ask({ paymentMethodId: '7001' }), 'REFUSED 110/0 CUST_ID')
    assert.equal(
      await ask({ customerId, more: { PMT_ID_XTL: 'nobody' } }),
      'REFUSED 113/0 PMT_ID_XTL',
    )
  })

  test("another merchant's customer is unknown, the merchant's other site knows it", async () => {
    const { customerId } = await shop().sale(payment('10'))
    const foreign = await gateway.client(1002).sale({ customerId, amount: '5' })
    assert.equal(outcome(foreign), 'REFUSED 115/0')
    const own = await gateway.client(1003).sale({ customerId, amount: '5' })
    assert.equal(outcome(own), 'APPROVED 0/100')
  })

  test('cards of test payments are not found by live ones, nor the other way round', async () => {
    const { customerId, paymentMethodId } = await shop().sale(payment('10'))
    await gateway.pool.query(`update payment_methods set mode = 'live' where id = $1`, [
      paymentMethodId,
    ])
    const ofLive = await shop().sale({ customerId, amount: '5' })
    assert.equal(outcome(ofLive), 'REFUSED 113/0 CUST_ID')
  })

  test('a login name stands for one customer of a site: 695', async () => {
    const login = `login-${newReference()}`
    const ask = (more: Record<string, string> = {}) =>
      shop().sale(
        payment('10', { more: { CUST_LOGIN: login, CUST_PASSWORD: 'Some-secret-9', ...more } }),
      )
    assert.equal(outcome(await ask()), 'APPROVED 0/100')
    assert.equal((await ask()).service.code, '695')
  })
})

suite('unreferenced credits (O7)', () => {
  const form = {
    REQUEST_ACTION: 'CCCREDIT',
    FORCE_CREDIT: '1',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: '10',
    REQUEST_RESPONSE_FORMAT: 'JSON',
  }

  test('an account that allows them sends the money', async () => {
    const raw = await gateway.client(1003).raw(form)
    assert.equal(raw['TRANS_STATUS_NAME'], 'APPROVED')
    assert.equal(raw['TRANS_VALUE'], -10)
    assert.equal(raw['TRANS_VALUE_SETTLED'], -10)
    assert.equal(raw['PO_LI_AMOUNT_1'], '-10.00')
  })

  test('another account refuses with 104, and an order beside it is 113', async () => {
    assert.equal((await shop().raw(form))['API_RESPONSE'], '104')
    const { orderId } = await gateway.client(1003).sale(payment('10'))
    const both = await gateway.client(1003).raw({ ...form, REQUEST_REF_PO_ID: orderId })
    assert.equal(both['API_RESPONSE'], '113')
  })

  test('nothing can be captured, refunded or voided of one', async () => {
    const { PO_ID: orderId } = await gateway.client(1003).raw(form)
    const wide = gateway.client(1003)
    const named = { orderId: String(orderId), amount: '1' }
    for (const [action, code] of [
      ['capture', 507],
      ['refund', 536],
      ['void', 505],
      ['captureVoid', 580],
    ] as const) {
      assert.equal(outcome(await wide[action](named)), `DECLINED 0/${code}`, action)
    }
  })
})

suite('wide sites (R11)', () => {
  test('wide sites (R11) take any version and answer 4.14', async () => {
    const version = { REQUEST_ACTION: 'TESTAUTH', REQUEST_API_VERSION: '4.8' }
    const wide = await gateway.client(1003).raw(version)
    assert.equal(`${wide['API_RESPONSE']} ${wide['REQUEST_API_VERSION']}`, '0 4.14')
    const strict = await shop().raw(version)
    assert.equal(`${strict['API_RESPONSE']} ${strict['REF_FIELD']}`, '113 REQUEST_API_VERSION')
  })

  test('capture and refund all that is left when no amount is sent', async () => {
    const wide = gateway.client(1003)
    const { orderId } = await wide.authorize(payment('10'))
    await wide.capture({ orderId, amount: '4' })
    assert.equal((await wide.capture({ orderId })).value, '6')
    await wide.refund({ orderId, amount: '1' })
    assert.equal((await wide.refund({ orderId })).value, '-9')
  })

  const post = async (
    site: 1001 | 1003,
    form: Readonly<Record<string, string>>,
    type = 'application/x-www-form-urlencoded',
  ): Promise<Record<string, unknown>> => {
    const text = new URLSearchParams({
      ...credentials(site),
      REQUEST_RESPONSE_FORMAT: 'JSON',
      ...form,
    }).toString()
    // URLSearchParams writes UTF-8; this is what a program that knows only ISO-8859-1 sends.
    const body = Buffer.from(text.replaceAll('%C3%BC', 'ü'), 'latin1')
    const url = new URL('/payment/pmt_service.cfm', gateway.baseUrl)
    const headers = { 'content-type': type }
    const answer = await fetch(url, { method: 'POST', headers, body })
    return (await answer.json()) as Record<string, unknown>
  }
  const sale = (city: string) => ({
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: '3.00',
    BILL_ADDR_CITY: city,
  })
  const codesOf = (record: Record<string, unknown>): string =>
    `${record['API_RESPONSE']}/${record['SERVICE_RESPONSE']} ${record['REF_FIELD']}`.trim()

  test('wide sites (R11) read a body without a charset whose bytes are no UTF-8 as ISO-8859-1', async () => {
    const wide = await post(1003, sale('Zürich'))
    assert.equal(codesOf(wide), '0/100')
    const { rows } = await gateway.pool.query<{ city: string }>(
      `select billing->>'city' as city from customers where id = $1`,
      [wide['CUST_ID']],
    )
    assert.deepEqual(rows, [{ city: 'Zürich' }])
    const logged = await untilRow(
      gateway,
      'the request is logged',
      'select parameters::text as text from requests where id = $1',
      [wide['REQ_ID']],
    )
    assert.match(String(logged['text']), /Zürich/)

    const type = 'application/x-www-form-urlencoded; charset=utf-8'
    assert.equal(codesOf(await post(1003, sale('Zürich'), type)), '113/0 BILL_ADDR_CITY')
  })

  test('strict sites and unauthenticated clients get 113 for such a body, as ever', async () => {
    assert.equal(codesOf(await post(1001, sale('Zürich'))), '113/0 BILL_ADDR_CITY')
    const form = { ...sale('Zürich'), REQ_PASSWORD: 'wrong' }
    assert.equal(codesOf(await post(1003, form)), '113/0 BILL_ADDR_CITY')
  })

  test('CCTRANSUPDATE reads RECEIPT, and is content with fields of the merchant alone', async () => {
    const { orderId } = await gateway.client(1003).sale(payment('4'))
    const update = { REQUEST_ACTION: 'CCTRANSUPDATE', REQUEST_REF_PO_ID: orderId }
    assert.ok(Array.isArray((await post(1003, { ...update, RECEIPT: 'PGh0bWw+' }))['DATA']))
    const fields = { XTL_UDF01: 'blue', XTL_UDF20: '4111 1111 1111 1111' }
    assert.ok(Array.isArray((await post(1003, { ...update, ...fields }))['DATA']))
    assert.ok(Array.isArray((await post(1003, { ...update, XTL_UDF01: 'green' }))['DATA']))
    const { rows } = await gateway.pool.query(
      `select receipt, extras->>'XTL_UDF01' as one, extras->>'XTL_UDF20' as twenty
         from orders where id = $1`,
      [orderId],
    )
    assert.deepEqual(rows, [{ receipt: 'PGh0bWw+', one: 'green', twenty: '411111******1111' }])
  })

  test('strict sites ignore RECEIPT and fields of the merchant on CCTRANSUPDATE', async () => {
    const { orderId } = await shop().sale(payment('4'))
    const update = { REQUEST_ACTION: 'CCTRANSUPDATE', REQUEST_REF_PO_ID: orderId }
    for (const ignored of [{ RECEIPT: 'PGh0bWw+' }, { XTL_UDF01: 'blue' }]) {
      const refused = await post(1001, { ...update, ...ignored })
      assert.equal(codesOf(refused), '110/0 TRANS_CUSTOMER_RECEIPT')
    }
    const long = { ...update, MBSHP_ID_XTL: 'club', XTL_UDF01: 'x'.repeat(300) }
    assert.ok(Array.isArray((await post(1001, long))['DATA']))
    const { rows } = await gateway.pool.query(
      `select receipt, extras->>'XTL_UDF01' as one from orders where id = $1`,
      [orderId],
    )
    assert.deepEqual(rows, [{ receipt: null, one: null }])
  })

  test('wide sites (R11) take any CUST_PASSWORD, which strict sites judge', async () => {
    for (const CUST_PASSWORD of ['short', 'x'.repeat(300)]) {
      const form = { ...sale('Bonn'), CUST_PASSWORD }
      assert.equal(codesOf(await post(1003, form)), '0/100')
      assert.match(codesOf(await post(1001, form)), /^11[13]\/0 CUST_PASSWORD$/)
    }
  })

  test('wide sites (R11) take a CUST_LOGIN of the same XTL_CUST_ID as that customer, which strict sites refuse', async () => {
    for (const [site, again] of [
      [1003, '0/100'],
      [1001, '0/695'],
    ] as const) {
      const login = { CUST_LOGIN: `anna-${site}`, XTL_CUST_ID: 'A-1' }
      const first = await post(site, { ...sale('Bonn'), ...login })
      assert.equal(codesOf(first), '0/100')
      const second = await post(site, { ...sale('Bonn'), ...login, LI_VALUE_1: '4.00' })
      assert.equal(codesOf(second), again)
      if (site === 1001) continue
      assert.equal(second['CUST_ID'], first['CUST_ID'])
      assert.equal(second['PMT_ID'], first['PMT_ID'])
      const other = { ...login, XTL_CUST_ID: 'B-2' }
      assert.equal(codesOf(await post(site, { ...sale('Bonn'), ...other })), '0/695')
      const none = { CUST_LOGIN: login.CUST_LOGIN }
      assert.equal(codesOf(await post(site, { ...sale('Bonn'), ...none })), '0/695')
    }
  })

  test('a repeat in mode 2 with a CUST_LOGIN gets the answer of the first', async () => {
    const form = {
      ...sale('Bonn'),
      CUST_LOGIN: 'berta',
      XTL_CUST_ID: 'B-1',
      XTL_ORDER_ID: newReference(),
      UNIQUE_XTL_ORDER_ID: '2',
    }
    const [first, second] = [await post(1003, form), await post(1003, form)]
    assert.equal(codesOf(second), '0/100')
    assert.equal(second['TRANS_ID'], first['TRANS_ID'])
  })
})
