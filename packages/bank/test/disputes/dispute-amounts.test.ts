import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DISPUTE_AMOUNTS, findDisputeAmount } from '../../src/test-data/dispute-amounts.ts'
import { answerDays } from '../../src/test-data/dispute-deadlines.ts'
import type { DeadlinePlan } from '../../src/test-data/dispute-deadlines.ts'
import { TEST_CARDS } from '../../src/test-data/test-cards.ts'
import { MERCHANT } from '../settlement/settling.ts'
import { aCapture, anAuthorization } from '../support/test-bank.ts'
import { aDisputingBank } from './disputing.ts'

/** Event, reason and amount of the notices of each amount, by Visa and by Mastercard. */
const STORIES: Readonly<Record<string, readonly [visa: string[], mastercard: string[]]>> = {
  '9113.01': [['chargeback 10.4 9113.01'], ['chargeback 4837 9113.01']],
  '9113.02': [['chargeback 13.1 9113.02'], ['chargeback 4853 9113.02']],
  '9113.03': [['chargeback 12.6.1 9113.03'], ['chargeback 4834 9113.03']],
  '9113.04': [['chargeback 13.6 9113.04'], ['chargeback 4853 9113.04']],
  '9113.05': [['chargeback 13.2 9113.05'], ['chargeback 4853 9113.05']],
  '9113.06': [['chargeback 11.3 9113.06'], ['chargeback 4808 9113.06']],
  '9113.11': [['inquiry 13.1 9113.11'], ['inquiry 4853 9113.11']],
  '9113.12': [['inquiry 13.1 9113.12'], ['inquiry 4853 9113.12']],
  '9113.21': [['fraud_report 10.4 9113.21'], ['fraud_report 4837 9113.21']],
  '9113.22': [
    ['fraud_report 10.4 9113.22', 'chargeback 10.4 9113.22'],
    ['fraud_report 4837 9113.22', 'chargeback 4837 9113.22'],
  ],
  '9113.31': [['rapid_resolution 10.4 9113.31'], ['rapid_resolution 4837 9113.31']],
  '9113.41': [['chargeback 13.3 4556.70'], ['chargeback 4853 4556.70']],
}

