import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Transaction } from '../../packages/client/src/answers.ts'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { assertBooksAreClean, brokenInvariants } from '../support/books.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import {
  EXPIRY,
  MASTERCARD,
  moneyOf,
  newReference,
  outcome,
  payment,
  postForm,
  untilNoAdviceIsQueued,
  untilRow,
  VISA,
} from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { newToken } from '../support/tokens.ts'

const AT_ONCE = 20

let gateway: RunningGateway
let node: GatewayNode
let second: SingleRequestClient
before(async () => {
  gateway = await startRunningGateway()
  const [port, tlsPort] = await freePorts(2)
  node = await startGatewayNode({
    ...gateway.nodeSettings,
    PORT: String(port),
    TLS_PORT: String(tlsPort),
  })
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials(1001)
  second = createSingleRequestClient({ baseUrl: node.baseUrl, username, password, siteId: 1001 })
})
after(async () => {
  await node?.stop()
  await gateway?.stop()
})

/** A client of either gateway by turns. */
function shop(turn = 0): SingleRequestClient {
  return turn % 2 === 0 ? gateway.client() : second
}

/** How many times the bank was asked for payments of a reference. */
async function askedFor(reference: string): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: string }>(
    `select count(*) from transactions t join orders o on o.id = t.order_id
      where o.reference = $1 and t.to_processor`,
    [reference],
  )
  return Number(rows[0]?.count)
}

async function ordersOf(reference: string): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: string }>(
    'select count(*) from orders where reference = $1',
    [reference],
  )
  return Number(rows[0]?.count)
}

