import { decodePrivateData } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateOf } from '../../src/books/order.ts'
import { GOOD_VISA, aBank, aCapture, aCredit, aFolder } from '../support/test-bank.ts'
import { aPartialReversal, aRefund, aReversal } from '../support/test-bank.ts'
import { anAuthorization, messageKey, moneyOf, repeated } from '../support/test-bank.ts'
import type { TestBank } from '../support/test-bank.ts'

async function codeOf(bank: TestBank, message: IsoMessage): Promise<string | undefined> {
  return (await bank.send(message)).fields[39]
}

function orderState({ store }: TestBank, authorization: IsoMessage): string {
  const order = store.books.find(messageKey(authorization))
  assert.equal(order?.kind, 'auth')
  return order?.kind === 'auth' ? stateOf(order) : ''
}

test('an answer repeats what identifies its request and nothing that is secret', async (t) => {
  const bank = await aBank(t)
  const asked = anAuthorization()

  const answer = await bank.send(asked)

  assert.equal(answer.mti, '0110')
  for (const field of [3, 7, 11, 32, 37, 41]) {
    assert.equal(answer.fields[field], asked.fields[field])
  }
  assert.match(answer.fields[38] ?? '', /^[0-9A-Z]{6}$/)
  for (const field of [2, 14, 49, 123]) assert.equal(answer.fields[field], undefined)
  assert.equal(decodePrivateData(answer.fields[48] ?? '')['CV'], undefined)
})

test('a repeat gets the first answer, field by field, and nothing is applied twice', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  const messages = [authorization, aCapture(authorization, 600n), aRefund(authorization, 100n)]
  messages.push(aCredit(), anAuthorization({ minor: 635n }), aReversal(anAuthorization()))
  const first: IsoMessage[] = []
  for (const message of messages) first.push(await bank.send(message))
  const money = moneyOf(bank, GOOD_VISA)
  const records = bank.store.journal.end.seq

  const again: IsoMessage[] = []
  for (const message of messages) again.push(await bank.send(repeated(message)))
  const literally = await bank.send(authorization)

  assert.deepEqual(again, first)
  assert.deepEqual(literally, first[0])
  assert.deepEqual(moneyOf(bank, GOOD_VISA), money)
  assert.equal(bank.store.journal.end.seq, records)
})

test('repeats that come at the same moment as their original get its answer', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()

  const answers = await Promise.all(
    [authorization, repeated(authorization), repeated(authorization)].map((one) => bank.send(one)),
  )

  assert.deepEqual(answers[1], answers[0])
  assert.deepEqual(answers[2], answers[0])
  assert.equal(moneyOf(bank, GOOD_VISA).held, 1000n)
})

test('the same answers come after a restart, from the snapshot and from the journal', async (t) => {
  const folder = await aFolder(t)
  const before = await aBank(t, folder)
  const authorization = anAuthorization()
  const messages = [authorization, aCapture(authorization, 600n), anAuthorization({ minor: 501n })]
  const first: IsoMessage[] = []
  for (const message of messages) first.push(await before.send(message))
  await before.close()

  const after = await aBank(t, folder)

  for (const [index, message] of messages.entries()) {
    assert.deepEqual(await after.send(repeated(message)), first[index])
  }
  assert.deepEqual(moneyOf(after, GOOD_VISA), moneyOf(before, GOOD_VISA))
})

test('a key that comes back with another kind of message is refused with 94', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)
  const unrelated = aCredit()
  for (const field of [7, 11, 32, 41]) unrelated.fields[field] = authorization.fields[field] ?? ''

  assert.equal(await codeOf(bank, unrelated), '94')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -1000n, held: 1000n, ledger: 0n })
})

