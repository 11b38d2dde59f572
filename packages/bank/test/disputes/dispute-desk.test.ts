import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MERCHANT } from '../settlement/settling.ts'
import { aDisputingBank, refused } from './disputing.ts'

test('notices are numbered without gaps, and state order, amount and the network limit', async (t) => {
  const { desk, notices, raise, sell } = await aDisputingBank(t)
  const order = await sell(12_050n)

  const notice = await raise(order, 'chargeback', { reason: '13.1' })

  await raise(order, 'fraud_report')
  const { 7: time, 11: stan, 32: acquirer, 41: terminal } = order.fields
  assert.deepEqual(
    { ...notice, rrn: '', ref: '' },
    {
      n: 1,
      id: 'MERCHANT0001-D1',
      at: '2026-03-14T12:00:00.000Z',
      case: 'C-MERCHANT0001-1',
      event: 'chargeback',
      order: `${acquirer}/${terminal}/${stan}/${time}`,
      rrn: '',
      ref: '',
      brand: 'visa',
      amount: '120.50',
      currency: 'USD',
      reason: '13.1',
      network_due: '2026-04-13',
    },
  )
  assert.deepEqual(
    notices().map(({ n }) => n),
    [1, 2],
  )
  assert.deepEqual(
    desk.list(MERCHANT, 1).map(({ event }) => event),
    ['fraud_report'],
  )
  assert.deepEqual(desk.list('OTHER', 0), [])
})

test('a page of notices has 500 at most', async (t) => {
  const { desk, raise, sell } = await aDisputingBank(t)
  const order = await sell(1000n)
  const raised = Array.from({ length: 501 }, () => raise(order, 'fraud_report'))
  await Promise.all(raised)

  assert.equal(desk.list(MERCHANT, 0).length, 500)
  assert.deepEqual(
    desk.list(MERCHANT, 500).map(({ n }) => n),
    [501],
  )
})

test('the limit of an answer follows brand and stage', async (t) => {
  const { answer, desk, notices, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(1000n, { brand: 'MASTERCARD' }), 'chargeback')
  await answer(id, '')
  await desk.move(MERCHANT, id, 'pre_arbitration')
  await answer(id, '')
  await desk.move(MERCHANT, id, 'arbitration')

  assert.deepEqual(
    notices().map(({ event, network_due: due }) => `${event} ${due}`),
    [
      'chargeback 2026-04-28',
      'representment undefined',
      'pre_arbitration 2026-04-13',
      'representment undefined',
      'arbitration 2026-04-28',
    ],
  )
})

test('an answer is decided by its words when the next day begins', async (t) => {
  const cases = [
    ['It has winning_evidence, and losing_evidence too.', 'won'],
    ['losing_evidence and escalate_evidence', 'lost'],
    ['Nothing that convinces.', 'lost'],
    ['escalate_evidence', 'pre_arbitration'],
  ] as const
  for (const [text, end] of cases) {
    const { answer, events, pass, raise, sell } = await aDisputingBank(t)
    const { case: id } = await raise(await sell(1000n), 'chargeback')
    const { answer: acknowledged, event } = await answer(id, text)
    assert.deepEqual([event, acknowledged], ['representment', 'A-1'])
    await pass(0)
    assert.equal(events().length, 2)

    await pass(1)

    assert.equal(events().at(-1), `${end} 1`, text)
  }
})

test('a case that escalates twice is decided in arbitration', async (t) => {
  const { answer, events, pass, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(1000n), 'chargeback')

  for (let at = 0; at < 3; at += 1) {
    await answer(id, 'escalate_evidence')
    await pass(1)
  }

  assert.equal(
    events()
      .map((event) => event.split(' ')[0])
      .join(' '),
    'chargeback representment pre_arbitration representment arbitration representment lost',
  )
})

for (const stage of ['chargeback', 'pre_arbitration', 'arbitration'] as const) {
  test(`silence at ${stage} loses the case after the network's limit, and not on it`, async (t) => {
    const { answer, desk, events, pass, raise, sell } = await aDisputingBank(t)
    const { case: id } = await raise(await sell(1000n), 'chargeback')
    for (const next of ['pre_arbitration', 'arbitration'] as const) {
      if (events().at(-1) === `${stage} 1`) break
      await answer(id, '')
      await desk.move(MERCHANT, id, next)
    }
    await pass(stage === 'arbitration' ? 10 : 30)
    assert.equal(events().at(-1), `${stage} 1`)

    await pass(1)

    assert.equal(events().at(-1), 'lost 1')
  })
}