/** Posts a form to the gateway or, with turn 1, to the second node; returns answer and header. */
async function post(
  parameters: Readonly<Record<string, string>>,
  key: string | null = null,
  turn = 0,
): Promise<{ readonly answer: Record<string, unknown>; readonly replayed: string | null }> {
  const base = turn % 2 === 0 ? gateway.baseUrl : node.baseUrl
  const response = await fetch(new URL('/payment/pmt_service.cfm', base), {
    method: 'POST',
    headers: key === null ? {} : { 'Idempotency-Key': key },
    body: new URLSearchParams({
      ...credentials(),
      REQUEST_RESPONSE_FORMAT: 'JSON',
      ...parameters,
    }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  return { answer, replayed: response.headers.get('idempotency-replayed') }
}

/** The codes of an answer in one line. */
function codesOf({ answer }: Awaited<ReturnType<typeof post>>): string {
  const { TRANS_STATUS_NAME, API_RESPONSE, SERVICE_RESPONSE, REF_FIELD } = answer
  const status = String(TRANS_STATUS_NAME) || 'REFUSED'
  return `${status} ${String(API_RESPONSE)}/${String(SERVICE_RESPONSE)} ${String(REF_FIELD)}`.trim()
}

async function sold(reference = newReference()): Promise<string> {
  const sale = await shop().sale(payment('50', { orderReference: reference }))
  assert.equal(outcome(sale), 'APPROVED 0/100')
  return String(sale.orderId)
}

suite('an adjustment with an idempotency key (O18)', () => {
  const refundOf = (orderId: string, amount = '10.00'): Record<string, string> => ({
    REQUEST_ACTION: 'CCCREDIT',
    REQUEST_REF_PO_ID: orderId,
    LI_VALUE_1: amount,
  })

  test('A repeat gets the stored answer under a REQ_ID of its own, from any gateway.', async () => {
    const orderId = await sold()
    const key = newReference()
    const first = await post(refundOf(orderId), key)
    const repeat = await post(refundOf(orderId), key, 1)

    assert.equal(codesOf(first), 'APPROVED 0/100')
    assert.deepEqual([first.replayed, repeat.replayed], [null, 'true'])
    assert.notEqual(repeat.answer['REQ_ID'], first.answer['REQ_ID'])
    assert.deepEqual({ ...repeat.answer, REQ_ID: '' }, { ...first.answer, REQ_ID: '' })
    assert.match(await moneyOf(gateway, orderId), /refunded 1000$/)
  })

  test('The parameter stands for the header, and a repeat is answered in its own format.', async () => {
    const orderId = await sold()
    const key = newReference()
    const first = await post(refundOf(orderId), key)
    const repeat = await postForm(gateway, {
      ...refundOf(orderId),
      IDEMPOTENCY_KEY: key,
      REQUEST_RESPONSE_FORMAT: null,
    })

    assert.match(
      repeat.text,
      new RegExp(`<TRANS_ID>${String(first.answer['TRANS_ID'])}</TRANS_ID>`),
    )
    assert.match(await moneyOf(gateway, orderId), /refunded 1000$/)
  })

  test('Another amount, order, action or line under the key is 685 and moves nothing.', async () => {
    const orderId = await sold()
    const other = await sold()
    const key = newReference()
    await post(refundOf(orderId), key)
    const changes = [
      refundOf(orderId, '10.01'),
      refundOf(other),
      { ...refundOf(orderId), REQUEST_ACTION: 'CCREVERSECAP' },
    ]
    for (const change of changes) {
      assert.equal(codesOf(await post(change, key)), 'REFUSED 0/685 IDEMPOTENCY_KEY')
    }
    assert.match(await moneyOf(gateway, other), /refunded 0$/)
  })

  test('A refusal takes no key: the request is judged again.', async () => {
    const authorized = await shop().authorize(payment('50'))
    const orderId = String(authorized.orderId)
    const key = newReference()
    assert.equal(codesOf(await post(refundOf(orderId), key)), 'DECLINED 0/536')
    assert.equal(codesOf(await post(refundOf(orderId, 'ten'), key)), 'REFUSED 112/0 LI_VALUE_1')
    await shop().capture({ orderId, amount: '50' })
    assert.equal(codesOf(await post(refundOf(orderId), key)), 'APPROVED 0/100')
  })

  test('A key of the wrong form, or one that differs from the parameter, is refused.', async () => {
    const refund = refundOf(await sold())
    const under = (IDEMPOTENCY_KEY: string) => ({ ...refund, IDEMPOTENCY_KEY })
    assert.equal(codesOf(await post(refund, 'k'.repeat(65))), 'REFUSED 111/0 IDEMPOTENCY_KEY')
    assert.equal(codesOf(await post(refund, '')), 'REFUSED 111/0 IDEMPOTENCY_KEY')
    assert.equal(codesOf(await post(under('a\u0007b'))), 'REFUSED 113/0 IDEMPOTENCY_KEY')
    assert.equal(codesOf(await post(under('a'), 'b')), 'REFUSED 113/0 IDEMPOTENCY_KEY')
    assert.equal(codesOf(await post(under('both'), 'both')), 'APPROVED 0/100')
  })

  test('The key of one site, or of one merchant, is free at another.', async () => {
    const key = newReference()
    const orderId = await sold()
    await post(refundOf(orderId), key)
    const elsewhere = await gateway.client(1003).sale(payment('50'))
    const form = { ...refundOf(String(elsewhere.orderId)), ...credentials(1003) }
    assert.equal(codesOf(await post(form, key)), 'APPROVED 0/100')
  })

  test('Twenty at once over two gateways refund once.', async () => {
    const orderId = await sold()
    const key = newReference()
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, turn) => post(refundOf(orderId), key, turn)),
    )

    assert.deepEqual([...new Set(answers.map(codesOf))], ['APPROVED 0/100'])
    assert.equal(new Set(answers.map(({ answer }) => answer['TRANS_ID'])).size, 1)
    assert.equal(answers.filter(({ replayed }) => replayed === null).length, 1)
    assert.match(await moneyOf(gateway, orderId), /refunded 1000$/)
  })

  test('One key for many orders at once refunds one of them.', async () => {
    const orders = await Promise.all(Array.from({ length: 10 }, () => sold()))
    const key = newReference()
    const answers = await Promise.all(
      orders.map((orderId, turn) => post(refundOf(orderId), key, turn)),
    )

    assert.deepEqual(answers.map(codesOf).toSorted(), [
      'APPROVED 0/100',
      ...Array.from({ length: 9 }, () => 'REFUSED 0/685 IDEMPOTENCY_KEY'),
    ])
  })

  test('No table holds the key or the content as text.', async () => {
    const orderId = await sold()
    const key = `plain-key-${newReference()}`
    await post(refundOf(orderId), key)
    const { rows } = await gateway.pool.query(
      `select 1 from idempotency_keys k where k::text like '%plain-key%'`,
    )
    assert.deepEqual(rows, [])
  })
})