suite('the disputed amounts', () => {
  for (const { amount, meaning } of DISPUTE_AMOUNTS) {
    test(`${amount} does what it says: ${meaning}`, async (t) => {
      const stories = STORIES[amount]
      assert.ok(stories)
      for (const [at, brand] of ['VISA', 'MASTERCARD'].entries()) {
        const { close, make, notices, sell } = await aDisputingBank(t)
        await sell(BigInt(amount.replace('.', '')), { brand })
        await close()
        assert.deepEqual(notices(), [])

        await make()

        const found = notices().map((each) => `${each.event} ${each.reason} ${each.amount}`)
        assert.deepEqual(found, stories[at])
      }
    })
  }

  test('the money of a disputed amount is in the file behind that of its capture', async (t) => {
    const { close, notices, pass, read, sell, settlement } = await aDisputingBank(t)
    await sell(911_301n)
    await pass(1)
    assert.deepEqual(notices(), [])
    await close()
    await pass(1)
    assert.equal(notices().length, 1)

    await pass(1)

    const kinds: unknown[] = []
    for (const file of await settlement.list(new Set())) {
      kinds.push((await read(file)).lines.map(({ kind }) => kind))
    }
    assert.deepEqual(kinds, [
      ['sale', 'payout'],
      ['chargeback', 'dispute_fee'],
    ])
  })

  test('9113.12 becomes a chargeback 3 days after its inquiry, and 9113.11 does not', async (t) => {
    const { close, events, make, pass, sell } = await aDisputingBank(t)
    await sell(911_311n)
    await sell(911_312n)
    await close()
    await make()
    await pass(2)
    assert.deepEqual(events(), ['inquiry 1', 'inquiry 2'])

    await pass(1)

    assert.deepEqual(events().slice(2), ['chargeback 2'])
    await pass(28)
    assert.deepEqual(events().slice(3), ['withdrawn 1'])
  })

  test('a captured part of another amount is disputed by the amount that was captured', async (t) => {
    const { bank, make, notices } = await aDisputingBank(t)
    const order = anAuthorization({ minor: 2_000_000n })
    await bank.send(order)
    await bank.send(aCapture(order, 911_301n))

    await make()

    assert.deepEqual(
      notices().map(({ amount, event }) => `${event} ${amount}`),
      ['chargeback 9113.01'],
    )
  })

  test('an amount that was refunded is not disputed, or only in part', async (t) => {
    const { make, notices, refund, sell } = await aDisputingBank(t)
    await refund(await sell(911_301n, { batch: '' }), 911_301n, '')
    await refund(await sell(911_302n, { batch: '' }), 911_202n, '')

    await make()

    assert.deepEqual(
      notices().map(({ amount, case: id }) => `${id} ${amount}`),
      ['C-MERCHANT0001-1 1.00'],
    )
  })

  test('a capture is disputed once, even if two files have it', async (t) => {
    const { make, notices, sell, settlement } = await aDisputingBank(t)
    await sell(911_301n, { batch: '' })
    const chain = { merchant: MERCHANT, currency: '840' }
    settlement.plant(chain, { kind: 'doubled_later', nth: 1, days: 4 })
    await make('2026-03-14')

    await make('2026-03-15')

    assert.equal(notices().length, 1)
  })

  test('a capture that its file lacks on purpose is disputed with the file that has it', async (t) => {
    const { make, notices, sell, settlement } = await aDisputingBank(t)
    await sell(1000n, { batch: '' })
    await sell(911_301n, { batch: '' })
    const chain = { merchant: MERCHANT, currency: '840' }
    settlement.plant(chain, { kind: 'missing_capture', nth: 2, days: 4 })
    await make('2026-03-14')
    assert.deepEqual(notices(), [])

    await make('2026-03-18')

    assert.equal(notices().length, 1)
  })

  test('they count only in currencies with two decimals, and only as the table has them', () => {
    assert.equal(findDisputeAmount(911_301n, '840')?.amount, '9113.01')
    assert.equal(findDisputeAmount(911_301n, '392'), null)
    assert.equal(findDisputeAmount(911_301n, '414'), null)
    assert.equal(findDisputeAmount(911_300n, '840'), null)
    assert.equal(findDisputeAmount(911_307n, '840'), null)
    assert.equal(findDisputeAmount(91_130n, '840'), null)
    assert.equal(DISPUTE_AMOUNTS.length, Object.keys(STORIES).length)
  })
})

for (const { disputedAs = '', pan } of TEST_CARDS.filter((card) => card.disputedAs)) {
  test(`each capture of ${pan.slice(0, 6)}…${pan.slice(-4)} is disputed as ${disputedAs}`, async (t) => {
    const { close, make, notices, sell } = await aDisputingBank(t)
    const brand = pan.startsWith('4') ? 'VISA' : 'MASTERCARD'
    await sell(1000n, { pan, brand })
    await sell(2000n, { pan, brand })
    await close()

    await make()

    const [story = ''] = STORIES[disputedAs]?.[brand === 'VISA' ? 0 : 1] ?? []
    assert.deepEqual(
      notices().map(({ amount, event, reason }) => `${event} ${reason} ${amount}`),
      ['10.00', '20.00'].map((amount) => story.replace(/[\d.]+$/, amount)),
    )
  })
}

test('the deadlines of a notice are those of the plan of its day', () => {
  const days = (inquiry: number) => ({
    inquiry,
    chargeback: 1,
    pre_arbitration: 2,
    arbitration: 3,
  })
  const plans: readonly [DeadlinePlan, DeadlinePlan] = [
    { from: '2020-01-01', brands: { other: days(4) } },
    { from: '2027-01-01', brands: { visa: days(5), other: days(6) } },
  ]
  assert.equal(answerDays('visa', 'inquiry', '2019-12-31', plans), 4)
  assert.equal(answerDays('visa', 'inquiry', '2026-12-31', plans), 4)
  assert.equal(answerDays('visa', 'inquiry', '2027-01-01', plans), 5)
  assert.equal(answerDays('toString', 'arbitration', '2027-01-01', plans), 3)
})
