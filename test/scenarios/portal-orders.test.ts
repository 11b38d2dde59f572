import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { addPerson, signIn, STRANGER, type PortalUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const CARD = { number: '4111111111111111', expiry: '122030' }

suite('the lists of orders and transactions', () => {
  let gateway: RunningGateway
  let owner: PortalUser
  let sale: { orderId: string; transactionId: string; customerId: string }

  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
    const raw = (parameters: Record<string, string>) => gateway.client().raw(parameters)
    const pay = (more: Record<string, string>) =>
      raw({ REQUEST_ACTION: 'CCAUTHCAP', PMT_NUMB: CARD.number, PMT_EXPIRY: CARD.expiry, PMT_KEY: '123', LI_VALUE_1: '12.50', ...more })
    const first = await pay({
      XTL_ORDER_ID: '=SUM(A1)',
      CUST_FNAME: 'Jane',
      CUST_LNAME: 'Doe',
      CUST_EMAIL: 'Jane.Doe@example.com',
    })
    sale = { orderId: String(first['PO_ID']), transactionId: String(first['TRANS_ID']), customerId: String(first['CUST_ID']) }
    await pay({ LI_VALUE_1: '6.35', CUST_LNAME: 'Roe' })
    await pay({ LI_VALUE_1: '1250', REQUEST_CURRENCY: 'JPY', PMT_NUMB: '5555555555554444' })
    await pay({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '0.00' })
    for (let at = 0; at < 55; at += 1) await pay({ REQUEST_ACTION: 'CCAUTHORIZE', LI_VALUE_1: '48.00', CUST_LNAME: 'Many' })
    await raw({ REQUEST_ACTION: 'CCCREDIT', REQUEST_REF_PO_ID: sale.orderId, LI_VALUE_1: '2.50' })
    await gateway.client(1002).raw({ REQUEST_ACTION: 'CCAUTHCAP', PMT_NUMB: CARD.number, PMT_EXPIRY: CARD.expiry, PMT_KEY: '123', LI_VALUE_1: '12.50', CUST_LNAME: 'Foreign' })
  })
  after(() => gateway?.stop())

  const found = async (search: string, list = 'orders') => {
    const { status, body, text } = await owner.get(`/${list}?${search}`)
    assert.equal(status, 200, text)
    return body
  }
  const ids = async (search: string) => (await found(search)).rows.map(({ orderId }: { orderId: string }) => orderId)

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
    'the merchant\'s own id': () => `q=${encodeURIComponent('=SUM(A1)')}`,
    'its transaction': () => `q=${sale.transactionId}`,
    'its customer': () => `q=${sale.customerId}`,
    'e-mail in any case': () => 'q=jane.doe@EXAMPLE.com',
    'name, first or last name first': () => 'q=jane doe',
    'amount, if only one order has it': () => 'q=12.50',
    'amount and currency': () => 'q=12.50 usd',
    'part that was credited': () => 'q=2.50',
    'customer as a filter': () => `customer=${sale.customerId}`,
    'an amount range': () => 'min=12&max=13',
    'what was done to it': () => 'action=credit',
    'status': () => 'status=part_credited',
  }
  for (const [what, search] of Object.entries(searches)) {
    test(`an order is found by ${what}`, async () => {
      assert.deepEqual(await ids(search()), [sale.orderId])
    })
  }

  test('yen have no decimals: 1250 finds 1250 JPY and not 12.50 USD', async () => {
    const { rows } = await found('q=amount:1250')

    assert.deepEqual(rows.map(({ currency, amount }: { currency: string; amount: string }) => [currency, amount]), [['JPY', '1250']])
  })

  test('last four finds every order of those cards, and says how it understood the digits', async () => {
    const { rows, readings } = await found('q=4444')

    assert.equal(rows.length, 1)
    const kinds = readings.map(({ reading, found: count }: { reading: { kind: string }; found: number }) => [reading.kind, count])
    assert.deepEqual(kinds.find(([kind]: [string]) => kind === 'last4'), ['last4', 1])
  })

  test('what another merchant has is not there, whatever is asked for', async () => {
    const stranger = await signIn(gateway, STRANGER)
    const foreign = (await stranger.get('/orders')).body.rows

    assert.equal(foreign.length, 1)
    assert.deepEqual(await ids(`q=${foreign[0].orderId}`), [])
    assert.deepEqual(await ids(`q=${foreign[0].transactionId}`), [])
    assert.deepEqual(await ids('q=foreign'), [])
    assert.equal((await stranger.get(`/orders?q=${sale.orderId}`)).body.rows.length, 0)
    assert.equal((await stranger.get('/orders?q=jane.doe@example.com')).body.rows.length, 0)
  })

  test('a card number is refused without an echo', async () => {
    for (const number of ['4111111111111111', '4111 1111 1111 1111', 'last4:4111-1111-1111-1111', '４１１１１１１１１１１１１１１１']) {
      const { status, body, text } = await owner.get(`/orders?q=${encodeURIComponent(number)}`)
      assert.deepEqual([status, body.error.code], [400, 'card_number'])
      assert.ok(!text.includes('1111'))
    }
    const kept = await owner.post('/order-views', { list: 'orders', name: 'Mine', search: 'q=4111+1111+1111+1111', shared: false })
    assert.equal(kept.status, 400)
  })

  test('sums are of all rows of a filter, by currency', async () => {
    const { totals } = (await owner.get('/orders/totals')).body

    assert.deepEqual(totals, [
      { currency: 'USD', count: 58, approved: 57, declined: 1, authorized: '265250', captured: '1250', credited: '250', net: '1000' },
      { currency: 'JPY', count: 1, approved: 1, declined: 0, authorized: '1250', captured: '1250', credited: '0', net: '1250' },
    ])
    const transactions = (await owner.get('/transactions/totals?currency=USD')).body.totals
    assert.deepEqual(transactions.map(({ count, captured, credited }: Record<string, unknown>) => [count, captured, credited]), [[59, '1250', '250']])
  })

  test('transactions are listed one by one, and a transaction id finds that one alone', async () => {
    const { rows } = await found(`q=order:${sale.orderId}`, 'transactions')
    assert.deepEqual(rows.map(({ action, status }: Record<string, string>) => [action, status]), [['credit', 'approved'], ['sale', 'approved']])
    assert.equal((await found(`q=transaction:${sale.transactionId}`, 'transactions')).rows.length, 1)
  })

  test('every filter is understood', async () => {
    const filters =
      'status=declined&action=sale&brand=Visa&avs=Y&cvv=M&threeDs=none&reason=635&batch=501&site=1001&account=2001&user=demo@tollgate.test' +
      '&currency=USD&min=1&max=9999&time=today&customer=1&card=1&initiator=customer'
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
    assert.equal((await owner.get('/orders?min=abc')).status, 400)
  })

  test('a file has every row, and is harmless in a spreadsheet', async () => {
    const { text, headers } = await owner.get('/orders/csv?cols=order,reference,amount,status')
    const lines = text.trimEnd().split('\r\n')

    assert.equal(lines[0], 'Order,Your order id,Amount,Currency,Status')
    assert.equal(lines.length, 60)
    assert.ok(lines.includes(`${sale.orderId},'=SUM(A1),12.50,USD,Partly refunded`))
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="orders-\d{4}-\d\d-\d\d\.csv"$/)
  })

  test('who may look but not download is refused the file', async () => {
    const support = await signIn(gateway, await addPerson(gateway, 'support'))

    assert.equal((await support.get('/orders')).status, 200)
    assert.equal((await support.get('/orders/csv')).status, 403)
  })

  test('a view that is shared is seen by colleagues, and changed by who made it alone', async () => {
    const colleague = await signIn(gateway, await addPerson(gateway, 'support'))
    const stranger = await signIn(gateway, STRANGER)
    const view = { list: 'orders', name: 'Declines', search: 'status=declined', shared: true }
    const { id } = (await owner.post('/order-views', view)).body
    await owner.post('/order-views', { ...view, name: 'Mine', shared: false })

    const names = async (of: PortalUser) => (await of.get('/order-lists/orders')).body.views.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(colleague), ['Declines'])
    assert.deepEqual(await names(stranger), [])
    assert.equal((await colleague.remove(`/order-views/${id}`)).status, 404)
    assert.equal((await owner.remove(`/order-views/${id}`)).status, 200)
    assert.deepEqual(await names(owner), ['Mine'])
    const { rows } = await gateway.pool.query(`select act, actor from audit_entries where act like 'order_view%' order by number`)
    assert.deepEqual(rows.map(({ act }) => act), ['order_view.saved', 'order_view.saved', 'order_view.removed'])
  })

  test('columns are kept for each person', async () => {
    const colleague = await signIn(gateway, await addPerson(gateway, 'support'))
    await colleague.put('/order-lists/orders/columns', { columns: ['order', 'amount', 'nothing'] })

    assert.deepEqual((await colleague.get('/order-lists/orders')).body.columns, ['order', 'amount'])
    assert.ok((await owner.get('/order-lists/orders')).body.columns.length > 5)
  })
})
