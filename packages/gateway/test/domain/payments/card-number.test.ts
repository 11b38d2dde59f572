import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'

const VISA = '4111111111111111'

/** Every number of five digits or more that a text shows. */
function longNumbersIn(text: string): readonly string[] {
  return text.match(/\d{5,}/g) ?? []
}

test('a card number knows its brand, its BIN, its last four digits and its check digit', () => {
  const number = new CardNumber('5555555555554444')
  assert.deepEqual(
    [number.brand, number.bin, number.last4, number.isLuhnValid],
    ['Mastercard', '555555', '4444', true],
  )
  assert.equal(new CardNumber('5555555555554445').isLuhnValid, false)
  assert.equal(new CardNumber('9999999999999999').brand, null)
})

test('the leading digits of a card number are eight, or six of a number of 15 digits', () => {
  assert.equal(new CardNumber('4111112345671111').leadingDigits, '41111123')
  assert.equal(new CardNumber('378282246310005').leadingDigits, '378282')
})

test('a card number starts with its own first digits and with no others', () => {
  const number = new CardNumber(VISA)
  assert.equal(number.startsWith('41111111'), true)
  assert.equal(number.startsWith('41111112'), false)
})

test('a card number returns its digits only when it is asked to reveal them', () => {
  assert.equal(new CardNumber(VISA).reveal(), VISA)
})

test('a card number shows in no string, JSON, inspection, error, copy or key of an object', () => {
  const number = new CardNumber(VISA)
  const shown = [
    `${number}`,
    String(number),
    JSON.stringify(number),
    JSON.stringify({ nested: [number] }),
    JSON.stringify({ ...number }),
    inspect(number),
    inspect({ nested: [number] }, { depth: 9, showHidden: true }),
    format('%s %o %O %j', number, number, number, number),
    new Error(`failed with ${number}`).message,
    JSON.stringify(Object.entries(number)),
    JSON.stringify(structuredClone({ ...number })),
  ]
  for (const text of shown) assert.deepEqual(longNumbersIn(text), [], text)
  assert.equal(`${number}`, '[card number]')
  assert.equal(JSON.stringify({ number }), '{"number":"[card number]"}')
  assert.equal(inspect(number), '[card number]')
})