suite('an adjustment by REQUEST_REF_PO_ID_XTL', () => {
  const refundOf = (reference: string): Record<string, string> => ({
    REQUEST_ACTION: 'CCCREDIT',
    REQUEST_REF_PO_ID_XTL: reference,
    LI_VALUE_1: '10.00',
  })

  test('A reference of one order names it, also beside its declined attempts.', async () => {
    const reference = newReference()
    await shop().sale(payment('6.00', { orderReference: reference }))
    const orderId = await sold(reference)
    const { answer } = await post(refundOf(reference))

    assert.equal(answer['TRANS_STATUS_NAME'], 'APPROVED')
    assert.equal(String(answer['PO_ID']), orderId)
  })

  test('A reference of two approved orders is 113 and moves nothing.', async () => {
    const reference = newReference()
    const orders = [await sold(reference), await sold(reference)]

    assert.equal(codesOf(await post(refundOf(reference))), 'REFUSED 113/0 REQUEST_REF_PO_ID_XTL')
    for (const orderId of orders) assert.match(await moneyOf(gateway, orderId), /refunded 0$/)
  })

  test("An unknown reference and another merchant's are unknown orders.", async () => {
    const reference = newReference()
    await gateway.client(1002).sale(payment('50', { orderReference: reference }))

    assert.equal(codesOf(await post(refundOf(reference))), 'DECLINED 0/512')
    assert.equal(codesOf(await post(refundOf('never-sent'))), 'DECLINED 0/512')
  })

  test('PO_ID decides where both are sent.', async () => {
    const orderId = await sold()
    const both = { ...refundOf('never-sent'), REQUEST_REF_PO_ID: orderId }
    assert.equal(codesOf(await post(both)), 'APPROVED 0/100')
  })
})

