import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import { BANK_TEST_WORDS } from '../../packages/iso8583/src/index.ts'
import { booksDifferences } from '../support/bank-books.ts'
import { untilSeen } from '../support/eventually.ts'
import {
  MASTERCARD,
  moneyOf,
  newReference,
  outcome,
  payment,
  postForm,
  untilNoAdviceIsQueued,
  untilRow,
} from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { newToken } from '../support/tokens.ts'

const TIMEOUT_MS = 1_000

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: String(TIMEOUT_MS) })
})
after(() => gateway?.stop())

const JSON_ANSWER = { REQUEST_RESPONSE_FORMAT: 'JSON' }
const shop = () => gateway.client()

/** A payment with the words of a test. */
function tested(words: string, amount: string, more: PaymentDetails = {}): PaymentDetails {
  return payment(amount, { ...more, more: { ...more.more, SANDBOX_TEST: words } })
}

/** Kind, code and number of tries of an order's advices, in their sequence. */
async function advicesOf(orderId: string): Promise<string> {
  await untilNoAdviceIsQueued(gateway)
  const { rows } = await gateway.pool.query<{ advice: string }>(
    `select kind || ' ' || response_code || case when tries > 1 then ' repeated' else '' end
              as advice
       from advices where order_id = $1 order by sequence`,
    [orderId],
  )
  return rows.map(({ advice }) => advice).join(', ')
}

