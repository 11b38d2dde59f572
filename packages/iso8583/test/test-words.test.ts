import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import {
  BANK_TEST_WORDS,
  LONGEST_TEST,
  contradictionOf,
  encodeBankTest,
  readBankTest,
  readTestWords,
  testTimeMs,
} from '../src/index.ts'
import type { TestStep } from '../src/index.ts'

function wordsOf(text: string): ReadonlyMap<string, string> {
  const reading = readBankTest(text)
  assert.equal(reading.kind, 'read', text)
  return reading.kind === 'read' ? reading.words : new Map()
}

function reasonOf(text: string): string {
  const reading = readBankTest(text)
  return reading.kind === 'refused' ? reading.reason : 'It was read.'
}

test('a test is read word by word, with blanks around its items', () => {
  const words = wordsOf('de39=51; mac=03 ;avs=N;  delay=3s')
  const expected = [
    ['de39', '51'],
    ['mac', '03'],
    ['avs', 'N'],
    ['delay', '3s'],
  ]
  assert.deepEqual([...words], expected)
  assert.equal(encodeBankTest(words), 'de39=51;mac=03;avs=N;delay=3s')
  assert.equal(encodeBankTest(new Map([['shop', 'lost']])), null)
})

for (const [text, reason] of [
  ['', /^Item 1 is not of the form word=value/],
  ['de39=51;', /^Item 2 is not of the form/],
  ['de39', /^Item 1 is not of the form/],
  ['de39 = 51', /^Item 1 is not of the form/],
  ['foo=1', /^"foo" is unknown\. The words are de39, mac, /],
  ['DE39=51', /^The word of item 1 is unknown/],
  ['toString=1', /^The word of item 1 is unknown/],
  ['constructor=1', /^"constructor" is unknown/],
  ['de39=51;de39=51', /^de39 comes twice/],
  ['de39=5l', /^The value of de39 is not two digits, or one of 1A, 5C/],
  ['de39=511', /^The value of de39 is not/],
  ['de39=1a', /^The value of de39 is not/],
  ['avs=', /^The value of avs is not one capital or digit/],
  ['answer=gone', /^The value of answer is not one of lost, lost-unbooked/],
  ['answer=constructor', /^The value of answer is not one of/],
  ['delay=121s', /^The value of delay is not a time up to 120s/],
  ['delay=3', /^The value of delay is not a time/],
  ['balance=12345678.00', /^The value of balance is not an amount/],
  [`de39=51;${' '.repeat(LONGEST_TEST)}`, /^It has 208 characters, and at most 200 are read/],
] as const) {
  test(`the test "${text.slice(0, 24)}" is refused with what is allowed`, () => {
    assert.match(reasonOf(text), reason)
  })
}

test('no text makes the reader throw, and no refusal repeats digits of it', () => {
  const item = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[a-z0-9-]{0,12}=[ -~]{0,20}$/),
    fc.constant('4111111111111111=4111111111111111'),
    fc.constant('de39=4111111111111111'),
  )
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), (items) => {
      const reading = readBankTest(items.join(';'))
      if (reading.kind === 'read') assert.ok(reading.words.size > 0)
      else assert.doesNotMatch(reading.reason, /\d{6}/)
    }),
  )
})

test('every value of a list is read, and so are the ends of each form', () => {
  const all = Object.entries(BANK_TEST_WORDS).flatMap(([name, { values }]) =>
    Object.keys(values ?? {}).map((value) => `${name}=${value}`),
  )
  const ends = ['delay=0s', 'delay=120s', 'delay=120000ms', 'balance=0', 'balance=9999999.999']
  for (const text of [...all, ...ends, 'de39=00', 'de39=99', 'de39=Z5', 'mac=99', 'cvv=0']) {
    assert.equal(readBankTest(text).kind, 'read', text)
  }
  assert.equal(testTimeMs('3s'), 3_000)
  assert.equal(testTimeMs('1500ms'), 1_500)
})

for (const [text, step, reason] of [
  ['de39=51;mac=03', 'authorization', null],
  ['mac=03', 'authorization', null],
  ['answer=late;delay=3s', 'authorization', null],
  ['de39=76;answer=lost', 'refund', null],
  ['de39=00;mac=03', 'authorization', /^mac is the advice of a decline/],
  ['de39=10;mac=03', 'authorization', /^mac is the advice of a decline/],
  ['issuer=down;de39=51', 'authorization', /^issuer decides everything/],
  ['refund=refused;de39=76', 'refund', /^refund and de39 decide the same/],
  ['answer=lost;delay=3s', 'authorization', /^delay goes with answer=late/],
  ['avs=N', 'capture', /^avs has no effect on this action/],
  ['refund=refused', 'authorization', /^refund has no effect on this action/],
  ['settlement=rejected', 'refund', /^settlement has no effect on this action/],
] as const satisfies readonly (readonly [string, TestStep, RegExp | null])[]) {
  const may = reason === null ? 'may go' : 'must not go'
  test(`the test "${text}" ${may} with a message of the kind ${step}`, () => {
    const found = contradictionOf(wordsOf(text), step)
    if (reason === null) assert.equal(found, null)
    else assert.match(found ?? '', reason)
  })
}

test('words of another table are read beside those of the bank, and are not theirs', () => {
  const own = { meaning: 'A word of the shop.', values: { lost: 'lost' }, form: null }
  const reading = readTestWords('shop=lost;de39=51', { ...BANK_TEST_WORDS, shop: own })
  assert.ok(reading.kind === 'read')
  assert.equal(contradictionOf(reading.words, 'authorization'), null)
  assert.equal(encodeBankTest(reading.words), 'de39=51')
})