suite('a repeat after a decline (O10)', () => {
  const DECLINED = '6.00'

  function basket(reference: string, more: PaymentDetails = {}): PaymentDetails {
    return payment(DECLINED, { orderReference: reference, duplicates: 'replay', ...more })
  }

  test('The same content within two minutes gets the stored record from any gateway.', async () => {
    const reference = newReference()
    const first = await shop().sale(basket(reference))
    const repeat = await shop(1).sale(basket(reference))

    assert.equal(outcome(first), 'DECLINED 0/600')
    assert.notEqual(repeat.requestId, first.requestId)
    assert.deepEqual({ ...repeat.raw, REQ_ID: '' }, { ...first.raw, REQ_ID: '' })
    assert.equal(await askedFor(reference), 1)
  })

  test('The same content after two minutes of the site is a new attempt.', async () => {
    const reference = newReference()
    const first = await shop().sale(basket(reference))
    await gateway.pool.query(
      `update order_claims set ended_at = ended_at - interval '2 minutes' where reference = $1`,
      [reference],
    )
    const later = await shop(1).sale(basket(reference))

    assert.equal(outcome(later), 'DECLINED 0/600')
    assert.notEqual(later.orderId, first.orderId)
    assert.equal(await askedFor(reference), 2)
  })

  test('Another card is a new attempt, and the first card still gets its own decline.', async () => {
    const reference = newReference()
    const first = await shop().sale(basket(reference))
    const other = await shop(1).sale(basket(reference, { cardNumber: MASTERCARD }))
    const repeat = await shop().sale(basket(reference))
    const paid = await shop(1).sale({ ...basket(reference), amount: '10' })

    assert.notEqual(other.orderId, first.orderId)
    assert.equal(repeat.orderId, first.orderId)
    assert.equal(outcome(paid), 'APPROVED 0/100')
    assert.equal(await askedFor(reference), 3)
    assert.equal(outcome(await shop().sale(basket(reference))), 'REFUSED 0/685 XTL_ORDER_ID')
  })

  test('A corrected expiry and a corrected security code are new attempts.', async () => {
    const reference = newReference()
    // A test card with a security code of its own.
    const card = { cardNumber: '4012889000000012', cvv: { mode: 'T' } } as const
    const ask = (more: PaymentDetails) =>
      shop().sale(
        payment('10', { orderReference: reference, duplicates: 'replay', ...card, ...more }),
      )
    assert.equal(outcome(await ask({ expiry: '012020' })), 'DECLINED 0/624')
    assert.equal(outcome(await ask({ securityCode: '999' })), 'DECLINED 0/621')
    assert.equal(outcome(await ask({ securityCode: '123' })), 'APPROVED 0/100')
  })

  test('Mode 1 begins a new attempt at once.', async () => {
    const reference = newReference()
    await shop().sale(basket(reference))
    const again = await shop(1).sale(basket(reference, { duplicates: 'refuse' }))

    assert.equal(outcome(again), 'DECLINED 0/600')
    assert.equal(await askedFor(reference), 2)
  })

  test('A decline without the bank gets its stored record, too.', async () => {
    const reference = newReference()
    const ask = () => shop().sale(basket(reference, { expiry: '012020' }))
    const [first, repeat] = [await ask(), await ask()]

    assert.equal(outcome(first), 'DECLINED 0/624')
    assert.equal(repeat.transactionId, first.transactionId)
  })

  test('An approval of mode 0 takes the reference of a decline.', async () => {
    const reference = newReference()
    await shop().sale(basket(reference))
    const paid = await shop().sale(payment('10', { orderReference: reference }))
    const repeat = await shop(1).sale({ ...basket(reference), amount: '10' })

    assert.equal(outcome(paid), 'APPROVED 0/100')
    assert.equal(repeat.transactionId, paid.transactionId)
  })

  test('Twenty at once over two gateways make one request to the bank.', async () => {
    const reference = newReference()
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, turn) => shop(turn).sale(basket(reference))),
    )

    assert.deepEqual([...new Set(answers.map(outcome))], ['DECLINED 0/600'])
    assert.equal(new Set(answers.map(({ transactionId }) => transactionId)).size, 1)
    assert.equal(await askedFor(reference), 1)
  })

  test('Twenty at once after the two minutes make one more request to the bank.', async () => {
    const reference = newReference()
    await shop().sale(basket(reference))
    await gateway.pool.query(
      `update order_claims set ended_at = ended_at - interval '2 minutes' where reference = $1`,
      [reference],
    )
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, turn) => shop(turn).sale(basket(reference))),
    )

    assert.equal(await askedFor(reference), 2)
  })

  test('Every claim stands for an order of its state.', async () => {
    assert.deepEqual(await brokenInvariants(gateway), [])
  })
})

suite('the lock of an order that two gateways adjust (Lock first, read after)', () => {
  /** The answers of both gateways to an adjustment; each waits for the lock of the order. */
  async function bothAtOnce(
    orderId: string,
    adjust: (by: SingleRequestClient) => Promise<Transaction>,
  ): Promise<string[]> {
    const holder = await gateway.pool.connect()
    await holder.query('begin')
    try {
      await holder.query('select from orders where id = $1 for update', [orderId])
      const asked = Promise.all([adjust(shop(0)), adjust(shop(1))])
      await untilRow(
        gateway,
        'both gateways wait for the order',
        `select from pg_stat_activity where datname = current_database()
            and wait_event_type = 'Lock' and query like '%from orders%for update' having count(*) = 2`,
      )
      await holder.query('commit')
      return (await asked).map(outcome).toSorted()
    } finally {
      await holder.query('rollback')
      holder.release()
    }
  }

  test('The gateway that waited captures no more than the other one left.', async () => {
    const { orderId } = await shop().authorize(payment('10'))
    assert.deepEqual(await bothAtOnce(orderId, (by) => by.capture({ orderId, amount: '6' })), [
      'APPROVED 0/100',
      'DECLINED 0/506',
    ])
    assert.match(await moneyOf(gateway, orderId), /^authorized 1000, captured 600, /)
  })

  test('The gateway that waited refunds no more than the other one left.', async () => {
    const orderId = await sold()
    assert.deepEqual(await bothAtOnce(orderId, (by) => by.refund({ orderId, amount: '30' })), [
      'APPROVED 0/100',
      'DECLINED 0/516',
    ])
    assert.match(await moneyOf(gateway, orderId), /, refunded 3000$/)
  })
})

