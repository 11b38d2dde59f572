import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { untilSeen } from '../support/eventually.ts'
import {
  ask,
  codes,
  monthly,
  sale,
  untilCatalogueIsKnown,
  type Record,
} from '../support/memberships.ts'
import { newReference } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

let gateway: RunningGateway

before(async () => {
  gateway = await startRunningGateway()
  // Products that were there before the first payment of this file.
  await gateway.pool.query(`
    insert into products (site_id, code, name, type, metric, period, price_minor, currency, active) values
      (1001, 'plan', 'Plan', 'renews', 'M', 1, 1000, 'USD', true),
      (1001, 'plan-2', 'Plan 2', 'renews', 'M', 2, 1500, 'USD', true),
      (1001, 'pass', 'Pass', 'ends', 'D', 30, 500, 'USD', true),
      (1001, 'euro', 'Euro', 'renews', 'M', 1, 1000, 'EUR', true),
      (1001, 'gone', 'Gone', 'renews', 'M', 1, 1100, 'USD', false),
      (1002, 'theirs', 'Theirs', 'renews', 'M', 1, 1000, 'USD', true)`)
  await gateway.pool.query(`insert into products (site_id, code) values (1001, 'book')`)
  await untilCatalogueIsKnown(gateway, 'gone')
})
after(() => gateway.stop())

const approved = async (form: Parameters<typeof ask>[1]): Promise<Record> => {
  const answer = await ask(gateway, form)
  assert.equal(codes(answer), 'APPROVED 0/100')
  return answer
}

const cancel = (id = '', more = {}): Promise<Record> =>
  ask(gateway, { REQUEST_ACTION: 'SUB_CANCEL', REQUEST_REF_MBSHP_ID: id, ...more })

const update = (id = '', more = {}): Promise<Record> =>
  ask(gateway, { REQUEST_ACTION: 'SUB_UPDATE', REQUEST_REF_MBSHP_ID: id, ...more })

async function row(id = ''): Promise<{ [name: string]: unknown }> {
  const { rows } = await gateway.pool.query<{ [name: string]: unknown }>(
    'select * from memberships where id = $1',
    [id],
  )
  assert.ok(rows[0])
  return rows[0]
}

async function count(sql: string, values: readonly unknown[] = []): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: number }>(`select count(*)::int from ${sql}`, [
    ...values,
  ])
  return rows[0]?.count ?? -1
}

test('a sale that defines a product begins a membership of it', async () => {
  const answer = await approved(sale(monthly('Gold')))
  const { MBSHP_ID_1: id, PO_LI_PROD_ID_1: product, PO_ID: order } = answer
  const membership = await row(id)
  assert.equal(membership['state'], 'active')
  assert.equal(membership['product'], product)
  assert.equal(membership['price_minor'], '1995')
  assert.equal(membership['order_id'], order)
  assert.equal(membership['order_line_id'], answer['PO_LI_ID_1'])
  assert.equal(membership['customer_id'], answer['CUST_ID'])
  assert.equal(membership['payment_method_id'], answer['PMT_ID'])
  assert.equal(membership['network_transaction_id'], answer['CARD_BRAND_TRANSID'])
  assert.equal(membership['next_kind'], 'renewal')
  assert.equal(await count('orders where id = $1 and captured_minor = 1995', [order]), 1)
})

test('an authorization begins one too, and its captures name it', async () => {
  const answer = await approved(sale({ ...monthly('Gold'), REQUEST_ACTION: 'CCAUTHORIZE' }))
  assert.notEqual(answer['MBSHP_ID_1'], '')
  const capture = await approved({
    REQUEST_ACTION: 'CCCAPTURE',
    REQUEST_REF_PO_ID: answer['PO_ID'] ?? '',
    LI_VALUE_1: '5.00',
  })
  assert.equal(capture['MBSHP_ID_1'], answer['MBSHP_ID_1'])
})

test('a definition that the site has already is the same product', async () => {
  const first = await approved(sale(monthly('Same')))
  const second = await approved(sale(monthly('Same')))
  const other = await approved(sale({ ...monthly('Same'), LI_VALUE_1: '19.96' }))
  assert.equal(second['PO_LI_PROD_ID_1'], first['PO_LI_PROD_ID_1'])
  assert.notEqual(second['MBSHP_ID_1'], first['MBSHP_ID_1'])
  assert.notEqual(other['PO_LI_PROD_ID_1'], first['PO_LI_PROD_ID_1'])
})

