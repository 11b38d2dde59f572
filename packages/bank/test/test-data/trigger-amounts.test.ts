import { decodePrivateData } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TRIGGER_AMOUNTS } from '../../src/test-data/trigger-amounts.ts'
import { GOOD_VISA, aBank, anAuthorization, moneyOf } from '../support/test-bank.ts'
import type { Ask } from '../support/test-bank.ts'

/** Amount, currency, then DE 39, PC, PT, IC, IT, AVS and CVV of the answer. */
const EXPECTED: readonly (readonly string[])[] = [
  ['5.01', '840', '19', '501', 'Retry', '', '', 'M', 'M'],
  ['5.02', '840', '54', '502', 'Expired Card', '', '', 'M', 'M'],
  ['5.03', '840', 'N7', '503', 'Failed CVV', '', '', 'M', 'M'],
  ['5.04', '840', '6P', '504', 'Failed AVS', '', '', 'M', 'M'],
  ['5.05', '840', '05', '505', 'Declined', '', '', 'M', 'M'],
  ['5.06', '840', '59', '506', 'Fraud', '', '', 'M', 'M'],
  ['5.07', '840', '61', '507', 'Overlimit', '', '', 'M', 'M'],
  ['5.08', '840', '00', '', '', '', '', 'N', 'M'],
  ['5.18', '840', '30', '518', 'Missing Required Field', '', '', 'M', 'M'],
  ['5.30', '840', '91', '530', 'Downstream Processor Unavail', '', '', 'M', 'M'],
  ['6.00', '840', '05', '600', 'General Decline', '', '', 'M', 'M'],
  ['6.05', '840', '43', '605', 'Stolen Card', '', '', 'M', 'M'],
  ['6.10', '840', '04', '610', 'Pickup Card', '', '', 'M', 'M'],
  ['6.20', '840', 'N7', '620', 'Invalid CVV', '', '', 'M', 'M'],
  ['6.24', '840', '54', '624', 'Expired Card', '', '', 'M', 'M'],
  ['6.35', '840', '51', '635', 'Insufficient Funds', '', '', 'M', 'M'],
  ['6.60', '840', '51', '660', 'ApprvLesserAmt', '', '', 'M', 'M'],
  ['7.00', '978', '00', '', '', '', '', 'M', 'M'],
  ['7.25', '840', '00', '', '', '', '', 'M', 'N'],
  ['8.81', '840', 'R1', '881', '', 'R1', 'Revocation of All Authorizations', 'M', 'M'],
  ['8.83', '840', 'R3', '883', '', 'R3', 'Revocation of All Authorizations', 'M', 'M'],
  ['9.91', '840', 'R1', 'R1', 'Revocation of All Authorizations', '', '', 'M', 'M'],
  ['9.93', '840', 'R3', 'R3', 'Revocation of All Authorizations', '', '', 'M', 'M'],
]

function minorOf(amount: string): bigint {
  return BigInt(amount.replace('.', ''))
}

for (const [amount = '', currency = '', ...rest] of EXPECTED) {
  test(`${amount} in currency ${currency} is answered as the table says`, async (t) => {
    const bank = await aBank(t)

    const { fields } = await bank.send(anAuthorization({ minor: minorOf(amount), currency }))

    const { IC = '', IT = '', PC = '', PT = '' } = decodePrivateData(fields[48] ?? '')
    const [avs, cvv] = [fields[44]?.[1], fields[44]?.[2]]
    assert.deepEqual([fields[39], PC, PT, IC, IT, avs, cvv], rest)
    const held = fields[39] === '00' ? minorOf(amount) : 0n
    assert.equal(moneyOf(bank, GOOD_VISA, currency).held, held)
  })
}

test('no amount is a trigger without being in the table above', () => {
  const listed = TRIGGER_AMOUNTS.map(({ amount }) => amount)

  assert.deepEqual(
    listed,
    EXPECTED.map(([amount]) => amount),
  )
})

test('every other amount from 0.01 to 12.00 approves', async (t) => {
  const bank = await aBank(t)
  const triggers = new Set(EXPECTED.map(([amount = '']) => minorOf(amount)))
  const minors = Array.from({ length: 1200 }, (_, index) => BigInt(index + 1))

  const asked = minors.filter((minor) => !triggers.has(minor))
  const answers = await Promise.all(asked.map((minor) => bank.send(anAuthorization({ minor }))))

  assert.deepEqual(new Set(answers.map(({ fields }) => fields[39])), new Set(['00']))
})

const PARTIAL_CASES: readonly (readonly [what: string, ask: Ask, code: string, minor: string])[] = [
  ['approves 5.50 where a part is accepted', { tags: { PA: '1' } }, '10', '000000000550'],
  ['approves 5.50 down to just that', { tags: { PA: '1', PM: '550' } }, '10', '000000000550'],
  ['declines less than is accepted', { tags: { PA: '1', PM: '551' } }, '51', '000000000660'],
  ['declines where only the whole will do', {}, '51', '000000000660'],
]

for (const [what, ask, code, minor] of PARTIAL_CASES) {
  test(`6.60 ${what}`, async (t) => {
    const bank = await aBank(t)

    const { fields } = await bank.send(anAuthorization({ minor: 660n, ...ask }))

    assert.deepEqual([fields[39], fields[4]], [code, minor])
    assert.equal(fields[54], code === '10' ? '0057840D000000000660' : undefined)
    assert.equal(moneyOf(bank, GOOD_VISA).held, code === '10' ? 550n : 0n)
  })
}

test('7.00 EUR returns its settlement amount, and 7.00 USD is like any other amount', async (t) => {
  const bank = await aBank(t)

  const euros = await bank.send(anAuthorization({ minor: 700n, currency: '978' }))
  const dollars = await bank.send(anAuthorization({ minor: 700n }))

  const conversion = [euros.fields[5], euros.fields[9], euros.fields[50]]
  assert.deepEqual(conversion, ['000000000569', '60812345', '840'])
  assert.deepEqual([dollars.fields[39], dollars.fields[5]], ['00', undefined])
})

test('currencies without hundredths have no trigger amounts', async (t) => {
  const bank = await aBank(t)

  const yen = await bank.send(anAuthorization({ minor: 635n, currency: '392' }))
  const dinars = await bank.send(anAuthorization({ minor: 635n, currency: '414' }))

  assert.deepEqual([yen.fields[39], dinars.fields[39]], ['00', '00'])
})

test('a trigger amount decides even on a card that is lost', async (t) => {
  const bank = await aBank(t)
  const lost = '4000009000000417'

  const declined = await bank.send(anAuthorization({ pan: lost, minor: 635n }))
  const approved = await bank.send(anAuthorization({ pan: lost, minor: 508n }))

  assert.deepEqual([declined.fields[39], approved.fields[39]], ['51', '00'])
})

test('the amounts that set a result leave it out where no check was requested', async (t) => {
  const bank = await aBank(t)
  const unchecked = { address: null, tags: { CP: '0' } }

  const address = await bank.send(anAuthorization({ minor: 508n, ...unchecked }))
  const code = await bank.send(anAuthorization({ minor: 725n, ...unchecked }))

  assert.deepEqual([address.fields[44], code.fields[44]], ['5000', '5000'])
})
