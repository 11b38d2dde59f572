import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { bankOrder, booksDifferences } from '../support/bank-books.ts'
import { untilSeen } from '../support/eventually.ts'
import {
  EXPIRY,
  outcome,
  payment,
  untilNoAdviceIsQueued,
  untilRow,
  VISA,
} from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const TIMEOUT_MS = 1_000

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: String(TIMEOUT_MS) })
})
after(() => gateway?.stop())

const shop = () => gateway.client()

/** A fault may have cost the link; it is back once a payment is approved. */
async function untilLinkIsUp(): Promise<void> {
  await untilSeen(
    'a payment is approved: the link is up',
    async () => outcome(await shop().authorize(payment('1.00'))),
    (seen) => seen === 'APPROVED 0/100',
  )
}

/** The codes with which the bank ended an order's advices, in their sequence. */
async function codesOf(orderId: string): Promise<string> {
  const { rows } = await gateway.pool.query<{ code: string }>(
    `select kind || ' ' || response_code as code from advices
      where order_id = $1 order by sequence`,
    [orderId],
  )
  return rows.map(({ code }) => code).join(', ')
}

suite('bank faults', () => {
  afterEach(async () => {
    await untilLinkIsUp()
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual(await booksDifferences(gateway), [])
  })

  /** A reversal is answered with 00 if the bank held the amount, and with 25 if it did not. */
  for (const [amount, what, codes] of [
    ['9101.00', 'never answers and holds the amount', 'reversal 00'],
    ['9101.01', 'never answers and holds nothing', 'reversal 25'],
    ['9102.01', 'answers after the time-out', 'reversal 00'],
    ['9104.00', 'closes the connection', 'reversal 00'],
    ['9105.00', 'tears its answer', 'reversal 00'],
    ['9106.00', 'resets the connection', 'reversal 00'],
    ['9107.00', 'answers with a wrong STAN', 'reversal 00'],
    ['9107.01', 'answers with a wrong amount', 'reversal 00'],
    ['9107.02', 'answers with a broken bitmap', 'reversal 00'],
  ] as const) {
    test(`a bank that ${what} makes a sale FAILED 502, and nothing is held in the end`, async () => {
      const sale = await shop().sale(payment(amount))

      assert.equal(outcome(sale), 'FAILED 0/502')
      await untilNoAdviceIsQueued(gateway)
      const orderId = String(sale.orderId)
      assert.equal(await codesOf(orderId), codes)
      const state = (await bankOrder(gateway, orderId))?.state ?? 'never seen'
      assert.equal(state, codes === 'reversal 00' ? 'reversed' : 'never seen')
    })
  }

  for (const [amount, what] of [
    ['9100.02', 'answers slowly'],
    ['9103.00', 'answers twice'],
    ['9111.00', 'stands in for the issuer'],
    ['9112.00', 'rejects the capture in the settlement file'],
  ] as const) {
    test(`a bank that ${what} makes a sale APPROVED, captured once`, async () => {
      const sale = await shop().sale(payment(amount))

      assert.equal(outcome(sale), 'APPROVED 0/100')
      await untilNoAdviceIsQueued(gateway)
      const orderId = String(sale.orderId)
      assert.equal(await codesOf(orderId), 'capture 00')
      const atBank = await bankOrder(gateway, orderId)
      assert.equal(atBank?.capturedMinor, BigInt(amount.replace('.', '')))
    })
  }

  test('a network that does not stand in makes a sale DECLINED 530, and nothing is reversed', async () => {
    const sale = await shop().sale(payment('9111.50'))

    assert.equal(outcome(sale), 'DECLINED 0/530')
    assert.equal(await codesOf(String(sale.orderId)), '')
  })

  for (const amount of ['9108.00', '9108.01']) {
    test(`a request of ${amount} that its reversal overtakes is refused by the bank`, async () => {
      const sale = await shop().sale(payment(amount))
      assert.equal(outcome(sale), 'FAILED 0/502')
      await untilNoAdviceIsQueued(gateway)
      const orderId = String(sale.orderId)
      assert.equal(await codesOf(orderId), 'reversal 25')

      await untilRow(
        gateway,
        'the bank has answered the request after its reversal',
        `select from late_answers l join orders o using (message_number)
          where o.id = $1 and l.response_code = '21'`,
        [orderId],
      )
      assert.equal(await bankOrder(gateway, orderId), null)
    })
  }

  test('a reset connection fails the other payments on it, each with FAILED 502', async () => {
    const beside = Array.from({ length: 10 }, () => shop().sale(payment('9100.50')))
    const reset = shop().authorize(payment('9106.00'))

    for (const sale of await Promise.all([...beside, reset])) {
      assert.equal(outcome(sale), 'FAILED 0/502')
    }
  })

  test('a capture and a void that are acknowledged the third time are each booked once', async () => {
    const client = shop()
    const { orderId } = await client.authorize(payment('9109.00'))
    await client.capture({ orderId, amount: '100' })
    await client.void({ orderId, amount: '9009' })
    await untilNoAdviceIsQueued(gateway)

    assert.equal(await codesOf(String(orderId)), 'capture 00, reversal 00')
    const { rows } = await gateway.pool.query(
      'select distinct tries from advices where order_id = $1',
      [orderId],
    )
    assert.deepEqual(rows, [{ tries: 3 }])
  })

  for (const [amount, code] of [
    ['9110.00', '21'],
    ['9110.01', '25'],
    ['9110.02', '00'],
    ['9110.03', '00'],
  ] as const) {
    test(`a void of ${amount} is sent until the bank ends it with ${code}`, async () => {
      const { orderId, status } = await shop().authorize(payment(amount))
      assert.equal(status, 'APPROVED')

      await shop().void({ orderId })

      await untilNoAdviceIsQueued(gateway)
      assert.equal(await codesOf(String(orderId)), `reversal ${code}`)
      assert.equal((await bankOrder(gateway, String(orderId)))?.heldMinor, 0n)
    })
  }

  test('an unreferenced credit that the bank does not answer is FAILED 502 and reversed', async () => {
    const refund = await gateway.client(1003).raw({
      REQUEST_ACTION: 'CCCREDIT',
      FORCE_CREDIT: '1',
      PMT_NUMB: VISA,
      PMT_EXPIRY: EXPIRY,
      LI_VALUE_1: '9101.00',
      REQUEST_RESPONSE_FORMAT: 'JSON',
    })

    assert.equal(refund['TRANS_STATUS_NAME'], 'FAILED')
    assert.equal(refund['SERVICE_RESPONSE'], 502)
    await untilNoAdviceIsQueued(gateway)
    assert.equal(await codesOf(String(refund['PO_ID'])), 'reversal 00')
    const lines = await (await fetch(`${gateway.bank.controlUrl}/books/orders`)).text()
    const refunds = lines.split('\n').filter((line) => line.includes('"kind":"credit"'))
    assert.equal(refunds.length, 1)
    assert.match(refunds[0] ?? '', /"state":"reversed".*"refundedMinor":"0"/)
  })

  test('a capture that the bank cannot take now is sent again', async () => {
    const { controlUrl } = gateway.bank
    const { orderId } = await shop().authorize(payment('20.00'))
    const rule = {
      match: { mti: '0220' },
      action: { kind: 'code', code: '96', applied: false },
      count: 1,
    }
    const { status } = await fetch(`${controlUrl}/faults`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(rule),
    })

    assert.equal(status, 201)

    const capture = await shop().capture({ orderId, amount: '20.00' })
    assert.equal(outcome(capture), 'APPROVED 0/100')

    await untilRow(
      gateway,
      'the capture was acknowledged the second time',
      `select from advices where order_id = $1 and state = 'acknowledged' and tries = 2`,
      [orderId],
    )
  })
})