test('twelve payments that define a product at once make one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => approved(sale(monthly('At once')))),
  )
  assert.equal(new Set(answers.map((answer) => answer['PO_LI_PROD_ID_1'])).size, 1)
  assert.equal(new Set(answers.map((answer) => answer['MBSHP_ID_1'])).size, 12)
  assert.equal(await count(`products where name = 'At once'`), 1)
})

test('a line that names a product of a membership begins one, and the first payment is what the line says', async () => {
  const answer = await approved(sale({ LI_PROD_ID_1: 'plan', LI_VALUE_1: '1.00' }))
  const membership = await row(answer['MBSHP_ID_1'])
  assert.equal(membership['product'], 'plan')
  assert.equal(membership['price_minor'], '1000')
})

test('a product that a payment has just defined is sold by its number at once', async () => {
  const { PO_LI_PROD_ID_1: product = '' } = await approved(sale(monthly('Right away')))
  const second = await approved(sale({ LI_PROD_ID_1: product }))
  assert.notEqual(second['MBSHP_ID_1'], '')
})

test('of several lines those begin memberships that sell one', async () => {
  const answer = await approved(
    sale({
      ...monthly('Among goods'),
      LI_PROD_ID_1: 'book',
      LI_PROD_ID_2: 'pass',
      LI_VALUE_2: '5.00',
      LI_VALUE_3: '7.00',
      LI_PROD_ID_4: 'anything',
      LI_VALUE_4: '1.00',
    }),
  )
  assert.equal(answer['MBSHP_ID_1'], '')
  assert.equal((await row(answer['MBSHP_ID_2']))['type'], 'ends')
  assert.equal((await row(answer['MBSHP_ID_3']))['price_minor'], '700')
  assert.equal(answer['MBSHP_ID_4'], '')
})

test('a line beside PROD_* may name a product of its own; the definition counts', async () => {
  const answer = await approved(sale({ ...monthly('Counts'), LI_PROD_ID_1: 'book' }))
  assert.notEqual(answer['PO_LI_PROD_ID_1'], 'book')
  assert.notEqual(answer['MBSHP_ID_1'], '')
})

test('a card number in the name of a product is cut down before anything is kept', async () => {
  const answer = await approved(sale(monthly('Gold 4012 8888 8888 1881')))
  const { rows } = await gateway.pool.query<{ name: string }>(
    'select name from products where code = $1',
    [answer['PO_LI_PROD_ID_1']],
  )
  assert.match(rows[0]?.name ?? '', /^Gold 401288\D+1881$/)
})

test('the longest period there is can be stored', async () => {
  const answer = await approved(
    sale(monthly('Ages', { PROD_REBILL_METRIC: 'Y', PROD_REBILL_PERIOD: '9999' })),
  )
  const cancelled = await cancel(answer['MBSHP_ID_1'])
  assert.match(cancelled['MBSHP_CANCEL_TS_UTC'] ?? '', /^[A-Z][a-z]+, \d\d 1\d{4} \d\d:\d\d:\d\d$/)
})

test('a repeated request returns the same membership of a line and makes no second one', async () => {
  const form = sale({
    ...monthly('Repeat'),
    XTL_ORDER_ID: newReference(),
    UNIQUE_XTL_ORDER_ID: '2',
  })
  const first = await approved(form)
  const again = await approved(form)
  assert.equal(again['TRANS_ID'], first['TRANS_ID'])
  assert.equal(again['MBSHP_ID_1'], first['MBSHP_ID_1'])
  assert.equal(await count('memberships where order_id = $1', [first['PO_ID']]), 1)
})

test('a repeat by the saved card gets its answer, not 690', async () => {
  const { CUST_ID = '' } = await approved(sale())
  const form = {
    REQUEST_ACTION: 'CCAUTHCAP',
    CUST_ID,
    LI_PROD_ID_1: 'plan',
    LI_VALUE_1: '10.00',
    XTL_ORDER_ID: newReference(),
    UNIQUE_XTL_ORDER_ID: '2',
  }
  const first = await approved(form)
  const again = await approved(form)
  assert.equal(again['MBSHP_ID_1'], first['MBSHP_ID_1'])
})