test('an inquiry is withdrawn by winning evidence and by silence, and becomes a chargeback otherwise', async (t) => {
  const { answer, events, pass, raise, sell } = await aDisputingBank(t)
  const inquiries = [await sell(1000n), await sell(1001n), await sell(1002n)]
  for (const order of inquiries) await raise(order, 'inquiry')
  await answer('C-MERCHANT0001-1', 'winning_evidence')
  await answer('C-MERCHANT0001-2', 'losing_evidence')

  await pass(1)

  assert.deepEqual(events().slice(-2), ['withdrawn 1', 'chargeback 2'])
  await pass(30)
  assert.deepEqual(events().slice(-1), ['withdrawn 3'])
})

test('an inquiry becomes a chargeback of the same case by the control API', async (t) => {
  const { moneyOf, raise, sell } = await aDisputingBank(t)
  const order = await sell(10_000n)
  const { case: id } = await raise(order, 'inquiry')

  const notice = await raise(null, 'chargeback', { case: id, minor: 2500n, reason: '13.3' })

  assert.deepEqual([notice.case, notice.amount, notice.reason], [id, '25.00', '13.3'])
  assert.deepEqual(await moneyOf(id), ['chargeback -25.00', 'dispute_fee -15.00'])
  await refused(raise(order, 'chargeback', { case: id }), 409, /is at chargeback and cannot become/)
  await refused(raise(order, 'inquiry', { case: 'C-1' }), 404, /has no case C-1 of this order/)
  const other = await raise(await sell(500n), 'inquiry')
  await refused(raise(order, 'chargeback', { case: other.case }), 404, /of this order/)
})

test('the bank disputes at most what is captured, not refunded and not disputed yet', async (t) => {
  const { raise, refund, sell } = await aDisputingBank(t)
  const order = await sell(10_000n)
  await refund(order, 2500n)
  await raise(order, 'chargeback', { minor: 500n })

  const rest = await raise(order, 'chargeback')

  assert.equal(rest.amount, '70.00')
  await refused(
    raise(order, 'inquiry'),
    409,
    /100\.00 are captured, 25\.00 refunded and 75\.00 disputed\. State minor/,
  )
  const onPurpose = await raise(order, 'chargeback', { minor: 10_000n })
  assert.equal(onPurpose.amount, '100.00')
})

test('the amount of an ended case may be disputed again unless it was lost', async (t) => {
  const { desk, raise, sell } = await aDisputingBank(t)
  const order = await sell(1000n)
  const first = await raise(order, 'chargeback')
  await desk.move(MERCHANT, first.case, 'won')
  const second = await raise(order, 'chargeback')
  assert.equal(second.amount, '10.00')

  await desk.move(MERCHANT, second.case, 'lost')

  await refused(raise(order, 'chargeback'), 409, /10\.00 disputed/)
})

test('a refund during an inquiry lowers its chargeback, and a full one withdraws it', async (t) => {
  const { answer, events, notices, pass, raise, refund, sell } = await aDisputingBank(t)
  const [partly, wholly] = [await sell(1000n), await sell(2000n)]
  for (const order of [partly, wholly]) {
    const { case: id } = await raise(order, 'inquiry')
    await answer(id, 'losing_evidence')
  }
  await refund(partly, 400n)
  await refund(wholly, 2000n)

  await pass(1)

  assert.deepEqual(events().slice(-2), ['chargeback 1', 'withdrawn 2'])
  assert.equal(notices().at(-2)?.amount, '6.00')
})

test('an order without a capture, and one of another merchant, do not exist for disputes', async (t) => {
  const { raise, sell } = await aDisputingBank(t)
  const order = await sell(1000n)
  const unknown = { order: '400001/TERM0001/000000/0314120000' }
  await refused(raise(null, 'chargeback', unknown), 404, /has no captured order 400001/)
  await refused(raise(order, 'chargeback', { merchant: 'OTHER' }), 404, /OTHER has no captured/)
  await refused(raise(order, 'chargeback', { rrn: '000000000000' }), 404, /no captured order/)
})