suite('a payment with an idempotency key (O18)', () => {
  const saleOf = (amount = '10.00', more: Record<string, string> = {}): Record<string, string> => ({
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: amount,
    ...more,
  })
  const credit: Record<string, string> = {
    ...saleOf('10.00', credentials(1003)),
    REQUEST_ACTION: 'CCCREDIT',
    FORCE_CREDIT: '1',
  }
  const atOnce = (form: Record<string, string>, key: string) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, turn) => post(form, key, turn)))
  type Posted = Awaited<ReturnType<typeof post>>
  const idsOf = (answers: readonly Posted[]) =>
    new Set(answers.map(({ answer }) => answer['TRANS_ID']))

  test('A repeated payment gets its stored answer under a REQ_ID of its own, from any gateway.', async () => {
    for (const action of ['CCAUTHCAP', 'CCAUTHORIZE']) {
      const key = newReference()
      const form = saleOf('10.00', { REQUEST_ACTION: action })
      const first = await post(form, key)
      const repeat = await post({ ...form, PMT_KEY: '999' }, key, 1)

      assert.equal(codesOf(first), 'APPROVED 0/100')
      assert.deepEqual([first.replayed, repeat.replayed], [null, 'true'])
      assert.notEqual(repeat.answer['REQ_ID'], first.answer['REQ_ID'])
      assert.deepEqual({ ...repeat.answer, REQ_ID: '' }, { ...first.answer, REQ_ID: '' })
    }
  })

  test('Declines with and without the bank are repeated, and no attempt follows.', async () => {
    for (const [form, codes] of [
      [saleOf('6.00'), 'DECLINED 0/600'],
      [saleOf('10.00', { PMT_EXPIRY: '012020' }), 'DECLINED 0/624'],
    ] as const) {
      const reference = newReference()
      const key = newReference()
      const send = (turn: number) => post({ ...form, XTL_ORDER_ID: reference }, key, turn)
      const [first, repeat] = [await send(0), await send(1)]

      assert.deepEqual([codesOf(first), codesOf(repeat)], [codes, codes])
      assert.equal(idsOf([first, repeat]).size, 1)
      assert.equal(await ordersOf(reference), 1)
    }
  })

  test('Another amount, card or action under the key is 685 and moves nothing.', async () => {
    const key = newReference()
    const reference = newReference()
    await post(saleOf(), key)
    for (const change of [
      saleOf('10.01'),
      saleOf('10.00', { PMT_NUMB: MASTERCARD }),
      saleOf('10.00', { REQUEST_ACTION: 'CCAUTHORIZE' }),
      { ...credit, ...credentials() },
    ]) {
      const sent = await post({ ...change, XTL_ORDER_ID: reference }, key, 1)
      assert.equal(codesOf(sent), 'REFUSED 0/685 IDEMPOTENCY_KEY')
    }
    assert.equal(await ordersOf(reference), 0)
  })

  test('A key serves payments and adjustments alike: each refuses the other.', async () => {
    const [ofSale, ofRefund] = [newReference(), newReference()]
    const sale = await post(saleOf(), ofSale)
    const refund = {
      REQUEST_ACTION: 'CCCREDIT',
      REQUEST_REF_PO_ID: String(sale.answer['PO_ID']),
      LI_VALUE_1: '1.00',
    }
    assert.equal(codesOf(await post(refund, ofSale)), 'REFUSED 0/685 IDEMPOTENCY_KEY')
    assert.equal(codesOf(await post(refund, ofRefund)), 'APPROVED 0/100')
    assert.equal(codesOf(await post(saleOf(), ofRefund)), 'REFUSED 0/685 IDEMPOTENCY_KEY')
  })

  test('A refused payment takes no key: the request is judged again.', async () => {
    const key = newReference()
    const form = saleOf('10.00', { CUST_ID: '999999999' })
    assert.equal(codesOf(await post(form, key)), 'REFUSED 115/0')
    assert.equal(codesOf(await post(saleOf('10,00'), key)), 'REFUSED 112/0 LI_VALUE_1')
    assert.equal(codesOf(await post(saleOf(), key)), 'APPROVED 0/100')
  })

  test('A payment under a key of the wrong form, or under two keys, is refused.', async () => {
    assert.equal(codesOf(await post(saleOf(), 'k'.repeat(65))), 'REFUSED 111/0 IDEMPOTENCY_KEY')
    const both = saleOf('10.00', { IDEMPOTENCY_KEY: 'one' })
    assert.equal(codesOf(await post(both, 'other')), 'REFUSED 113/0 IDEMPOTENCY_KEY')
  })

  test('The key of one site is free at another.', async () => {
    const key = newReference()
    const answers = [
      await post(saleOf(), key),
      await post(saleOf('10.00', credentials(1003)), key),
      await post(saleOf('10.00', credentials(1002)), key),
    ]
    assert.deepEqual(answers.map(codesOf), Array(3).fill('APPROVED 0/100'))
    assert.equal(idsOf(answers).size, 3)
  })

  test('Twenty sales at once over two gateways ask the bank once.', async () => {
    for (const modes of [{}, { UNIQUE_XTL_ORDER_ID: '1' }, { UNIQUE_XTL_ORDER_ID: '2' }]) {
      const reference = newReference()
      // The bank takes its time, so that every repeat waits for it.
      const form = saleOf('9100.05', { XTL_ORDER_ID: reference, ...modes })
      const answers = await atOnce(form, newReference())

      assert.deepEqual([...new Set(answers.map(codesOf))], ['APPROVED 0/100'])
      assert.equal(idsOf(answers).size, 1)
      assert.equal(answers.filter(({ replayed }) => replayed === null).length, 1)
      assert.equal(await askedFor(reference), 1)
    }
  })

  test('Twenty sales at once with a new login name create one customer and one order.', async () => {
    const reference = newReference()
    const login = { CUST_LOGIN: newReference(), XTL_CUST_ID: newReference() }
    const form = saleOf('9100.02', { XTL_ORDER_ID: reference, ...login })
    const answers = await atOnce(form, newReference())

    assert.deepEqual([...new Set(answers.map(codesOf))], ['APPROVED 0/100'])
    assert.equal(await askedFor(reference), 1)
  })

  test('Twenty sales at once with one card token charge it once.', async () => {
    for (const modes of [{}, { UNIQUE_XTL_ORDER_ID: '2' }]) {
      const reference = newReference()
      const { PMT_NUMB: _, ...form } = saleOf('10.00', { XTL_ORDER_ID: reference, ...modes })
      const { token } = await newToken(gateway.baseUrl)
      const answers = await atOnce({ ...form, TOKEN_GUID: token }, newReference())

      assert.deepEqual([...new Set(answers.map(codesOf))], ['APPROVED 0/100'])
      assert.equal(await askedFor(reference), 1)
    }
  })

  test('Twenty unreferenced credits at once move funds once.', async () => {
    const reference = newReference()
    const answers = await atOnce({ ...credit, XTL_ORDER_ID: reference }, newReference())

    assert.deepEqual([...new Set(answers.map(codesOf))], ['APPROVED 0/100'])
    assert.equal(idsOf(answers).size, 1)
    assert.equal(await askedFor(reference), 1)
  })

  test('One key for many payments at once charges one of them.', async () => {
    const key = newReference()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) => post(saleOf(`1${turn}.00`), key, turn)),
    )
    assert.deepEqual(answers.map(codesOf).toSorted(), [
      'APPROVED 0/100',
      ...Array.from({ length: 9 }, () => 'REFUSED 0/685 IDEMPOTENCY_KEY'),
    ])
  })

  test('The key is asked before the order reference, which mode 1 or 2 then judges.', async () => {
    const reference = newReference()
    const [first, second, third] = [newReference(), newReference(), newReference()]
    const inMode = (mode: string, amount = '10.00') =>
      saleOf(amount, { XTL_ORDER_ID: reference, UNIQUE_XTL_ORDER_ID: mode })
    const sale = await post(inMode('1'), first)
    assert.equal(codesOf(sale), 'APPROVED 0/100')

    // Another key: the reference decides.
    assert.equal(codesOf(await post(inMode('1'), second)), 'REFUSED 0/685 XTL_ORDER_ID')
    const repeated = await post(inMode('2'), second, 1)
    assert.deepEqual([codesOf(repeated), repeated.replayed], ['APPROVED 0/100', null])
    // The answer has taken the second key.
    assert.equal((await post(inMode('2'), second)).replayed, 'true')
    assert.equal(codesOf(await post(inMode('2', '11'), second)), 'REFUSED 0/685 IDEMPOTENCY_KEY')
    assert.equal(codesOf(await post(inMode('2', '11'), third)), 'REFUSED 0/685 XTL_ORDER_ID')
    // Its own key: the first answer, in every mode.
    const again = await post(inMode('1'), first, 1)
    assert.deepEqual([codesOf(again), again.replayed], ['APPROVED 0/100', 'true'])
    assert.equal(idsOf([sale, repeated, again]).size, 1)
    assert.equal(await askedFor(reference), 1)
  })

  test('Twenty keys at once for one order reference stand for one payment.', async () => {
    const reference = newReference()
    const form = saleOf('9100.02', { XTL_ORDER_ID: reference, UNIQUE_XTL_ORDER_ID: '2' })
    const keys = Array.from({ length: AT_ONCE }, () => newReference())
    const send = () => Promise.all(keys.map((key, turn) => post(form, key, turn)))
    const [answers, repeats] = [await send(), await send()]

    assert.deepEqual([...new Set([...answers, ...repeats].map(codesOf))], ['APPROVED 0/100'])
    assert.equal(idsOf([...answers, ...repeats]).size, 1)
    assert.deepEqual([...new Set(repeats.map(({ replayed }) => replayed))], ['true'])
    assert.equal(await askedFor(reference), 1)
  })

  test('An outcome that stays unknown is the answer to every repeat.', async () => {
    const reference = newReference()
    const key = newReference()
    // The bank holds the amount and closes the connection.
    const form = saleOf('9104.00', { XTL_ORDER_ID: reference, UNIQUE_XTL_ORDER_ID: '2' })
    const first = await post(form, key)
    const repeat = await post(form, key, 1)

    assert.deepEqual([codesOf(first), codesOf(repeat)], Array(2).fill('FAILED 0/502'))
    assert.equal(idsOf([first, repeat]).size, 1)
    assert.equal(await askedFor(reference), 1)
  })

  test('Every key stands for a transaction of its site, and the books agree.', async () => {
    await untilNoAdviceIsQueued(gateway)
    await assertBooksAreClean(gateway)
  })

  test('A repeat finds the payment whose gateway was killed, and charges nothing.', async () => {
    const reference = newReference()
    const key = newReference()
    const form = saleOf('9101.00', { XTL_ORDER_ID: reference })
    const lost = post(form, key, 1).then(
      () => 'answered',
      () => 'lost',
    )
    await untilRow(
      gateway,
      'the bank is asked',
      `select 1 from transactions t join orders o on o.id = t.order_id
        where o.reference = $1 and t.state = 'running'`,
      [reference],
    )
    await node.kill()
    assert.equal(await lost, 'lost')
    const repeats = Promise.all([post(form, key), post(form, key)])
    // As if the resolver's time had passed.
    await gateway.pool.query(
      `update transactions t set created_at = t.created_at - interval '2 minutes'
         from orders o where o.id = t.order_id and o.reference = $1`,
      [reference],
    )
    const answers = await repeats

    assert.deepEqual(answers.map(codesOf), Array(2).fill('FAILED 0/502'))
    assert.deepEqual(
      answers.map(({ replayed }) => replayed),
      ['true', 'true'],
    )
    assert.equal(codesOf(await post(saleOf('9101.02'), key)), 'REFUSED 0/685 IDEMPOTENCY_KEY')
    assert.equal(await ordersOf(reference), 1)
    await untilNoAdviceIsQueued(gateway)
    await assertBooksAreClean(gateway)
  })
})
