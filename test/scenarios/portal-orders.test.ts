import type { SearchKind } from '@tollgate/portal-contract/search-readings'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openDatabase } from '../../packages/gateway/src/adapters/postgres/connection/database.ts'
import type { ListFilter } from '../../packages/gateway/src/portal/orders/domain/order-filter.ts'
import { createOrderLists } from '../../packages/gateway/src/portal/orders/store/order-lists.ts'
import type { ListQuestion } from '../../packages/gateway/src/portal/orders/usecases/order-list.ts'
import { expiryIn } from '../support/dates.ts'
import { addPortalUser, signIn, OTHER_OWNER, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const CARD = { number: '4111111111111111', expiry: expiryIn(4) }

suite('the lists of orders and transactions', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  let filled: Promise<void> | null = null
  let sale: { orderId: string; transactionId: string; customerId: string }

  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
    const raw = (parameters: Record<string, string>) => gateway.client().raw(parameters)
    const pay = (more: Record<string, string>) =>
      raw({
        REQUEST_ACTION: 'CCAUTHCAP',
        PMT_NUMB: CARD.number,
        PMT_EXPIRY: CARD.expiry,
        PMT_KEY: '123',
        LI_VALUE_1: '12.50',
        ...more,
      })
    const first = await pay({
      XTL_ORDER_ID: '=SUM(A1)',
      CUST_FNAME: 'Jane',
      CUST_LNAME: 'Doe',
      CUST_EMAIL: 'Jane.Doe@example.com',
    })
    sale = {
      orderId: String(first['PO_ID']),
      transactionId: String(first['TRANS_ID']),
      customerId: String(first['CUST_ID']),
    }
    await pay({ LI_VALUE_1: '6.35', CUST_LNAME: 'Roe' })
    await pay({ LI_VALUE_1: '1250', REQUEST_CURRENCY: 'JPY', PMT_NUMB: '5555555555554444' })
    await pay({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '0.00' })
    for (let at = 0; at < 55; at += 1)
      await pay({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '48.00', CUST_LNAME: 'Many' })
    await raw({ REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: sale.orderId, LI_VALUE_1: '2.50' })
    await gateway.client(1002).raw({
      REQUEST_ACTION: 'CCAUTHCAP',
      PMT_NUMB: CARD.number,
      PMT_EXPIRY: CARD.expiry,
      PMT_KEY: '123',
      LI_VALUE_1: '12.50',
      CUST_LNAME: 'Foreign',
    })
  })
  after(() => gateway?.stop())

  const found = async (search: string, list = 'orders') => {
    const { status, body, text } = await owner.get(`/${list}?${search}`)
    assert.equal(status, 200, text)
    return body
  }
  const ids = async (search: string) =>
    (await found(search)).rows.map(({ orderId }: { orderId: string }) => orderId)

  test('a page is full and says where the next one begins, and no order is in two of them', async () => {
    const first = await found('')
    const second = await found(`after=${first.next}`)

    assert.equal(first.rows.length, 50)
    assert.equal(second.next, null)
    const all = [...first.rows, ...second.rows].map(({ orderId }) => orderId)
    assert.equal(new Set(all).size, 59)
    const oldest = await found('sort=oldest')
    assert.equal(oldest.rows[0].orderId, all.at(-1))
  })

  const searches: Record<string, () => string> = {
    'its id': () => `q=${sale.orderId}`,
    "the merchant's own id": () => `q=${encodeURIComponent('=SUM(A1)')}`,
    'its transaction': () => `q=${sale.transactionId}`,
    'its customer': () => `q=${sale.customerId}`,
    'e-mail in any case': () => 'q=jane.doe@EXAMPLE.com',
    'name, first or last name first': () => 'q=jane doe',
    'first name alone': () => 'q=jane',
    'first name and the beginning of the last': () => 'q=jane d',
    'first name, shortened, and last name': () => 'q=jan doe',
    'last name, comma, first name': () => 'q=Doe, Jane',
    'a part of a name': () => 'q=ane',
    'parts of both names': () => 'q=doe ane',
    'name and amount': () => 'q=doe 12.50',
    'name and last four digits': () => 'q=jane 1111',
    'name and day': () => 'q=jane doe today',
    'brand and status': () => 'q=visa partly refunded',
    "the beginning of the merchant's own id": () => `q=${encodeURIComponent('=SUM')}`,
    'amount, if only one order has it': () => 'q=12.50',
    'amount and currency': () => 'q=12.50 usd',
    'part that was refunded': () => 'q=2.50',
    'customer as a filter': () => `customer=${sale.customerId}`,
    'an amount range': () => 'min=12&max=13',
    'what was done to it': () => 'action=refund',
    status: () => 'status=part_refunded',
  }
  for (const [what, search] of Object.entries(searches)) {
    test(`an order is found by ${what}`, async () => {
      assert.deepEqual(await ids(search()), [sale.orderId])
    })
  }

  test('yen have no decimals: 1250 finds 1250 JPY and not 12.50 USD', async () => {
    const { rows } = await found('q=amount:1250')

    assert.deepEqual(
      rows.map(({ currency, amount }: { currency: string; amount: string }) => [currency, amount]),
      [['JPY', '1250']],
    )
  })

  test('a word of a search that no order fits leaves nothing', async () => {
    assert.deepEqual(await ids('q=jane 12.51'), [])
    assert.deepEqual(await ids('q=jane yesterday'), [])
    assert.deepEqual(await ids('q=jane mastercard'), [])
    assert.deepEqual(await ids('q=roe jane'), [])
    assert.deepEqual((await owner.get('/orders/totals?q=jane 12.51')).body.totals, [])
  })

  test('words of status and action find transactions as well as orders', async () => {
    assert.equal((await found('q=declined', 'transactions')).rows.length, 1)
    assert.equal((await found('q=doe refunds', 'transactions')).rows.length, 1)
    assert.equal((await found('q=doe partly refunded', 'transactions')).rows.length, 2)
    assert.deepEqual(await ids('q=doe refunds'), [sale.orderId])
  })

  test('each meaning of a search counts the orders that the filters and other words let through', async () => {
    const counts = async (search: string) =>
      Object.fromEntries(
        (await found(search)).readings.map(
          ({ reading, found: count }: { reading: { kind: string }; found: number }) => [
            reading.kind,
            count,
          ],
        ),
      )
    assert.equal((await counts('q=many'))['name'], 55)
    assert.equal((await counts('q=many&status=declined'))['name'], 0)
    assert.equal((await counts('q=last4:1111&status=declined'))['last4'], 1)
    const both = await counts('q=roe 1111')
    assert.deepEqual([both['name'], both['last4']], [1, 1])
  })

  test('0012 is the end of a card, and finds no amount of 12.00', async () => {
    const { readings } = await found('q=0012')

    assert.deepEqual(
      readings.map(({ reading }: { reading: { kind: string } }) => reading.kind),
      ['reference', 'last4'],
    )
  })

  test('last four finds every order of those cards, and says how it understood the digits', async () => {
    const { rows, readings } = await found('q=4444')

    assert.equal(rows.length, 1)
    const kinds = readings.map(
      ({ reading, found: count }: { reading: { kind: string }; found: number }) => [
        reading.kind,
        count,
      ],
    )
    assert.deepEqual(
      kinds.find(([kind]: [string]) => kind === 'last4'),
      ['last4', 1],
    )
  })

  test('no search finds orders of another merchant', async () => {
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const foreign = (await otherOwner.get('/orders')).body.rows

    assert.equal(foreign.length, 1)
    assert.deepEqual(await ids(`q=${foreign[0].orderId}`), [])
    assert.deepEqual(await ids(`q=${foreign[0].transactionId}`), [])
    for (const search of ['foreign', 'oreig', 'foreign 12.50', 'foreign visa today'])
      assert.deepEqual(await ids(`q=${search}`), [], search)
    const part = (await otherOwner.get('/orders?q=oreig')).body.rows
    assert.deepEqual(
      part.map(({ orderId }: { orderId: string }) => orderId),
      [foreign[0].orderId],
    )
    assert.equal((await otherOwner.get(`/orders?q=${sale.orderId}`)).body.rows.length, 0)
    assert.equal((await otherOwner.get('/orders?q=jane.doe@example.com')).body.rows.length, 0)
  })

  test('a card number is refused without an echo', async () => {
    for (const number of [
      '4111111111111111',
      '4111 1111 1111 1111',
      'last4:4111-1111-1111-1111',
      '４１１１１１１１１１１１１１１１',
    ]) {
      const { status, body, text } = await owner.get(`/orders?q=${encodeURIComponent(number)}`)
      assert.deepEqual([status, body.error.code], [400, 'card_number'])
      assert.ok(!text.includes('1111'))
    }
    const kept = await owner.post('/order-views', {
      list: 'orders',
      name: 'Mine',
      search: 'q=4111+1111+1111+1111',
      shared: false,
    })
    assert.equal(kept.status, 400)
  })

  test('sums are of all rows of a filter, by currency', async () => {
    const { totals } = (await owner.get('/orders/totals')).body

    assert.deepEqual(totals, [
      {
        currency: 'USD',
        count: 58,
        approved: 57,
        declined: 1,
        open: 0,
        authorized: '265250',
        voided: '0',
        captured: '1250',
        refunded: '250',
        net: '1000',
      },
      {
        currency: 'JPY',
        count: 1,
        approved: 1,
        declined: 0,
        open: 0,
        authorized: '1250',
        voided: '0',
        captured: '1250',
        refunded: '0',
        net: '1250',
      },
    ])
    const transactions = (await owner.get('/transactions/totals?currency=USD')).body.totals
    assert.deepEqual(
      transactions.map(({ count, captured, refunded }: Record<string, unknown>) => [
        count,
        captured,
        refunded,
      ]),
      [[59, '1250', '250']],
    )
  })

  test('transactions are listed one by one, and a transaction id finds that one alone', async () => {
    const { rows } = await found(`q=order:${sale.orderId}`, 'transactions')
    assert.deepEqual(
      rows.map(({ action, status }: Record<string, string>) => [action, status]),
      [
        ['refund', 'approved'],
        ['sale', 'approved'],
      ],
    )
    assert.equal(
      (await found(`q=transaction:${sale.transactionId}`, 'transactions')).rows.length,
      1,
    )
  })

  test('every filter is understood', async () => {
    const filters =
      'status=declined&action=sale&brand=Visa&avs=Y&cvv=M&threeDs=none&reason=635&batch=501&site=1001&account=2001&user=demo@tollgate.test' +
      '&currency=USD&min=1&max=9999&time=today&customer=1&card=1&initiator=customer' +
      '&since=2026-11-01T00:00:00Z&until=2099-01-01T00:00:00%2B01:00&counted=declined&settled=2026-11'
    for (const list of ['orders', 'transactions']) {
      for (const one of filters.split('&')) {
        await found(one, list)
        assert.equal((await owner.get(`/${list}/totals?${one}`)).status, 200, one)
      }
      await found(filters, list)
    }
    assert.equal((await ids('status=declined')).length, 1)
    assert.equal((await ids('action=check')).length, 1)
    assert.equal((await ids('brand=Mastercard')).length, 1)
    assert.equal((await ids('reason=635')).length, 1)
    assert.equal((await ids('user=nobody')).length, 0)
    for (const wrong of ['min=abc', 'since=yesterday', 'settled=2026-13', 'site=every']) {
      assert.equal((await owner.get(`/orders?${wrong}`)).status, 400, wrong)
    }
  })

  test('a file has every row, and is harmless in a spreadsheet', async () => {
    const { text, headers } = await owner.get('/orders/csv?cols=order,reference,amount,status')
    const lines = text.trimEnd().split('\r\n')

    assert.equal(lines[0], '"Order","Your order id","Amount","Currency","Status"')
    assert.equal(lines.length, 60)
    assert.ok(lines.includes(`"${sale.orderId}","'=SUM(A1)","12.50","USD","Partly refunded"`))
    assert.match(
      headers.get('content-disposition') ?? '',
      /^attachment; filename="orders-\d{4}-\d\d-\d\d\.csv"$/,
    )
  })

  test('a file with a column that the list does not have is refused, and names those there are', async () => {
    for (const [path, expected] of [
      ['/orders/csv?cols=order,foo', /Its columns are at, order, .*networkId\.$/],
      ['/transactions/csv?cols=at,', /Its columns are at, order, transaction, /],
    ] as const) {
      const { status, body } = await owner.get(path)
      assert.deepEqual([status, body.error.field], [400, 'cols'], path)
      assert.match(body.error.message, expected)
      assert.doesNotMatch(body.error.message, /foo/)
    }
  })

  test('a portal user who may see orders but not download them is refused the file', async () => {
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))

    assert.equal((await support.get('/orders')).status, 200)
    assert.equal((await support.get('/orders/csv')).status, 403)
  })

  test('other portal users see a shared view, and only its author can change it', async () => {
    const otherUser = await signIn(gateway, await addPortalUser(gateway, 'support'))
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const view = { list: 'orders', name: 'Declines', search: 'status=declined', shared: true }
    const { id } = (await owner.post('/order-views', view)).body
    await owner.post('/order-views', { ...view, name: 'Mine', shared: false })

    const names = async (of: SignedInUser) =>
      (await of.get('/order-lists/orders')).body.views.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(otherUser), ['Declines'])
    assert.deepEqual(await names(otherOwner), [])
    assert.equal((await otherUser.remove(`/order-views/${id}`)).status, 404)
    assert.equal((await owner.remove(`/order-views/${id}`)).status, 200)
    assert.deepEqual(await names(owner), ['Mine'])
    const { rows } = await gateway.pool.query(
      `select operation, actor from audit_entries where operation like 'order_view%' order by number`,
    )
    assert.deepEqual(
      rows.map(({ operation }) => operation),
      ['order_view.saved', 'order_view.saved', 'order_view.removed'],
    )
  })

  test('a portal user can share 20 views, and further ones stay their own', async () => {
    const sharer = await addPortalUser(gateway, 'read_only')
    await gateway.pool.query(
      `insert into portal_order_views (merchant_id, portal_user_id, list, name, search, shared)
       select 1, $1, 'orders', 'Shared ' || i, '', true from generate_series(1, 19) i`,
      [sharer.id],
    )
    const portalUser = await signIn(gateway, sharer)
    const save = (name: string, shared: boolean) =>
      portalUser.post('/order-views', { list: 'orders', name, search: '', shared })

    assert.equal((await save('Shared 20', true)).status, 200)
    const refused = await save('Shared 21', true)
    assert.equal(refused.body.error.code, 'too_many_views')
    assert.match(refused.body.error.message, /already share 20 views/)
    assert.equal((await save('Shared 20', true)).status, 200)
    assert.equal((await save('Shared 21', false)).status, 200)
  })

  test('a portal user can keep 100 views, and a further one only replaces another', async () => {
    const collector = await addPortalUser(gateway, 'support')
    await gateway.pool.query(
      `insert into portal_order_views (merchant_id, portal_user_id, list, name, search)
       select 1, $1, case when i % 2 = 0 then 'orders' else 'transactions' end, 'View ' || i, '' from generate_series(1, 99) i`,
      [collector.id],
    )
    const portalUser = await signIn(gateway, collector)
    const save = (name: string) =>
      portalUser.post('/order-views', { list: 'orders', name, search: '', shared: false })

    const last = await Promise.all([save('One more'), save('Another'), save('A third')])
    assert.deepEqual(last.map(({ status }) => status).toSorted(), [200, 409, 409])
    const refused = last.find(({ status }) => status === 409)
    assert.equal(refused?.body.error.code, 'too_many_views')
    assert.match(refused?.body.error.message, /already have 100 views/)
    assert.equal((await save('View 2')).status, 200)
    assert.equal(
      (
        await signIn(gateway).then((other) =>
          other.post('/order-views', { list: 'orders', name: 'Own', search: '', shared: false }),
        )
      ).status,
      200,
    )
  })

  test('each portal user has columns of their own', async () => {
    const otherUser = await signIn(gateway, await addPortalUser(gateway, 'support'))
    await otherUser.put('/order-lists/orders/columns', { columns: ['order', 'amount', 'nothing'] })

    assert.deepEqual((await otherUser.get('/order-lists/orders')).body.columns, ['order', 'amount'])
    assert.ok((await owner.get('/order-lists/orders')).body.columns.length > 5)
  })

  /**
   * Enough rows of one merchant, with statistics, that it matters to the database how it goes about
   * it.
   */
  const fillMerchant = async (): Promise<void> => {
    await gateway.pool.query(`
      insert into merchants (id, name) values (77, 'Many');
      insert into sites (id, merchant_id, name) values (1077, 77, 'Many');
      insert into customers (id, merchant_id, mode, first_name, last_name, email, created_at)
        select 7000000 + i, 77, 'test', 'F' || i, 'L' || i, 'p' || i || '@example.com', now() from generate_series(1, 4000) i;
      insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id, fingerprint, brand, last4, created_at, last_used_at)
        select 7000000 + i, 77, 7000000 + i, 'test', '', 1, sha256(i::text::bytea), 'Visa', lpad(i::text, 4, '0'), now(), now() from generate_series(1, 4000) i;
      insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id, payment_method_id, kind, state, currency, reference,
                          requested_minor, message_number, message_at, entry_mode, auth_code, network_transaction_id, created_at)
        select 7000000 + i, 77, 1077, 2001, 'test', 7000000 + i, 7000000 + i, 'payment', 'declined', 'USD', 'R' || i, i, 7000000 + i, now(), '012',
               lpad(i::text, 6, '0'), 'N' || i, now() - i * interval '1 hour' from generate_series(1, 4000) i;
      insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor, value_minor, created_at, concluded_at)
        select 7000000 + i, 77, 7000000 + i, 500000 + i, 'sale', 'declined', i, i, now() - i * interval '1 hour', now() from generate_series(1, 4000) i;
      insert into requests (id, received_at, merchant_id, site_id, username, address, action, parameters, http_status, api_code, service_code, ref_field, state, order_id, transaction_id, took_ms)
        select 500000 + i, now(), 77, 1077, 'many', '', 'CCAUTHCAP', '{}', 200, '0', 0, '', '', 7000000 + i, 7000000 + i, 1 from generate_series(1, 4000) i;
      analyze`)
  }

  const LOOKED_UP_BY: Readonly<Record<string, string>> = {
    order: 'orders_pkey',
    reference: 'orders_by_reference',
    transaction: 'transactions_pkey',
    request: 'requests_0_pkey',
    customer: 'orders_by_customer',
    membership: 'memberships_',
    email: 'customers_by_email',
    name: 'customers_by_name',
    last4: 'payment_methods_by_last4',
    amount: 'transactions_by_merchant_amount',
    token: 'card_tokens_token_hash_key',
  }
  test('first names are looked up in the index customers_by_first_name', async () => {
    const plans = await plansOf({ terms: [[{ kind: 'name', value: 'abcd' }]] })
    assert.ok(
      plans.some((plan) => plan.includes('customers_by_first_name')),
      plans.join('\n\n'),
    )
  })

  test('the beginning of an order id of the shop is looked up as a range of its index', async () => {
    const plans = await plansOf({ terms: [[{ kind: 'reference', value: 'R40000' }]] })
    assert.ok(
      plans.some((plan) => /orders_by_reference[^]*~>=~/.test(plan)),
      plans.join('\n\n'),
    )
  })

  for (const [kind, index] of Object.entries(LOOKED_UP_BY)) {
    test(`orders are looked up by ${kind} in the index ${index}`, async () => {
      const plans = await plansOf({
        terms: [
          [
            {
              kind: kind as SearchKind,
              value: ['email', 'name', 'reference', 'token'].includes(kind) ? 'abcd' : '123456',
            },
          ],
        ],
      })
      assert.ok(
        plans.some((plan) => plan.includes(index)),
        plans.join('\n\n'),
      )
      assertNoTableIsRead(plans)
    })
  }

  test('no filter and no search reads a table from end to end', async () => {
    const filters: ListFilter[] = [
      {},
      { status: ['declined'] },
      { action: ['capture'] },
      { action: ['sale_void'] },
      { batch: 501n },
      { brand: ['Visa'] },
      { avs: ['N'] },
      { cvv: ['N'] },
      { threeDs: ['Y'] },
      { reason: [635] },
      { site: 1001n },
      { account: 2001n },
      { user: 'demo' },
      { currency: ['USD'] },
      { min: '1', max: '2' },
      { within: { from: new Date('2026-01-01'), until: new Date('2026-02-01') } },
      { customer: 1n },
      { card: 1n },
      { initiator: ['merchant'] },
    ]
    const unindexed = (
      ['bin', 'rrn', 'auth', 'network', 'part', 'brand', 'status', 'action'] as const
    ).map((kind) => ({ terms: [[{ kind, value: '123456789012' }]] }))
    for (const list of ['orders', 'transactions'] as const) {
      for (const more of [...filters.map((filter) => ({ filter })), ...unindexed])
        assertNoTableIsRead(await plansOf({ list, ...more }))
    }
  })

  function assertNoTableIsRead(plans: readonly string[]): void {
    for (const plan of plans) {
      const tables = '(orders|transactions|customers|payment_methods|requests|card_tokens)'
      assert.doesNotMatch(plan, new RegExp(`Seq Scan on ${tables}`), plan)
      // An index without a condition is the whole table too. Sums may need all of it.
      if (plan.includes('Group Key')) continue
      const whole = new RegExp(`Scan using \\w+ on ${tables}\\b[^\\n]*\\n(?! *Index Cond)`)
      assert.doesNotMatch(plan, whole, plan)
    }
  }

  /** How the database goes about each statement of a page, with the settings that pages have. */
  async function plansOf(more: Partial<ListQuestion>): Promise<string[]> {
    await (filled ??= fillMerchant())
    const database = openDatabase(gateway.databaseUrl, () => undefined)
    const pool = database.reports({ connections: 1, timeoutMs: 5_000 })
    const plans: string[] = []
    let ticks = 0
    const explaining = Object.assign(Object.create(pool), {
      async query(text: string, values: unknown[]) {
        const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
        return pool.query(text, values)
      },
    })
    try {
      const pages = createOrderLists({
        lists: explaining,
        sums: explaining,
        // Slow enough for a look of 500 rows, a larger one, and one to the end of the list.
        monotonicMs: () => (ticks += 20),
      })
      const question: ListQuestion = {
        merchantId: 77n,
        list: 'orders',
        filter: {},
        terms: [],
        whole: null,
        oldestFirst: false,
        ...more,
      }
      await pages.page(question, null, 50)
      await pages.totals(question)
      return plans
    } finally {
      await database.close()
    }
  }
})