suite('tests that travel with a request', () => {
  afterEach(async () => {
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual(await booksDifferences(gateway), [])
  })

  test('each merchant advice code and its next attempt are in the answer, its repeat and CCSTATUS', async () => {
    const waits = { 24: 1, 26: 48, 27: 96, 28: 144, 29: 192, 30: 240 }
    const others = { '01': 'new-data', '02': 24, '03': 'never', '04': 'new-data', 21: 'never' }
    const more = { 22: 24, 25: 24, 40: 'never', 41: 'never', 42: 'never', 43: 24, 99: 24 }
    const advices = Object.entries({ ...waits, ...others, ...more })
    assert.equal(advices.length, 18)
    const saved = await shop().authorize(payment('1.00', { cardNumber: MASTERCARD }))
    const { customerId, paymentMethodId } = saved
    await Promise.all(
      advices.map(async ([mac, next]) => {
        const sale = {
          ...JSON_ANSWER,
          REQUEST_ACTION: 'CCAUTHCAP',
          CUST_ID: customerId,
          PMT_ID: paymentMethodId,
          LI_VALUE_1: '20.00',
          IDEMPOTENCY_KEY: newReference(),
          SANDBOX_TEST: `mac=${mac}`,
        }
        const first = await postForm(gateway, sale)
        const said = saidOf(first)
        const { PO_ID } = JSON.parse(first.text) as { PO_ID: number }
        const status = {
          ...JSON_ANSWER,
          REQUEST_ACTION: 'CCSTATUS',
          REQUEST_REF_PO_ID: String(PO_ID),
          REQUEST_RETRY_ADVICE: '1',
        }
        const { DATA } = JSON.parse((await postForm(gateway, status)).text) as { DATA: string[][] }
        assert.deepEqual(DATA[0]?.slice(-3), [...said, ''])
        const repeat = await postForm(gateway, sale)
        assert.equal(repeat.headers.get('idempotency-replayed'), 'true')
        assert.deepEqual(saidOf(repeat), said)
        assert.deepEqual([said[0], hoursOf(said[1])], [mac, next])
      }),
    )
  })

  /** The advice code and the next attempt in the headers of an answer. */
  function saidOf({ headers }: { readonly headers: Headers }): [string | null, string | null] {
    return [headers.get('tollgate-advice-code'), headers.get('tollgate-retry-after')]
  }

  /** Whole hours from now to a date; another word unchanged. */
  function hoursOf(next: string | null): number | string | null {
    const ms = Date.parse(next ?? '') - Date.now()
    return Number.isNaN(ms) ? next : Math.round(ms / 3_600_000)
  }

  test('a fault of the link strikes only the payment that asks for it, and its hold is gone in the end', async () => {
    const faults: Readonly<Record<keyof typeof BANK_TEST_WORDS.answer.values, string>> = {
      lost: 'FAILED 0/502 | reversal 00',
      'lost-unbooked': 'FAILED 0/502 | reversal 25',
      late: 'FAILED 0/502 | reversal 00',
      twice: 'APPROVED 0/100 | capture 00',
      closed: 'FAILED 0/502 | reversal 00',
      torn: 'FAILED 0/502 | reversal 00',
      reset: 'FAILED 0/502 | reversal 00',
      'wrong-stan': 'FAILED 0/502 | reversal 00',
      'wrong-amount': 'FAILED 0/502 | reversal 00',
      'wrong-bitmap': 'FAILED 0/502 | reversal 00',
      'held-back': 'FAILED 0/502 | reversal 25',
      overtaken: 'FAILED 0/502 | reversal 25',
    }
    const [struck, beside] = await Promise.all([
      Promise.all(
        Object.keys(faults).map((answer) => shop().sale(tested(`answer=${answer}`, '20.00'))),
      ),
      Promise.all(
        Array.from({ length: 28 }, (_, at) => shop().sale(tested('delay=300ms', `${at + 1}.50`))),
      ),
    ])
    assert.deepEqual([...new Set(beside.map(outcome))], ['APPROVED 0/100'])
    const found = await Promise.all(
      struck.map(async (sale) => `${outcome(sale)} | ${await advicesOf(sale.orderId)}`),
    )
    assert.deepEqual(found, Object.values(faults))
  })

  test('the code of a payment is kept although its answer is late, and a slow answer is in time', async () => {
    const [slow, lost] = await Promise.all([
      shop().sale(tested('de39=51; delay=100ms', '20.00')),
      shop().sale(tested('de39=51; answer=lost', '20.00')),
    ])
    assert.equal(outcome(slow), 'DECLINED 0/635')
    assert.equal(outcome(lost), 'FAILED 0/502')
    assert.equal(await advicesOf(lost.orderId), 'reversal 21')
  })

  test('a test decides over a saved card, a token, a card with an account of its own and a trigger amount', async () => {
    const saved = await shop().sale(payment('5.00'))
    const { customerId, paymentMethodId } = saved
    const more = { SANDBOX_TEST: 'de39=51' }
    const { token } = await newToken(gateway.baseUrl)
    const sales = await Promise.all([
      shop().sale({ amount: '5.00', customerId, paymentMethodId, more }),
      shop().sale({ amount: '5.00', customerId, initiator: 'merchant', recurring: 'rebill', more }),
      shop().sale({ amount: '5.00', cardToken: token, expiry: '122040', more }),
      shop().sale(payment('5.00', { cardNumber: '4000009000000433', more })),
      shop().sale(payment('6.05', { more })),
    ])
    assert.deepEqual(
      sales.map(outcome),
      sales.map(() => 'DECLINED 0/635'),
    )
  })

  test('a balance approves up to itself, in part where that is accepted, and is reported', async () => {
    const more = { SANDBOX_TEST: 'balance=20.00' }
    const [below, above, part] = await Promise.all([
      shop().sale(payment('12.50', { more })),
      shop().sale(payment('30.00', { more })),
      shop().sale(payment('30.00', { more, partial: { minimum: '5.00' } })),
    ])
    const read = (sale: Transaction) =>
      `${outcome(sale)} ${sale.value} left ${String(sale.raw['CARD_BALANCE'])}`
    assert.equal(read(below), 'APPROVED 0/100 12.5 left 7.50')
    assert.equal(read(above), 'DECLINED 0/635 30 left 20.00')
    assert.equal(read(part), 'APPROVED 0/100 20 left 0.00')
  })

  test('a network token that stood for a saved card is reported by the sale and by its repeat', async () => {
    const { customerId, paymentMethodId } = await shop().sale(payment('5.00'))
    const pay = async (form: Record<string, string>): Promise<unknown> => {
      const sale = { ...JSON_ANSWER, REQUEST_ACTION: 'CCAUTHCAP', LI_VALUE_1: '5.00', ...form }
      const card = { CUST_ID: customerId, PMT_ID: paymentMethodId }
      const { text } = await postForm(gateway, { ...sale, ...card })
      return (JSON.parse(text) as Record<string, unknown>)['TRANS_NTOKEN_USED']
    }
    const tokenized = { IDEMPOTENCY_KEY: newReference(), SANDBOX_TEST: 'network-token=used' }
    const found = [await pay({}), await pay(tokenized), await pay(tokenized)]
    assert.deepEqual(found, [0, 1, 1])
  })

  test('the account updater answers a renewal of the shop with the result that it asks for', async () => {
    const texts = {
      'new-number': 'APPROVED Account Number Change Message',
      'new-expiry': 'APPROVED Expiration Date Change Message',
      closed: 'DECLINED Closed Account Advise',
      ask: 'DECLINED ',
      unchanged: 'APPROVED ',
      'not-enrolled': 'APPROVED ',
    }
    const unkept = ['unchanged', 'not-enrolled']
    const found = await Promise.all(
      Object.keys(texts).map(async (updater) => {
        const { customerId } = await shop().sale(payment('5.00'))
        const { headers, text } = await postForm(gateway, {
          ...JSON_ANSWER,
          REQUEST_ACTION: 'CCAUTHCAP',
          CUST_ID: customerId,
          LI_VALUE_1: '5.00',
          REQUEST_REBILL: '1',
          SANDBOX_TEST: `updater=${updater}`,
        })
        const { PMT_AAU_UPDATE_DESC, TRANS_STATUS_NAME } = JSON.parse(text) as Record<
          string,
          string
        >
        const reported = headers.get('tollgate-account-update')
        assert.equal(reported, unkept.includes(updater) ? null : updater)
        return `${TRANS_STATUS_NAME} ${PMT_AAU_UPDATE_DESC}`
      }),
    )
    assert.deepEqual(found, Object.values(texts))
  })

  test('a capture, a refund and a void are misled once, and end as asked at their repeat', async () => {
    const order = async (): Promise<string> => (await shop().authorize(payment('20.00'))).orderId
    const [first, second, third] = await Promise.all([order(), order(), order()])
    const capture = { REQUEST_ACTION: 'CCCAPTURE', LI_VALUE_1: '20.00' }
    const send = (orderId: string, words: string, more: Readonly<Record<string, string>>) =>
      postForm(gateway, { REQUEST_REF_PO_ID: orderId, SANDBOX_TEST: words, ...more })
    await send(first, 'de39=96', capture)
    await send(second, 'settlement=rejected; answer=torn', capture)
    await send(third, 'answer=lost', { REQUEST_ACTION: 'CCREVERSE' })
    assert.equal(await advicesOf(first), 'capture 00 repeated')
    assert.equal(await advicesOf(second), 'capture 00 repeated')
    assert.equal(await advicesOf(third), 'reversal 00 repeated')
  })

  test('the reversal of a payment is first answered with the code that the payment asks for', async () => {
    const codes = ['21', '25', '76', '96']
    const sales = await Promise.all(
      codes.map((code) => shop().sale(tested(`answer=lost; reversal=${code}`, '20.00'))),
    )
    const found = await Promise.all(sales.map(({ orderId }) => advicesOf(orderId)))
    const repeated = 'reversal 00 repeated'
    assert.deepEqual(found, ['reversal 21', 'reversal 25', repeated, repeated])
  })

  test('the bank refuses a refund that asks for it, and the gateway reports the difference', async () => {
    const sale = await shop().sale(payment('20.00'))
    await untilNoAdviceIsQueued(gateway)
    await postForm(gateway, {
      REQUEST_ACTION: 'CCCREDIT',
      REQUEST_REF_PO_ID: sale.orderId,
      LI_VALUE_1: '5.00',
      SANDBOX_TEST: 'refund=refused',
    })
    assert.equal(await advicesOf(sale.orderId), 'capture 00, refund 76')
    assert.match(gateway.logged(), /the bank refused an advice/)
    assert.equal((await booksDifferences(gateway)).length, 1)
    // The suite compares all books: this difference has been seen.
    await gateway.pool.query('update orders set refunded_minor = 0 where id = $1', [sale.orderId])
  })

  test('an unknown word reaches neither the bank nor the log with its digits', async () => {
    const orderReference = newReference()
    const number = '4012888888881881'
    const sale = await shop().sale(tested(`de39=${number}`, '20.00', { orderReference }))
    assert.equal(outcome(sale), 'REFUSED 113/0 SANDBOX_TEST')
    assert.match(
      sale.api.advice,
      /^Invalid Data. The value of de39 is not two digits, or one of 1A/,
    )
    const { events } = await shop().status({ orderReference })
    assert.equal(events, null)
    assert.ok(!gateway.logged().includes(number))
  })
})

