import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aDisputingBank } from './disputing.ts'

/** The brand and reason of a chargeback, and whether its answer is credited until the decision. */
const FLOWS = [
  { name: "Visa's allocation", brand: 'VISA', reason: '10.4', isCredited: false },
  { name: "Visa's authorization codes", brand: 'VISA', reason: '11.3', isCredited: false },
  { name: "Visa's processing errors", brand: 'VISA', reason: '12.6.1', isCredited: true },
  { name: "Visa's consumer disputes", brand: 'VISA', reason: '13.1', isCredited: true },
  { name: 'Mastercard', brand: 'MASTERCARD', reason: '4837', isCredited: true },
  { name: 'any other brand', brand: 'AMERICANEXPRESS', reason: 'F29', isCredited: false },
]

const TAKEN = ['chargeback -100.00', 'dispute_fee -15.00']
const CREDIT = 'dispute_reversal 100.00'
const AGAIN = 'chargeback_again -100.00'

for (const { brand, isCredited, name, reason } of FLOWS) {
  const when = isCredited ? 'with the answer' : 'when it is won'

  test(`a chargeback of ${name} is credited ${when}`, async (t) => {
    const { answer, moneyOf, pass, raise, sell } = await aDisputingBank(t)
    const order = await sell(10_000n, { brand })
    const { case: id } = await raise(order, 'chargeback', { reason })
    assert.deepEqual(await moneyOf(id), TAKEN)

    await answer(id, 'winning_evidence')

    assert.deepEqual(await moneyOf(id), isCredited ? [...TAKEN, CREDIT] : TAKEN)
    await pass(1)
    assert.deepEqual(await moneyOf(id), [...TAKEN, CREDIT])
  })

  test(`a lost chargeback of ${name} costs its amount once`, async (t) => {
    const { answer, moneyOf, pass, raise, sell } = await aDisputingBank(t)
    const order = await sell(10_000n, { brand })
    const { case: id } = await raise(order, 'chargeback', { reason })
    await answer(id, 'losing_evidence')

    await pass(1)

    assert.deepEqual(await moneyOf(id), isCredited ? [...TAKEN, CREDIT, AGAIN] : TAKEN)
  })

  test(`an accepted pre-arbitration of ${name} costs its amount once`, async (t) => {
    const { answer, moneyOf, pass, raise, sell } = await aDisputingBank(t)
    const order = await sell(10_000n, { brand })
    const { case: id } = await raise(order, 'chargeback', { reason })
    await answer(id, 'escalate_evidence')
    await pass(1)

    const { event } = await answer(id, '', { answer: 'accept' })

    assert.equal(event, 'accepted')
    assert.deepEqual(await moneyOf(id), isCredited ? [...TAKEN, CREDIT, AGAIN] : TAKEN)
  })
}

test('an accepted chargeback moves nothing after its debit', async (t) => {
  const { answer, moneyOf, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(10_000n), 'chargeback')

  await answer(id, '', { answer: 'accept' })

  assert.deepEqual(await moneyOf(id), TAKEN)
})

test('a withdrawn chargeback is credited, and its fee is kept', async (t) => {
  const { desk, moneyOf, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(10_000n), 'chargeback')

  await desk.move('MERCHANT0001', id, 'withdrawn')

  assert.deepEqual(await moneyOf(id), [...TAKEN, CREDIT])
})

test('a rapid resolution is lost at once with its debit and fee', async (t) => {
  const { events, moneyOf, raise, sell } = await aDisputingBank(t)

  const { case: id, network_due: due } = await raise(await sell(10_000n), 'rapid_resolution')

  assert.equal(due, undefined)
  assert.deepEqual(events(), ['rapid_resolution 1'])
  assert.deepEqual(await moneyOf(id), TAKEN)
})

test('inquiries and fraud reports move no money', async (t) => {
  const { moneyOf, raise, sell } = await aDisputingBank(t)
  const order = await sell(10_000n)
  const inquiry = await raise(order, 'inquiry')
  const report = await raise(order, 'fraud_report')

  assert.deepEqual(await moneyOf(inquiry.case), [])
  assert.deepEqual(await moneyOf(report.case), [])
  assert.deepEqual([inquiry.case, report.case], ['C-MERCHANT0001-1', 'C-MERCHANT0001-2'])
})

test('a disputed order of 7.00 euros is debited in US dollars with its original amount', async (t) => {
  const { make, raise, sell } = await aDisputingBank(t)
  const order = await sell(700n, { currency: '978', batch: '' })
  const notice = await raise(order, 'chargeback')

  const { lines } = await make()

  assert.equal(`${notice.amount} ${notice.currency}`, '7.00 EUR')
  const line = lines.find(({ kind }) => kind === 'chargeback')
  assert.equal(line?.['gross'], '-5.69')
  assert.deepEqual(line?.['orig'], { amount: '7.00', currency: 'EUR', rate: '0.812345' })
})

test('a line of a dispute names the case, the order and its capture as the notice does', async (t) => {
  const { make, raise, sell } = await aDisputingBank(t)
  const notice = await raise(await sell(10_000n), 'chargeback', { reason: '13.1' })

  const { lines } = await make()

  const names = ['case', 'order', 'ref', 'rrn', 'reason'] as const
  const line = lines.find(({ kind }) => kind === 'chargeback')
  for (const name of names) assert.equal(line?.[name], notice[name], name)
})