test('repeats at once by the saved card begin one membership, and all get its answer', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { CUST_ID = '' } = await approved(sale())
    const form = {
      REQUEST_ACTION: 'CCAUTHCAP',
      CUST_ID,
      LI_PROD_ID_1: 'plan',
      LI_VALUE_1: '10.00',
      XTL_ORDER_ID: newReference(),
      UNIQUE_XTL_ORDER_ID: '2',
    }
    const answers = await Promise.all(Array.from({ length: 8 }, () => approved(form)))
    assert.equal(new Set(answers.map((answer) => answer['MBSHP_ID_1'])).size, 1)
    assert.equal(await count('memberships where customer_id = $1', [CUST_ID]), 1)
  }
})

test('a decline begins none', async () => {
  const before = await count('memberships')
  const declined = await ask(gateway, sale({ ...monthly('Declined'), LI_VALUE_1: '6.35' }))
  assert.equal(declined['TRANS_STATUS_NAME'], 'DECLINED')
  assert.equal(declined['MBSHP_ID_1'], '')
  assert.equal(await count('memberships'), before)
})

test('a void of the first payment leaves the membership', async () => {
  const answer = await approved(sale(monthly('Voided')))
  await approved({ REQUEST_ACTION: 'CCREVERSE', REQUEST_REF_PO_ID: answer['PO_ID'] ?? '' })
  assert.equal((await row(answer['MBSHP_ID_1']))['state'], 'active')
})

test('a card that is verified with an amount of zero begins a membership whose first period is free', async () => {
  const answer = await approved(
    sale({ REQUEST_ACTION: 'CCAUTHORIZE', LI_PROD_ID_1: 'plan', LI_VALUE_1: '0.00' }),
  )
  assert.equal((await row(answer['MBSHP_ID_1']))['price_minor'], '1000')
})

test('a renewal by the merchant begins none', async () => {
  const first = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const renewal = await approved({
    REQUEST_ACTION: 'CCAUTHCAP',
    CUST_ID: first['CUST_ID'] ?? '',
    REQUEST_REBILL: '1',
    LI_PROD_ID_1: 'plan',
    LI_VALUE_1: '10.00',
  })
  assert.equal(renewal['MBSHP_ID_1'], '')
})

const REFUSED_SALES: readonly (readonly [string, { [name: string]: string }, string])[] = [
  ['a product whose price is in another currency is 190', { LI_PROD_ID_1: 'euro' }, '- 0/190'],
  ['a product that was switched off is 192', { LI_PROD_ID_1: 'gone' }, '- 0/192'],
  [
    'two lines of one product are 690',
    { LI_PROD_ID_1: 'plan', LI_PROD_ID_2: 'plan', LI_VALUE_2: '1' },
    '- 0/690',
  ],
  [
    'the definition of a product that was switched off is 192',
    { ...monthly('Gone'), LI_VALUE_1: '11.00' } as { [name: string]: string },
    '- 0/192',
  ],
]

for (const [name, form, expected] of REFUSED_SALES) {
  test(name, async () => {
    const before = await count('orders')
    assert.equal(codes(await ask(gateway, sale(form))), expected)
    assert.equal(await count('orders'), before)
  })
}

test('a second membership of a product is 690 while the first goes on, and not after', async () => {
  const first = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const again = {
    REQUEST_ACTION: 'CCAUTHCAP',
    CUST_ID: first['CUST_ID'] ?? '',
    LI_PROD_ID_1: 'plan',
    LI_VALUE_1: '10.00',
  }
  assert.equal(codes(await ask(gateway, again)), '- 0/690')
  await approved({ ...again, LI_PROD_ID_1: 'plan-2' })
  await cancel(first['MBSHP_ID_1'], { SUB_CANCEL_TYPE: '2' })
  const second = await approved(again)
  assert.notEqual(second['MBSHP_ID_1'], first['MBSHP_ID_1'])
})

test('of twenty sign-ups at once a customer gets one membership of the product', async () => {
  const { CUST_ID = '' } = await approved(sale())
  const form = { REQUEST_ACTION: 'CCAUTHCAP', CUST_ID, LI_PROD_ID_1: 'plan', LI_VALUE_1: '10.00' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gateway, form)))
  assert.deepEqual(answers.map(codes).toSorted(), [
    ...Array.from({ length: 19 }, () => '- 0/690'),
    'APPROVED 0/100',
  ])
  assert.equal(await count('memberships where customer_id = $1', [CUST_ID]), 1)
  assert.equal(await count('orders where customer_id = $1', [CUST_ID]), 2)
})