/** An answer as a shop sees it: its outcome, or that there was none. */
async function seen(parameters: Readonly<Record<string, string | null>>): Promise<string> {
  try {
    const { status, text } = await postForm(gateway, { ...SALE, ...parameters })
    const { API_RESPONSE, SERVICE_RESPONSE, TRANS_STATUS_NAME } = JSON.parse(text) as Record<
      string,
      unknown
    >
    return `${status} ${[TRANS_STATUS_NAME, API_RESPONSE, SERVICE_RESPONSE].join(' ')}`.trim()
  } catch {
    return 'nothing'
  }
}

const SALE = {
  REQUEST_ACTION: 'CCAUTHCAP',
  REQUEST_RESPONSE_FORMAT: 'JSON',
  PMT_NUMB: '4111111111111111',
  PMT_EXPIRY: '122040',
  LI_VALUE_1: '20.00',
}
const APPROVED = '200 APPROVED 0 100'

/** The approved payments under a reference of the shop. */
async function paymentsOf(reference: string): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: number }>(
    `select count(*)::int as count from transactions t join orders o on o.id = t.order_id
      where o.reference = $1 and t.state = 'approved'`,
    [reference],
  )
  return rows[0]?.count ?? 0
}

suite('faults between shop and gateway', () => {
  for (const [what, parameters] of [
    ['lost', { SANDBOX_TEST: 'shop=lost' }],
    ['torn', { SANDBOX_TEST: 'shop=torn' }],
    ['lost by its amount', { LI_VALUE_1: '9120.17' }],
    ['torn by its amount', { LI_VALUE_1: '9122.50' }],
    ['torn before its first byte', { LI_VALUE_1: '9122.00' }],
  ] as const) {
    test(`a sale whose answer is ${what} was made, and CCSTATUS finds it`, async () => {
      const reference = newReference()
      assert.equal(await seen({ ...parameters, XTL_ORDER_ID: reference }), 'nothing')
      const { events } = await shop().status({ orderReference: reference })
      assert.equal(events?.length, 1)
      assert.equal(await paymentsOf(reference), 1)
    })
  }

  test('a retry of a lost answer charges twice without a unique reference, and once with one', async () => {
    const lost = { SANDBOX_TEST: 'shop=lost; once=retry-1' }
    const careless = { XTL_ORDER_ID: newReference() }
    assert.equal(await seen({ ...lost, ...careless }), 'nothing')
    assert.equal(await seen({ ...lost, ...careless }), APPROVED)
    assert.equal(await paymentsOf(careless.XTL_ORDER_ID), 2)

    // The answer of an earlier payment is never lost, so the same form may be sent again.
    const careful = { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID: '2' }
    const again = { SANDBOX_TEST: 'shop=lost' }
    assert.equal(await seen({ ...again, ...careful }), 'nothing')
    assert.equal(await seen({ ...again, ...careful }), APPROVED)
    assert.equal(await paymentsOf(careful.XTL_ORDER_ID), 1)

    const keyed = { XTL_ORDER_ID: newReference(), IDEMPOTENCY_KEY: newReference() }
    assert.equal(await seen({ ...again, ...keyed }), 'nothing')
    assert.equal(await seen(keyed), APPROVED)
    assert.equal(await paymentsOf(keyed.XTL_ORDER_ID), 1)
  })

  test('a request that arrives twice is two payments, and one under an idempotency key', async () => {
    const twice = { SANDBOX_TEST: 'shop=twice' }
    const careless = { XTL_ORDER_ID: newReference() }
    assert.equal(await seen({ ...twice, ...careless }), APPROVED)
    assert.equal(await paymentsOf(careless.XTL_ORDER_ID), 2)
    const keyed = { XTL_ORDER_ID: newReference(), IDEMPOTENCY_KEY: newReference() }
    assert.equal(await seen({ ...twice, ...keyed }), APPROVED)
    assert.equal(await paymentsOf(keyed.XTL_ORDER_ID), 1)
    const refused = { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID: '1' }
    assert.equal(await seen({ ...twice, ...refused }), '200  0 685')
  })

  test('a refusal that a request asks for comes before anything has happened, and once where a name says so', async () => {
    const outcomes = { 'http-503': '503   503', 'http-429': '429  0 215', 'api-120': '200  120 0' }
    for (const [fault, expected] of Object.entries(outcomes)) {
      const named = { SANDBOX_TEST: `shop=${fault}; once=${fault}`, XTL_ORDER_ID: newReference() }
      assert.equal(await seen(named), expected)
      assert.equal(await paymentsOf(named.XTL_ORDER_ID), 0)
      assert.equal(await seen(named), APPROVED)
      assert.equal(await paymentsOf(named.XTL_ORDER_ID), 1)
    }
  })

  test('a late answer belongs to a payment that is made before it, and a shop may stop waiting', async () => {
    const soon = newReference()
    assert.equal(await seen({ LI_VALUE_1: '9121.00', XTL_ORDER_ID: soon }), APPROVED)
    const reference = newReference()
    const form = new URLSearchParams({ ...credentials(), ...SALE, XTL_ORDER_ID: reference })
    form.set('SANDBOX_TEST', 'shop-delay=120s')
    const impatience = new AbortController()
    const answer = fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
      method: 'POST',
      body: form,
      signal: impatience.signal,
    })
    await untilSeen(
      'the payment is made',
      () => paymentsOf(reference),
      (count) => count === 1,
    )
    impatience.abort()
    await assert.rejects(answer, { name: 'AbortError' })
  })

  test('a refusal that a request asks for is late too, where the request says so', async () => {
    const form = { ...credentials(), ...SALE, XTL_ORDER_ID: newReference() }
    const impatience = new AbortController()
    const answer = fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ ...form, SANDBOX_TEST: 'shop=http-503; shop-delay=120s' }),
      signal: impatience.signal,
    })
    await untilRow(
      gateway,
      'the refusal is in the request log',
      `select from requests where parameters::text like '%' || $1 || '%'`,
      [form.XTL_ORDER_ID],
    )
    impatience.abort()
    await assert.rejects(answer, { name: 'AbortError' })
  })

  test('a lost capture, a torn refund and a lost CCSTATUS were carried out', async () => {
    const sale = await shop().authorize(payment('20.00'))
    const about = { REQUEST_REF_PO_ID: sale.orderId, PMT_NUMB: null, PMT_EXPIRY: null }
    const capture = { ...about, REQUEST_ACTION: 'CCCAPTURE', SANDBOX_TEST: 'shop=lost' }
    assert.equal(await seen(capture), 'nothing')
    const refund = { ...about, REQUEST_ACTION: 'CCCREDIT', SANDBOX_TEST: 'shop=torn' }
    assert.equal(await seen({ ...refund, LI_VALUE_1: '5.00' }), 'nothing')
    const status = { ...about, REQUEST_ACTION: 'CCSTATUS', SANDBOX_TEST: 'shop=lost' }
    assert.equal(await seen({ ...status, LI_VALUE_1: null }), 'nothing')
    assert.equal(
      await moneyOf(gateway, sale.orderId),
      'authorized 2000, captured 2000, voided 0, refunded 500',
    )
  })
})