test('a reversal that comes first is remembered, and its original holds nothing', async (t) => {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  const authorization = anAuthorization()

  assert.equal(await codeOf(bank, aReversal(authorization)), '25')
  await bank.close()
  const later = await aBank(t, folder)

  assert.equal(await codeOf(later, authorization), '21')
  assert.equal(await codeOf(later, repeated(authorization)), '21')
  assert.equal(await codeOf(later, aReversal(authorization)), '21')
  assert.equal(await codeOf(later, aCapture(authorization, 1n)), '76')
  assert.deepEqual(moneyOf(later, GOOD_VISA), { available: 0n, held: 0n, ledger: 0n })
})

test('a credit and a capture that were reversed before they came are not applied', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)
  const [credit, capture] = [aCredit(), aCapture(authorization, 500n)]

  assert.equal(await codeOf(bank, aReversal(credit)), '25')
  assert.equal(await codeOf(bank, aReversal(capture)), '25')

  assert.equal(await codeOf(bank, credit), '21')
  assert.equal(await codeOf(bank, capture), '21')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -1000n, held: 1000n, ledger: 0n })
})

test('an order goes from held through captured to refunded', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)

  assert.equal(orderState(bank, authorization), 'held')
  assert.equal(await codeOf(bank, aCapture(authorization, 400n)), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -1000n, held: 600n, ledger: -400n })
  assert.equal(orderState(bank, authorization), 'captured')
  assert.equal(await codeOf(bank, aRefund(authorization, 150n)), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -850n, held: 600n, ledger: -250n })
  assert.equal(orderState(bank, authorization), 'refunded')
})

test('captures go up to the approved amount, and one above it is recorded', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)
  const tooMuch = aCapture(authorization, 401n)

  assert.equal(await codeOf(bank, aCapture(authorization, 600n)), '00')
  assert.equal(await codeOf(bank, tooMuch), '76')
  assert.equal(await codeOf(bank, aCapture(authorization, 400n)), '00')
  assert.equal(await codeOf(bank, repeated(tooMuch)), '76')
  assert.equal(await codeOf(bank, aCapture(authorization, 1n)), '76')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -1000n, held: 0n, ledger: -1000n })
})

test('captures and refunds without an order, or in another currency, are 76', async (t) => {
  const bank = await aBank(t)
  const [known, declined] = [anAuthorization(), anAuthorization({ minor: 635n })]
  await bank.send(known)
  await bank.send(declined)
  const inEuros = aCapture(known, 100n)
  inEuros.fields[49] = '978'

  for (const advice of [
    aCapture(anAuthorization(), 100n),
    aRefund(anAuthorization(), 100n),
    aCapture(declined, 100n),
    aRefund(declined, 100n),
    inEuros,
  ]) {
    assert.equal(await codeOf(bank, advice), '76')
  }
})

test('a capture is booked on an account that refuses new payments', async (t) => {
  const bank = await aBank(t)
  const lost = '4000009000000417'
  const authorization = anAuthorization({ pan: lost, minor: 508n })
  await bank.send(authorization)

  assert.equal(await codeOf(bank, aCapture(authorization, 508n)), '00')
})

test('a whole reversal releases the rest of the hold, once', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)
  await bank.send(aCapture(authorization, 300n))

  assert.equal(await codeOf(bank, aReversal(authorization)), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -300n, held: 0n, ledger: -300n })
  assert.equal(await codeOf(bank, aReversal(authorization)), '21')
  assert.equal(await codeOf(bank, aPartialReversal(authorization, 300n)), '21')
  assert.equal(await codeOf(bank, aCapture(authorization, 1n)), '76')
  assert.equal(await codeOf(bank, aRefund(authorization, 300n)), '00')
})

test('a reversed order of which nothing was captured is never refunded', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)
  await bank.send(aReversal(authorization))

  assert.equal(orderState(bank, authorization), 'reversed')
  assert.equal(await codeOf(bank, aRefund(authorization, 1n)), '76')
})

