import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  holdsCardNumber,
  replaceCardNumbers,
  type CardNumberRule,
} from '../src/card-number-text.ts'

const NONE: readonly CardNumberRule[] = []
const ALL: readonly CardNumberRule[] = ['digits', 'inside', 'groups']

suite('each rule finds the card numbers that it is for', () => {
  for (const [what, text, found] of [
    ['sixteen digits', '4111111111111111', ALL],
    ['blanks', '4111 1111 1111 1111', ALL],
    ['dashes', '4111-1111-1111-1111', ALL],
    ['dashes of print', '4111\u20131111\u20131111\u20131111', ALL],
    ['dots, strokes and low lines', '4111.1111/1111_1111', ALL],
    ['stars and colons', '4111*1111:1111*1111', ALL],
    ['three signs', '4111 - 1111 - 1111 - 1111', ALL],
    ['four signs', '4111 -- 1111 -- 1111 -- 1111', NONE],
    ['a letter', '41111111x11111111', NONE],
    ['full-width digits', '\uff14\uff11\uff11\uff11'.concat('\uff11'.repeat(12)), ALL],
    ['Arabic digits', '\u0664'.concat('\u0661'.repeat(15)), ALL],
    ['a word in front', 'Visa4111111111111111', ALL],
    ['an expiry and a code behind it', '4111111111111111 12/30 123', ALL],
    ['a code behind it', '4111111111111111 123', ALL],
    ['a code right behind it', '4111111111111111123', ['digits', 'inside']],
    ['digits right in front', '994111111111111111', ['digits', 'inside']],
    ['more than nineteen digits', '99411111111111111120301', ALL],
    ['digits in front, in a group', '12 4111111111111111', ALL],
    ['fifteen digits', '378282246310005', ALL],
    ['fourteen digits', '30569309025904', ALL],
    ['thirteen digits', '4222222222222', ALL],
    ['twelve digits with a check digit', '676770000005', ['digits', 'inside']],
    ['twelve digits without one', '676770000009', ['digits']],
    ['eleven digits', '67677000000', NONE],
    ['sixteen digits with a wrong check digit', '4111111111111112', ['digits']],
    ['a number of UATP', '135410014004955', ALL],
    ['a number of Troy behind other digits', '119792030394440796', ['digits', 'inside']],
    ['a number of RuPay behind other digits', '118100000000000000', ['digits', 'inside']],
    ['a time in milliseconds', '1700000000001', ['digits']],
    ['a day and a time', '2026-11-21 10:20', ['digits']],
    ['an address of IPv4', '192.168.100.101', ['digits']],
  ] as const) {
    test(`${what}: ${found.length === 0 ? 'none' : found.join(', ')}`, () => {
      assert.deepEqual(
        ALL.filter((rule) => holdsCardNumber(text, rule)),
        found,
      )
    })
  }
})

test('each run that holds a number is replaced, and the rest stays', () => {
  const text = 'a 4111 1111 1111 1111, b 4222222222222; c 123'
  assert.equal(
    replaceCardNumbers(text, 'inside', (digits) => `<${digits.length}>`),
    'a <16>, b <13>; c 123',
  )
})

test('a text without a number is returned as it was sent, in its own digits', () => {
  const text = '\uff11\uff12 caf\u0065\u0301'
  assert.equal(
    replaceCardNumbers(text, 'digits', () => '#'),
    text,
  )
})

test('a text that is one run of twelve digits is replaced', () => {
  assert.equal(
    replaceCardNumbers('630400000000', 'digits', () => '#'),
    '#',
  )
  assert.equal(
    replaceCardNumbers('⑳⑳⑳⑳⑳⑳', 'digits', () => '#'),
    '#',
  )
})
