import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Operator } from '../../packages/gateway/src/wiring/operator.ts'
import {
  customerPayment,
  operatorOf,
  outcomes,
  putRules,
  rowsOf,
  setMode,
  untilRefusedWith,
} from '../support/card-testing.ts'
import { newReference, outcome, payment, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { numbersOf } from '../support/stolen-cards.ts'

let gateway: RunningGateway
let operator: Operator
before(async () => {
  gateway = await startRunningGateway()
  operator = await operatorOf(gateway)
})
after(async () => {
  await operator?.close()
  await gateway?.stop()
})

/** Authorizations and sales of the orders that the bank was asked about. */
async function askedOf(answers: readonly Transaction[]): Promise<number> {
  const rows = await rowsOf(
    gateway,
    `select count(*) from transactions where order_id = any($1) and response_code <> ''`,
    [answers.map(({ orderId }) => orderId)],
  )
  return Number(rows[0]?.['count'])
}

suite('a site that is off, as every site is at first', () => {
  test('a site without velocity rules counts nothing and opens no connection to count with', async () => {
    const answers = await Promise.all(
      numbersOf('424242', 50).map((card) =>
        gateway.client().sale(customerPayment(card, '1.00', '198.51.100.9')),
      ),
    )

    assert.deepEqual(outcomes(answers), { 'APPROVED 0/100': 50 })
    const sessions = await rowsOf(
      gateway,
      `select application_name from pg_stat_activity where application_name like 'tollgate card testing%'`,
    )
    assert.deepEqual(sessions, [])
    assert.deepEqual(await rowsOf(gateway, 'select from card_testing_counters'), [])
  })
})

suite('enforce', () => {
  before(async () => {
    await putRules(operator, 1001, 601)
    await setMode(operator, 1001, 'enforce')
    await untilRefusedWith(gateway.client(), 601)
  })

  test('300 cards of one BIN from one address are stopped at the limit while a shop goes on selling', async () => {
    const shop = gateway.client()
    const saved = await shop.sale(customerPayment('5555555555554444', '20.00', '192.0.2.200'))
    const reach = async (card: string, at: number): Promise<Transaction> =>
      shop.authorize(customerPayment(card, at % 2 === 0 ? '6.00' : '1.00', '203.0.113.66'))
    const attack = Promise.all(numbersOf('411111', 300).map(reach))
    const trade = await Promise.all(
      Array.from({ length: 40 }, (_, at) => {
        const [card = ''] = numbersOf(`4${30_000 + 7 * at}`, 1, at)
        const address = at % 3 === 0 ? undefined : `192.0.2.${at}`
        if (at % 4 === 0) return shop.sale({ customerId: saved.customerId, amount: '9.99' })
        if (at % 4 === 1) return shop.authorize(customerPayment(card, '0.00', address))
        return shop.sale(customerPayment(card, '24.90', address))
      }),
    )
    const attacked = await attack

    assert.deepEqual(outcomes(trade), { 'APPROVED 0/100': 40 })
    const { 'DECLINED 0/601': refused, ...reached } = outcomes(attacked)
    assert.equal(refused, 290)
    assert.equal(
      Object.values(reached).reduce((sum, n) => sum + n, 0),
      10,
    )
    assert.equal(await askedOf(attacked), 10)
  })

  test('a refused payment is stored like every decline, and its answer does not reveal the rule', async () => {
    const [card = ''] = numbersOf('411111', 1, 5_000)
    const answer = await gateway.client().sale(customerPayment(card, '1.00', '203.0.113.66'))

    assert.equal(outcome(answer), 'DECLINED 0/601')
    assert.equal(answer.service.advice, 'Scrub Decline')
    assert.equal(answer.raw['PROC_NAME'], '')
    assert.doesNotMatch(JSON.stringify(answer.raw), /rule|limit|velocity|address-|bin-|card-test/i)
    assert.deepEqual(
      await rowsOf(
        gateway,
        'select state, service_code, to_processor from transactions where order_id = $1',
        [answer.orderId],
      ),
      [{ state: 'declined', service_code: 601, to_processor: false }],
    )
    const hit = await untilRow(
      gateway,
      'the hit is kept',
      'select * from card_testing_hits where order_id = $1',
      [answer.orderId],
    )
    assert.deepEqual([hit['rule'], hit['refused'], hit['site_id']], ['address-cards', true, '1001'])
  })

  test('cards of one BIN that come from as many addresses are stopped as well', async () => {
    const attacked = await Promise.all(
      numbersOf('400011', 120).map((card, at) =>
        gateway.client().authorize(customerPayment(card, `1.${10 + (at % 80)}`, `203.0.${at}.7`)),
      ),
    )

    assert.deepEqual(outcomes(attacked), { 'APPROVED 0/100': 40, 'DECLINED 0/601': 80 })
  })

  test('a card that was declined five times gets 215, and another card of the customer is approved', async () => {
    const [card = '', other = ''] = numbersOf('400022', 2)
    const shop = gateway.client()
    const plain = `select sum(count)::int as count from card_testing_counters where cards = '{}'`
    const [before] = await rowsOf(gateway, plain)
    for (let tries = 0; tries < 5; tries += 1) {
      assert.equal(
        outcome(await shop.sale(customerPayment(card, '6.00', '192.0.2.77'))),
        'DECLINED 0/600',
      )
    }
    await untilRow(
      gateway,
      'five tries are counted, and five declines for each of card, BIN, address and amount',
      `select 1 from (${plain}) now where count = $1`,
      [Number(before?.['count']) + 5 * 5],
    )

    assert.equal(
      outcome(await shop.sale(customerPayment(card, '12.00', '192.0.2.77'))),
      'DECLINED 0/215',
    )
    assert.equal(
      outcome(await shop.sale(customerPayment(other, '12.00', '192.0.2.77'))),
      'APPROVED 0/100',
    )
  })

  test('declines of a bank that is down count against no card or address', async () => {
    const [card = ''] = numbersOf('400033', 1)
    const shop = gateway.client()
    const answers: Transaction[] = []
    for (let tries = 0; tries < 8; tries += 1)
      answers.push(await shop.sale(customerPayment(card, '5.30', '192.0.2.78')))
    assert.deepEqual(outcomes(answers), { 'DECLINED 0/530': 8 })
    assert.equal(
      outcome(await shop.sale(customerPayment(card, '12.00', '192.0.2.78'))),
      'APPROVED 0/100',
    )
  })

  test('renewals, charges of the merchant and saved cards pass where new numbers do not', async () => {
    const shop = gateway.client()
    const [card = '', ...renewed] = numbersOf('400044', 60)
    const first = await shop.sale(customerPayment(card, '3.00', '203.0.113.80'))
    await Promise.all(
      renewed.slice(0, 9).map((each) => shop.sale(customerPayment(each, '3.00', '203.0.113.80'))),
    )
    assert.equal(
      outcome(await shop.sale(customerPayment(renewed[10] ?? '', '3.00', '203.0.113.80'))),
      'DECLINED 0/601',
    )

    const passed = await Promise.all([
      ...renewed.map((each) =>
        shop.sale({ ...customerPayment(each, '3.00', '203.0.113.80'), recurring: 'rebill' }),
      ),
      ...renewed.map((each) =>
        shop.sale({ ...customerPayment(each, '3.00', '203.0.113.80'), initiator: 'merchant' }),
      ),
      ...renewed.map(() => shop.sale({ customerId: first.customerId, amount: '3.00' })),
      // Fewer than the 20 of one card that the first rule lets through.
      ...renewed.slice(0, 9).map(() =>
        shop.sale({
          ...customerPayment(card, '3.00', '203.0.113.80'),
          customerId: first.customerId,
        }),
      ),
      shop.capture({
        orderId: (await shop.authorize(customerPayment('5555555555554444', '4.00'))).orderId,
        amount: '4.00',
      }),
    ])

    assert.deepEqual(outcomes(passed), { 'APPROVED 0/100': 3 * 59 + 9 + 1 })
  })

  test('a shop that sends no address, or the one of its own proxy, is not judged by it', async () => {
    for (const address of [undefined, '10.0.0.4', '::1', 'unknown']) {
      const answers = await Promise.all(
        Array.from({ length: 15 }, (_, at) => {
          const [card = ''] = numbersOf(`4${44_000 + 11 * at}`, 1, 900 + at)
          return gateway.client().sale(customerPayment(card, '5.00', address))
        }),
      )
      assert.deepEqual(outcomes(answers), { 'APPROVED 0/100': 15 }, `from ${address}`)
    }
  })

  test('an answer from memory and what fails an earlier check are not counted', async () => {
    const shop = gateway.client()
    const address = '203.0.113.90'
    const once = { orderReference: newReference(), duplicates: 'replay' } as const
    const [card = '', ...others] = numbersOf('400055', 12)
    const limited = { ...customerPayment(card, '2.00', address), ...once }
    const first = await shop.sale(limited)
    for (let again = 0; again < 25; again += 1) {
      assert.equal((await shop.sale(limited)).transactionId, first.transactionId)
    }
    for (const each of others) {
      const wrong = each.slice(0, -1) + String((Number(each.at(-1)) + 1) % 10)
      assert.equal(
        outcome(await shop.sale(customerPayment(wrong, '2.00', address))),
        'DECLINED 0/675',
      )
      assert.equal(
        outcome(await shop.sale({ ...customerPayment(each, '2.00', address), expiry: '012020' })),
        'DECLINED 0/624',
      )
    }

    const answers: Transaction[] = []
    for (const each of others) answers.push(await shop.sale(customerPayment(each, '2.00', address)))

    assert.deepEqual(outcomes(answers), { 'APPROVED 0/100': 9, 'DECLINED 0/601': 2 })
    // The refused order does not claim its reference, so the next order can have it.
    const claim = { orderReference: newReference(), duplicates: 'refuse' } as const
    const blocked = { ...customerPayment(others[10] ?? '', '2.00', address), ...claim }
    assert.equal(outcome(await shop.sale(blocked)), 'DECLINED 0/601')
    assert.equal(outcome(await shop.sale({ ...payment('2.00'), ...claim })), 'APPROVED 0/100')
  })

  test('another site approves a payment that this site refuses', async () => {
    const [card = ''] = numbersOf('411111', 1, 7_000)
    const request = customerPayment(card, '1.00', '203.0.113.66')

    assert.equal(outcome(await gateway.client(1001).sale(request)), 'DECLINED 0/601')
    assert.equal(outcome(await gateway.client(1002).sale(request)), 'APPROVED 0/100')
    assert.equal(outcome(await gateway.client(1003).sale(request)), 'APPROVED 0/100')
  })

  test('an address that the rules leave out is judged by none that counts addresses', async () => {
    await putRules(operator, 1001, 215, { exceptAddresses: ['198.51.100.20'] })
    await untilRefusedWith(gateway.client(), 215)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => {
        const [card = ''] = numbersOf(`4${55_000 + 11 * at}`, 1, at)
        return gateway.client().sale(customerPayment(card, '5.00', '198.51.100.20'))
      }),
    )

    assert.deepEqual(outcomes(answers), { 'APPROVED 0/100': 30 })
  })

  test('the metric counts what was refused by site, and the log has a line now and then', async () => {
    const metrics = await gateway.metrics()
    const [, refused] =
      /tollgate_card_testing_hits_total\{site="1001",outcome="refused"\} (\d+)/.exec(metrics) ?? []
    assert.ok(Number(refused) > 370, metrics)
    const lines = gateway.logged().split('card testing: payments are refused').length - 1
    assert.ok(lines >= 1 && lines <= 20, String(lines))
  })

  test('no number, no BIN and no fingerprint is in what the rules keep', async () => {
    const kept = JSON.stringify([
      await rowsOf(
        gateway,
        `select encode(subject, 'hex') as subject, cards::text from card_testing_counters`,
      ),
      await rowsOf(gateway, 'select * from card_testing_hits'),
    ])
    const fingerprints = await rowsOf(
      gateway,
      `select encode(fingerprint, 'hex') as text from payment_methods`,
    )

    assert.ok(kept.length > 10_000)
    for (const { text } of fingerprints) assert.ok(!kept.includes(String(text).slice(0, 32)))
    assert.doesNotMatch(kept, /(?<![0-9a-f])(?:411111|400011)\d*(?![0-9a-f])/)
  })
})