test('an order is found by the DE 37 of its capture', async (t) => {
  const { raise, sell } = await aDisputingBank(t)
  const order = await sell(1000n)
  const { rrn = '' } = await raise(order, 'fraud_report')

  const notice = await raise(null, 'chargeback', { rrn })

  assert.equal(notice.order, `400001/TERM0001/${order.fields[11]}/0314120000`)
})

test('an answer id is answered from memory, and another content under it is refused', async (t) => {
  const { answer, events, pass, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(1000n), 'chargeback')
  const file = { name: 'slip.pdf', type: 'application/pdf', sha256: '0'.repeat(64), bytes: 7 }
  const first = await answer(id, 'winning_evidence', { id: 'A-9', files: [file] })
  await pass(1)

  const again = await answer(id, 'winning_evidence', { id: 'A-9', files: [file] })

  assert.deepEqual(again, first)
  assert.deepEqual(events(), ['chargeback 1', 'representment 1', 'won 1'])
  for (const other of [{ text: 'other' }, { files: [] }, { answer: 'accept' as const }]) {
    const more = { id: 'A-9', files: [file], ...other }
    await refused(answer(id, 'winning_evidence', more), 409, /A-9 was given to C-.* a new id/)
  }
})

test('a case takes one answer for each stage, and none after its end', async (t) => {
  const { answer, desk, pass, raise, sell } = await aDisputingBank(t)
  const order = await sell(1000n)
  const { case: id } = await raise(order, 'chargeback')
  await answer(id, 'winning_evidence')
  await refused(answer(id, ''), 409, /contested since 2026-03-14\. It takes the next answer/)
  await pass(1)
  await refused(answer(id, ''), 409, /is won and takes no answer any more/)
  await refused(desk.move(MERCHANT, id, 'lost'), 409, /cannot become lost/)
  const report = await raise(order, 'fraud_report')
  await refused(answer(report.case, ''), 409, /is fraud_report and takes no answer/)
  await refused(answer('C-0', ''), 404, /has no case C-0/)
})

test('an answer after the network limit is refused, since the case is lost by then', async (t) => {
  const { answer, bank, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(1000n), 'chargeback')
  bank.nowMs += 31 * 86_400_000

  await refused(answer(id, 'winning_evidence'), 409, /is lost and takes no answer/)
})

test('an inquiry is not accepted, and moves only to withdrawn', async (t) => {
  const { answer, desk, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(1000n), 'inquiry')
  await refused(
    answer(id, '', { answer: 'accept' }),
    409,
    /nothing to accept\. Contest it, or refund/,
  )
  for (const to of ['won', 'lost', 'pre_arbitration', 'arbitration'] as const) {
    await refused(desk.move(MERCHANT, id, to), 409, /cannot become/)
  }

  assert.equal((await desk.move(MERCHANT, id, 'withdrawn')).event, 'withdrawn')
})

test('a case moves to the stage behind its own only once it is contested', async (t) => {
  const { answer, desk, raise, sell } = await aDisputingBank(t)
  const { case: id } = await raise(await sell(1000n), 'chargeback')
  await refused(desk.move(MERCHANT, id, 'pre_arbitration'), 409, /is at chargeback and cannot/)
  await answer(id, '')
  await refused(desk.move(MERCHANT, id, 'arbitration'), 409, /cannot become arbitration/)

  assert.equal((await desk.move(MERCHANT, id, 'pre_arbitration')).event, 'pre_arbitration')
})

test('notices have the time of the site whose clock is ahead, and never go back in time', async (t) => {
  const { bank, notices, pass, raise, sell } = await aDisputingBank(t)
  const order = await sell(1000n)
  await raise(order, 'fraud_report')
  bank.nowMs -= 3_600_000
  await raise(order, 'fraud_report')
  await pass(2)
  await raise(order, 'fraud_report')

  assert.deepEqual(
    notices().map(({ at }) => at),
    ['2026-03-14T12:00:00.000Z', '2026-03-14T12:00:00.000Z', '2026-03-16T00:00:00.000Z'],
  )
})