test('a reversal of a refused authorization has nothing to do', async (t) => {
  const bank = await aBank(t)
  const declined = anAuthorization({ minor: 635n })
  await bank.send(declined)

  assert.equal(await codeOf(bank, aReversal(declined)), '21')
})

test('a partial reversal lowers the hold, never below the captured amount', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)
  await bank.send(aCapture(authorization, 400n))

  assert.equal(await codeOf(bank, aPartialReversal(authorization, 700n)), '00')
  assert.equal(moneyOf(bank, GOOD_VISA).held, 300n)
  assert.equal(await codeOf(bank, aPartialReversal(authorization, 399n)), '76')
  assert.equal(await codeOf(bank, aPartialReversal(authorization, 700n)), '21')
  assert.equal(await codeOf(bank, aCapture(authorization, 301n)), '76')
  assert.equal(await codeOf(bank, aPartialReversal(authorization, 400n)), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -400n, held: 0n, ledger: -400n })
})

test('a partial reversal of something unknown is 25 and leaves no tombstone', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()

  assert.equal(await codeOf(bank, aPartialReversal(authorization, 100n)), '25')
  assert.equal(await codeOf(bank, authorization), '00')
})

test('a reversed capture is held again, or free where the order was reversed before', async (t) => {
  const bank = await aBank(t)
  const [first, second] = [anAuthorization(), anAuthorization()]
  const captures = [aCapture(first, 1000n), aCapture(second, 600n)] as const
  for (const message of [first, second, ...captures]) await bank.send(message)

  assert.equal(await codeOf(bank, aReversal(captures[0])), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -2000n, held: 1400n, ledger: -600n })
  assert.equal(await codeOf(bank, aCapture(first, 1000n)), '00')
  assert.equal(await codeOf(bank, aReversal(second)), '00')
  assert.equal(await codeOf(bank, aReversal(captures[1])), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -1000n, held: 0n, ledger: -1000n })
  assert.equal(await codeOf(bank, aReversal(captures[1])), '21')
  assert.equal(await codeOf(bank, aCapture(second, 1n)), '76')
})

test('an advice from another terminal finds its original by its tag OT', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)
  const elsewhere = { 41: 'T2' }
  const capture = changed(aCapture(authorization, 400n), {
    ...elsewhere,
    48: 'OT008TERM0001SQ00201',
  })
  const reversal = changed(aReversal(capture), { ...elsewhere, 48: 'OT002T2RR002VD' })
  const lost = changed(aReversal(authorization), { ...elsewhere, 48: 'RR002VD' })

  assert.equal(await codeOf(bank, capture), '00')
  assert.equal(await codeOf(bank, reversal), '00')
  assert.equal(await codeOf(bank, lost), '25')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -1000n, held: 1000n, ledger: 0n })
})

test('captures, refunds and credits can be reversed in part', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  const [capture, refund] = [aCapture(authorization, 1000n), aRefund(authorization, 500n)]
  const credit = aCredit({ minor: 800n })
  for (const message of [authorization, capture, refund, credit]) await bank.send(message)

  assert.equal(await codeOf(bank, aPartialReversal(capture, 900n)), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: 300n, held: 100n, ledger: 400n })
  assert.equal(await codeOf(bank, aPartialReversal(refund, 200n)), '00')
  assert.equal(await codeOf(bank, aPartialReversal(credit, 0n)), '00')
  assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: -800n, held: 100n, ledger: -700n })
  assert.equal(await codeOf(bank, aReversal(credit)), '21')
})

test('a refund to another card credits that card, and its reversal debits it', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  const other = '5555555555554444'
  const refund = aRefund(authorization, 400n)
  refund.fields[2] = other
  for (const message of [authorization, aCapture(authorization, 1000n), refund]) {
    await bank.send(message)
  }

  assert.equal(moneyOf(bank, other).available, 400n)
  assert.equal(await codeOf(bank, aReversal(refund)), '00')
  assert.deepEqual(moneyOf(bank, other), { available: 0n, held: 0n, ledger: 0n })
})