test('a sign-up that the bank declines leaves the product free for the next', async () => {
  const { CUST_ID = '' } = await approved(sale())
  const form = { REQUEST_ACTION: 'CCAUTHCAP', CUST_ID, LI_PROD_ID_1: 'plan' }
  assert.match(codes(await ask(gateway, { ...form, LI_VALUE_1: '5.05' })), /^DECLINED /)
  const begun = await approved({ ...form, LI_VALUE_1: '10.00' })
  await cancel(begun['MBSHP_ID_1'], { SUB_CANCEL_TYPE: '1' })
  await approved({ ...form, LI_VALUE_1: '10.00' })
  assert.equal(await count('memberships where customer_id = $1', [CUST_ID]), 2)
})

test('a login name of another customer is 695, and begins no membership', async () => {
  const login = newReference()
  await approved(sale({ ...monthly('Login'), CUST_LOGIN: login }))
  const before = await count('memberships')
  assert.equal(
    codes(await ask(gateway, sale({ ...monthly('Login'), CUST_LOGIN: login }))),
    '- 0/695',
  )
  assert.equal(await count('memberships'), before)
})

test('a strict site sells the definitions of its catalogue only', async () => {
  const there = { ...sale(), ...credentials(1003) }
  await gateway.pool.query(`update sites set catalogue = 'strict' where id = 1003`)
  await gateway.pool.query(`
    insert into products (site_id, code, name, type, metric, period, price_minor, currency)
    values (1003, 'known', 'Known', 'renews', 'M', 1, 1995, 'USD')`)
  // The site is remembered for two seconds.
  await untilSeen(
    'a product that the catalogue does not hold is refused',
    async () => codes(await ask(gateway, { ...there, LI_PROD_ID_1: 'unknown' })),
    (seen) => seen === '- 150/0',
  )
  assert.equal(codes(await ask(gateway, { ...there, ...monthly('Unknown') })), '- 150/0')
  const answer = await approved({ ...there, ...monthly('Known') })
  assert.equal(answer['PO_LI_PROD_ID_1'], 'known')
  assert.notEqual(answer['MBSHP_ID_1'], '')
})

test('an approval for less begins no membership of a line that was reduced', async () => {
  const answer = await ask(
    gateway,
    sale({
      LI_PROD_ID_1: 'pass',
      LI_PROD_ID_2: 'plan',
      LI_VALUE_1: '5.00',
      LI_VALUE_2: '80.00',
      ...PARTLY,
    }),
  )
  assert.equal(answer['TRANS_STATUS_NAME'], 'APPROVED')
  assert.equal(answer['TRANS_VALUE'], '50')
  assert.notEqual(answer['MBSHP_ID_1'], '')
  assert.equal(answer['MBSHP_ID_2'], '')
})

/** A prepaid card that holds less than is asked for. */
const PARTLY = { PMT_NUMB: '4111119000000501', PARTIAL_AUTH: '1' }

test('SUB_CANCEL with type 1 cancels at once, and 2 where the paid period ends', async () => {
  const now = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const record = await cancel(now['MBSHP_ID_1'], { SUB_CANCEL_TYPE: '1' })
  assert.equal(codes(record), '- 0/0')
  assert.equal(record['SERVICE_ADVICE'], ' ')
  assert.equal(record['MBSHP_ID'], now['MBSHP_ID_1'])
  assert.equal(record['CUST_ID'], now['CUST_ID'])
  assert.equal(record['MBSHP_REBILL_TS_UTC'], '')
  assert.match(record['MBSHP_CANCEL_TS_UTC'] ?? '', TIMESTAMP)
  assert.equal((await row(now['MBSHP_ID_1']))['state'], 'cancelled')

  const later = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const scheduled = await cancel(later['MBSHP_ID_1'], { SUB_CANCEL_TYPE: '2' })
  assert.equal((await row(later['MBSHP_ID_1']))['state'], 'cancel_scheduled')
  assert.equal(scheduled['MBSHP_REBILL_TS_UTC'], '')
  const due = new Date(
    Date.parse(`${(scheduled['MBSHP_CANCEL_TS_UTC'] ?? '').replace(',', '')} UTC`),
  )
  assert.ok(due.getTime() > Date.now() + 27 * 86_400_000, 'a month later')
  // The same once more, and without a type, changes nothing.
  const version = (await row(later['MBSHP_ID_1']))['version']
  assert.deepEqual(await cancel(later['MBSHP_ID_1']), scheduled)
  assert.equal((await row(later['MBSHP_ID_1']))['version'], version)
})