suite('published test values', () => {
  /** The named fields of the answer to a payment with these parameters, in one line. */
  async function answered(
    parameters: Readonly<Record<string, string>>,
    names: string,
  ): Promise<string> {
    const sent = { ...SALE, ...JSON_ANSWER, ...parameters }
    const { text } = await postForm(gateway, sent)
    const record = JSON.parse(text) as Record<string, unknown>
    return names
      .split(' ')
      .map((name) => String(record[name]))
      .join(' ')
  }

  test('O14: the merchant-initiated authorization of a Visa expires after four days', async () => {
    const order = { REQUEST_ACTION: 'CCAUTHORIZE', REQUEST_INITATOR: 'M', LI_VALUE_1: '12.60' }
    const id = await answered(order, 'PO_ID')
    const { rows } = await gateway.pool.query(
      `select extract(epoch from expires_at - created_at)::int / 3600 as hours
         from orders where id = $1`,
      [id],
    )
    assert.deepEqual(rows, [{ hours: 96 }])
  })

  test('three approvals a day count for each currency, and over all merchants', async () => {
    const codes = 'TRANS_STATUS_NAME SERVICE_RESPONSE'
    const card = { PMT_NUMB: '4242429000000654', LI_VALUE_1: '1.00' }
    const pounds = { ...card, REQUEST_CURRENCY: 'GBP' }
    for (const _ of [1, 2, 3]) assert.equal(await answered(pounds, codes), 'APPROVED 100')
    assert.equal(await answered(pounds, codes), 'DECLINED 625')
    const other = {
      REQ_USERNAME: 'other@tollgate.test',
      REQ_PASSWORD: 'Sandbox-4.14-other',
      SITE_ID: '1002',
    }
    assert.equal(await answered({ ...pounds, ...other }, codes), 'DECLINED 625')
    assert.equal(await answered({ ...card, REQUEST_CURRENCY: 'EUR' }, codes), 'APPROVED 100')
  })

  test('an exemption, a card check and a refused part have the answers of the documents', async () => {
    const exempt = { REQ_LOW_VALUE_SCAEXEMPTION: '1' }
    const threeDs = 'TRANS_STATUS_NAME P3DS_RESPONSE P3DS_ECI'
    assert.equal(await answered(exempt, threeDs), 'APPROVED  undefined')
    const check = {
      REQUEST_ACTION: 'CCAUTHORIZE',
      PMT_NUMB: '4000009000000110',
      LI_VALUE_1: '0.00',
    }
    const codes = 'TRANS_STATUS_NAME SERVICE_RESPONSE PROCESSOR_RESPONSE PROCESSOR_ADVICE'
    assert.match(await answered(check, codes), /^DECLINED 670 1A /)
    const part = { PMT_NUMB: '4242429000000308', LI_VALUE_1: '50.00', PARTIAL_AUTH: '1' }
    assert.equal(
      await answered({ ...part, PARTIAL_AUTH_MIN: '40.00' }, codes),
      'DECLINED 660 10 ApprvLesserAmt',
    )
  })
})