test('captures and refunds are answered with the batch they are in', async (t) => {
  const bank = await aBank(t)
  const authorization = anAuthorization()
  await bank.send(authorization)

  const { fields } = await bank.send(aCapture(authorization, 1000n))

  const batch = String(Math.floor(bank.nowMs / 86_400_000)).padStart(6, '0')
  assert.deepEqual(decodePrivateData(fields[48] ?? ''), { BN: batch })
})

test('a number that is no card of any brand is 14, in payments and in credits', async (t) => {
  const bank = await aBank(t)

  assert.equal(await codeOf(bank, anAuthorization({ pan: '9999999999999995' })), '14')
  assert.equal(await codeOf(bank, anAuthorization({ pan: '4111111111111112' })), '14')
  assert.equal(await codeOf(bank, anAuthorization({ pan: '9999999999999995', minor: 508n })), '14')
  assert.equal(await codeOf(bank, aCredit({ pan: '9999999999999995' })), '14')
})

function without(message: IsoMessage, field: number): IsoMessage {
  const { [field]: _gone, ...fields } = message.fields
  return { mti: message.mti, fields }
}

function changed(message: IsoMessage, fields: Record<number, string>): IsoMessage {
  return { mti: message.mti, fields: { ...message.fields, ...fields } }
}

const UNREADABLE: readonly (readonly [what: string, () => IsoMessage, code: string])[] = [
  ['without a card number', () => without(anAuthorization(), 2), '30'],
  ['without an amount', () => without(anAuthorization(), 4), '30'],
  ['without a currency', () => without(anAuthorization(), 49), '30'],
  ['without a merchant', () => without(anAuthorization(), 42), '30'],
  ['without a STAN', () => without(anAuthorization(), 11), '30'],
  ['from an acquirer with a zero in front', () => changed(anAuthorization(), { 32: '0123' }), '30'],
  ['with torn private data', () => changed(anAuthorization(), { 48: 'CP0021' }), '30'],
  ['with a card check of 10.00', () => changed(anAuthorization(), { 3: '330000' }), '30'],
  ['with an amount of zero', () => anAuthorization({ minor: 0n }), '13'],
  ['with another processing code', () => changed(anAuthorization(), { 3: '010000' }), '12'],
  ['of a type that has no meaning here', () => ({ ...anAuthorization(), mti: '0120' }), '12'],
  ['that credits nothing', () => aCredit({ minor: 0n }), '13'],
  ['that reverses without DE 90', () => without(aReversal(anAuthorization()), 90), '30'],
  ['that captures nothing', () => aCapture(anAuthorization(), 0n), '13'],
]

for (const [what, build, code] of UNREADABLE) {
  test(`a message ${what} is answered with ${code} and moves nothing`, async (t) => {
    const bank = await aBank(t)

    assert.equal(await codeOf(bank, build()), code)
    assert.deepEqual(moneyOf(bank, GOOD_VISA), { available: 0n, held: 0n, ledger: 0n })
  })
}

test('the bank forgets messages that are too old to be repeated, but never a hold', async (t) => {
  const bank = await aBank(t)
  const [held, captured] = [anAuthorization(), anAuthorization()]
  const declined = anAuthorization({ minor: 635n })
  for (const message of [held, captured, declined, aCapture(captured, 1000n)]) {
    await bank.send(message)
  }

  const knows = (message: IsoMessage) => bank.store.books.find(messageKey(message)) !== undefined
  bank.nowMs += 31 * 86_400_000
  bank.store.books.forget(bank.nowMs)
  assert.deepEqual([declined, captured, held].map(knows), [false, true, true])
  bank.nowMs += 300 * 86_400_000
  bank.store.books.forget(bank.nowMs)
  assert.deepEqual([declined, captured, held].map(knows), [false, false, true])
  assert.equal(await codeOf(bank, aReversal(held)), '00')
})