const TIMESTAMP =
  /^(January|February|March|April|May|June|July|August|September|October|November|December), \d\d \d{4} \d\d:\d\d:\d\d$/

test('SUB_UPDATE changes the product from the next renewal on, and the card', async () => {
  const first = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const id = first['MBSHP_ID_1']
  const record = await update(id, { SUB_UPDATE_PROD_ID: 'plan-2' })
  assert.equal(codes(record), '- 0/102')
  assert.equal(record['SERVICE_ADVICE'], 'Membership Updated')
  assert.equal(record['MBSHP_ID'], id)
  assert.match(record['MBSHP_REBILL_TS_UTC'] ?? '', TIMESTAMP)
  assert.equal(record['MBSHP_CANCEL_TS_UTC'], '')
  const card = await approved({
    ...sale({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '0.00', CUST_ID: first['CUST_ID'] ?? '' }),
    PMT_NUMB: '5555555555554444',
  })
  assert.equal(codes(await update(id, { SUB_UPDATE_PMT_ID: card['PMT_ID'] ?? '' })), '- 0/102')
  const membership = await row(id)
  assert.equal(membership['product'], 'plan')
  assert.equal(membership['next_product'], 'plan-2')
  assert.equal(membership['payment_method_id'], card['PMT_ID'])
})

test('every refusal of SUB_UPDATE and SUB_CANCEL has its code', async () => {
  const plan = (await approved(sale({ LI_PROD_ID_1: 'plan' })))['MBSHP_ID_1']
  const pass = (await approved(sale({ LI_PROD_ID_1: 'pass', LI_VALUE_1: '5.00' })))['MBSHP_ID_1']
  const over = (await approved(sale({ LI_PROD_ID_1: 'plan' })))['MBSHP_ID_1']
  await cancel(over, { SUB_CANCEL_TYPE: '1' })
  const leaving = (await approved(sale({ LI_PROD_ID_1: 'plan' })))['MBSHP_ID_1']
  await cancel(leaving)
  const anonymous = await approved(sale())

  const table: readonly (readonly [Promise<Record>, string])[] = [
    [cancel(''), '- 110/0 REQUEST_REF_MBSHP_ID'],
    [cancel('x'), '- 112/0 REQUEST_REF_MBSHP_ID'],
    [cancel(plan, { SUB_CANCEL_TYPE: '3' }), '- 113/0 SUB_CANCEL_TYPE'],
    [cancel('4999'), '- 0/698'],
    [cancel(plan, { ...credentials(1002) }), '- 0/698'],
    [cancel(plan, { ...credentials(1003) }), '- 0/698'],
    [cancel(plan, { CUST_ID: anonymous['CUST_ID'] ?? '' }), '- 0/698'],
    [cancel(over), '- 0/697'],
    [cancel(over, { SUB_CANCEL_TYPE: '1' }), '- 0/697'],
    [cancel(pass), '- 0/699'],
    [cancel(pass, { SUB_CANCEL_TYPE: '2' }), '- 0/699'],
    [update(''), '- 110/0 REQUEST_REF_MBSHP_ID'],
    [update(plan), '- 110/0 SUB_UPDATE_PROD_ID'],
    [update('4999', { SUB_UPDATE_PROD_ID: 'plan-2' }), '- 0/698'],
    [update(plan, { ...credentials(1002), SUB_UPDATE_PROD_ID: 'plan-2' }), '- 0/698'],
    [update(over, { SUB_UPDATE_PROD_ID: 'plan-2' }), '- 0/697'],
    [update(plan, { SUB_UPDATE_PROD_ID: 'nothing' }), '- 0/692'],
    [update(plan, { SUB_UPDATE_PROD_ID: 'book' }), '- 0/692'],
    [update(plan, { SUB_UPDATE_PROD_ID: 'gone' }), '- 0/692'],
    [update(plan, { SUB_UPDATE_PROD_ID: 'euro' }), '- 0/692'],
    [update(plan, { SUB_UPDATE_PROD_ID: 'theirs' }), '- 0/692'],
    [update(pass, { SUB_UPDATE_PROD_ID: 'plan' }), '- 0/699'],
    [update(leaving, { SUB_UPDATE_PROD_ID: 'plan-2' }), '- 0/699'],
    [update(plan, { SUB_UPDATE_PMT_ID: anonymous['PMT_ID'] ?? '' }), '- 113/0 SUB_UPDATE_PMT_ID'],
    [update(plan, { SUB_UPDATE_PMT_ID: '1' }), '- 113/0 SUB_UPDATE_PMT_ID'],
  ]
  for (const [at, [answer, expected]] of table.entries()) {
    const record = await answer
    assert.equal(codes(record), expected, `row ${at}`)
    assert.equal(record['MBSHP_ID'], '', `row ${at}`)
  }
  assert.equal((await row(plan))['version'], '1')
  assert.equal(codes(await cancel(pass, { SUB_CANCEL_TYPE: '1' })), '- 0/0')
})

