import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findCurrency } from '../../../src/domain/currency.ts'
import {
  accountNumberFault,
  accountNumberOf,
} from '../../../src/domain/settlement/account-number.ts'
import { namesPayout, recogniseEntry } from '../../../src/domain/settlement/deposit-naming.ts'
import { inSequence, placeStatement } from '../../../src/domain/settlement/statement-chain.ts'

const trace = (text: string) => ({ trace: text, payout: null })

test('a trace id is found whole or inside a text, without regard to blanks and capitals', () => {
  assert.ok(namesPayout(['TG417EUR'], trace('TG417EUR')))
  assert.ok(namesPayout(['tg417eur'], trace('TG417 EUR')))
  assert.ok(namesPayout(['MA-1042TG417EURPO'], trace('TG417EUR')))
  assert.ok(namesPayout(['X', 'MA-1042BATCH417PO-417'], { trace: 'NONE', payout: 'PO-417' }))
  assert.ok(!namesPayout(['OTHER'], trace('TG417EUR')))
  assert.ok(!namesPayout(['OTHER'], { trace: null, payout: null }))
})

test('a name with a longer number behind or in front of it is another name', () => {
  assert.ok(!namesPayout(['BATCH41PAYOUT-4171'], trace('PAYOUT-417')))
  assert.ok(namesPayout(['PAYOUT-4171PAYOUT-417X'], trace('PAYOUT-417')))
  assert.ok(!namesPayout(['9123456'], trace('123456')))
})

test('a name of less than six characters is sought as a whole text only', () => {
  assert.ok(namesPayout(['417'], trace('417')))
  assert.ok(!namesPayout(['BATCH-417-'], trace('417')))
})

test('an entry is recognised by the name, the references or an announced payout', () => {
  const entry = (name: string, text: string) => ({
    counterparties: [name],
    details: [{ endToEndId: null, remittance: text, amountMinor: null }],
  })
  const payers = [
    { sourceId: 1n, payerName: 'Bank-Demo Acquiring', referencePattern: '' },
    { sourceId: 2n, payerName: '', referencePattern: '^TG\\d{3}' },
  ]
  const announced = [{ sourceId: 3n, trace: 'PAYOUT-9', payout: null }]
  const say = (name: string, text: string) => recogniseEntry(entry(name, text), payers, announced)
  assert.deepEqual(say('BANK-DEMO  ACQUIRING ', 'X'), { sources: [1n], hasReference: false })
  assert.deepEqual(say('LANDLORD', 'TG417X'), { sources: [2n], hasReference: true })
  assert.deepEqual(say('LANDLORD', 'MYPAYOUT-9'), { sources: [3n], hasReference: false })
  assert.deepEqual(say('BANK-DEMO ACQUIRING LTD', 'ATG417'), { sources: [], hasReference: false })
})

test('an account number needs the check digits of an IBAN, and is never repeated', () => {
  assert.equal(accountNumberFault('de89 3704 0044 0532 0130 00'), null)
  assert.equal(accountNumberOf('de89 3704 0044 0532 0130 00'), 'DE89370400440532013000')
  assert.equal(accountNumberFault('GB82WEST12345698765432'), null)
  assert.equal(accountNumberFault('0123456789'), null)
  const wrong = accountNumberFault('DE89370400440532013001') ?? ''
  assert.match(wrong, /ending in 3001 has wrong check digits/)
  assert.doesNotMatch(wrong, /DE89/)
  assert.match(accountNumberFault('12') ?? '', /2 characters; expected 4 to 34/)
  assert.match(accountNumberFault('DE89') ?? '', /wrong check digits/)
})

const EUR = findCurrency('EUR')
assert.ok(EUR)
const LAST = { statement: 'S1', sequence: '225', closedOn: '2026-11-20', closingMinor: 100_000n }
const next = {
  id: 'S2',
  sequence: '226',
  currency: EUR,
  closedOn: '2026-11-23',
  openingMinor: 100_000n,
}

test('a statement follows the last one by its balance, and a gap in the numbers is a warning', () => {
  assert.deepEqual(placeStatement(next, null), { kind: 'follows', warning: null })
  assert.deepEqual(placeStatement(next, LAST), { kind: 'follows', warning: null })
  assert.deepEqual(placeStatement({ ...next, sequence: '1' }, LAST), {
    kind: 'follows',
    warning: null,
  })
  const skipped = placeStatement({ ...next, sequence: '228' }, LAST)
  assert.match(skipped.kind === 'follows' ? (skipped.warning ?? '') : '', /228.*225.*no money/)
  const gap = placeStatement({ ...next, openingMinor: 90_000n }, LAST)
  assert.match(gap.kind === 'gap' ? gap.reason : '', /opens with 900\.00; statement S1 closed/)
  const late = placeStatement({ ...next, closedOn: '2026-11-19' }, LAST)
  assert.match(late.kind === 'late' ? late.reason : '', /ends on 2026-11-19; statement S1/)
})

test('statements of one import are taken by day, and by number within a day', () => {
  const of = (closedOn: string, sequence: string | null) => ({ closedOn, sequence })
  const sorted = inSequence([of('2026-11-24', null), of('2026-11-23', '10'), of('2026-11-23', '9')])
  assert.deepEqual(
    sorted.map(({ closedOn, sequence }) => `${closedOn} ${sequence}`),
    ['2026-11-23 9', '2026-11-23 10', '2026-11-24 null'],
  )
})