test('the status block reads the same in XML, JSON and PIPES', async () => {
  const { MBSHP_ID_1: id = '' } = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const form = {
    ...credentials(),
    REQUEST_ACTION: 'SUB_UPDATE',
    REQUEST_REF_MBSHP_ID: id,
    SUB_UPDATE_PROD_ID: 'plan-2',
  }
  const read = async (format: string): Promise<string> => {
    const body = new URLSearchParams({ ...form, REQUEST_RESPONSE_FORMAT: format })
    const answer = await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
      method: 'POST',
      body,
    })
    return answer.text()
  }
  const json = JSON.parse(await read('JSON')) as { [name: string]: string | number }
  const names = Object.keys(json)
  assert.deepEqual(names, [
    'REQUEST_ACTION',
    'API_RESPONSE',
    'API_ADVICE',
    'SERVICE_RESPONSE',
    'SERVICE_ADVICE',
    'REF_FIELD',
    'CUST_ID',
    'MBSHP_ID',
    'MBSHP_CANCEL_TS_UTC',
    'MBSHP_REBILL_TS_UTC',
  ])
  assert.equal(await read('PIPES'), names.map((name) => `${name}=${json[name]}`).join('||'))
  const elements = names.map((name) =>
    json[name] === '' ? `<${name}/>` : `<${name}>${json[name]}</${name}>`,
  )
  assert.ok((await read('XML')).endsWith(`<RESPONSE>${elements.join('')}</RESPONSE>`))
})

test('of cancellations at once one is done, and the others find it over', async () => {
  const { MBSHP_ID_1: id } = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => cancel(id, { SUB_CANCEL_TYPE: '1' })),
  )
  const said = answers.map(codes).toSorted()
  assert.deepEqual(said, ['- 0/0', ...Array.from({ length: 7 }, () => '- 0/697')])
  assert.equal((await row(id))['version'], '2')
})

test('an update and a cancellation at once both hold', async () => {
  const { MBSHP_ID_1: id, CUST_ID = '' } = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const card = await approved({
    ...sale({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '0.00', CUST_ID }),
    PMT_NUMB: '5555555555554444',
  })
  const answers = await Promise.all([
    update(id, { SUB_UPDATE_PMT_ID: card['PMT_ID'] ?? '' }),
    cancel(id),
  ])
  assert.deepEqual(answers.map(codes), ['- 0/102', '- 0/0'])
  const membership = await row(id)
  assert.equal(membership['payment_method_id'], card['PMT_ID'])
  assert.equal(membership['state'], 'cancel_scheduled')
})

test('another card for a renewal that failed is tried at once', async () => {
  const { MBSHP_ID_1: id, CUST_ID = '' } = await approved(sale({ LI_PROD_ID_1: 'plan' }))
  const card = await approved({
    ...sale({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '0.00', CUST_ID }),
    PMT_NUMB: '5555555555554444',
  })
  await gateway.pool.query(
    `update memberships set state = 'past_due', renewal_due_at = now() + interval '1 year', renewal_attempts = 1,
            renewal_first_failed_at = now() + interval '1 year', next_kind = 'give_up', next_at = now() + interval '2 years',
            version = version + 1 where id = $1`,
    [id],
  )
  const record = await update(id, { SUB_UPDATE_PMT_ID: card['PMT_ID'] ?? '' })
  assert.equal(codes(record), '- 0/102')
  const due = new Date(Date.parse(`${(record['MBSHP_REBILL_TS_UTC'] ?? '').replace(',', '')} UTC`))
  assert.ok(Math.abs(due.getTime() - Date.now()) < 60_000, 'at once')
})

test('the products of a site are its own', async () => {
  const answer = await approved(sale({ LI_PROD_ID_1: 'theirs' }))
  assert.equal(answer['MBSHP_ID_1'], '')
})
