import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { fc } from '../../../../../test/support/properties.ts'
import { isLuhnValid } from '../../../src/base/check-digit.ts'
import { BRAND_PREFIXES, cardBrand } from '../../../src/domain/payments/card.ts'
import { BROWSER_FILES_FOLDER } from '../../../src/http/hosted-field/browser-files.ts'

interface CardRules {
  readonly table: unknown
  readonly brandOf: (digits: string) => string | null
  readonly isLuhnValid: (digits: string) => boolean
  readonly judgeNumber: (digits: string) => string
  readonly judgeCode: (digits: string, brand: string | null) => string
  readonly groupDigits: (digits: string) => string
  readonly judgeExpiry: (digits: string, now: Date) => string
  readonly expiryDigits: (text: string) => string
  readonly writeExpiry: (digits: string) => string
}

function load(): CardRules {
  const context = createContext()
  for (const file of ['card-brands.js', 'card-rules.js', 'digit-input.js']) {
    runInContext(readFileSync(join(BROWSER_FILES_FOLDER, file), 'utf8'), context)
  }
  return runInContext(
    `({ table: BRAND_PREFIXES, brandOf, isLuhnValid, judgeNumber, judgeCode, groupDigits,
      judgeExpiry, expiryDigits, writeExpiry })`,
    context,
  ) as CardRules
}

const rules = load()

test('the page finds brands by the table of the gateway', () => {
  assert.equal(JSON.stringify(rules.table), JSON.stringify(BRAND_PREFIXES))
})

test('page and gateway agree on the brand and the check digit of every number', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 8, maxLength: 19 })
  fc.assert(
    fc.property(digits, (number) => {
      assert.equal(rules.brandOf(number), cardBrand(number))
      assert.equal(rules.isLuhnValid(number), isLuhnValid(number))
    }),
  )
})

for (const [number, judgement, written] of [
  ['', 'empty', ''],
  ['4111', 'short', '4111'],
  ['4111111111111111', 'valid', '4111 1111 1111 1111'],
  ['4111111111111112', 'wrong', '4111 1111 1111 1112'],
  ['4222222222222', 'valid', '4222 2222 2222 2'],
  ['41111111111111', 'short', '4111 1111 1111 11'],
  ['378282246310005', 'valid', '3782 822463 10005'],
  ['37828224631000', 'short', '3782 822463 1000'],
  ['5555555555554444', 'valid', '5555 5555 5555 4444'],
  ['30569309025904', 'valid', '3056 9309 0259 04'],
  ['6011111111111117', 'valid', '6011 1111 1111 1117'],
] as const) {
  test(`the page says of ${number || 'no digits'}: ${judgement}`, () => {
    assert.equal(rules.judgeNumber(number), judgement)
    assert.equal(rules.groupDigits(number), written)
  })
}

test('a security code has four digits on American Express, three elsewhere, and either before the brand is known', () => {
  assert.deepEqual(
    ['American Express', 'Visa', 'Discover', null].map((brand) =>
      ['12', '123', '1234'].map((code) => rules.judgeCode(code, brand)),
    ),
    [
      ['short', 'short', 'valid'],
      ['short', 'valid', 'wrong'],
      ['short', 'valid', 'wrong'],
      ['short', 'valid', 'valid'],
    ],
  )
})

for (const [typed, digits, written] of [
  ['', '', ''],
  ['0', '0', '0'],
  ['1', '1', '1'],
  ['4', '04', '04 / '],
  ['1/', '01', '01 / '],
  ['12', '12', '12 / '],
  ['12 / 3', '123', '12 / 3'],
  ['4/31', '0431', '04 / 31'],
  ['4.31', '0431', '04 / 31'],
  ['04-2031', '0431', '04 / 31'],
  ['042031', '0431', '04 / 31'],
  ['2031-04', '0431', '04 / 31'],
  ['\uff10\uff14/\uff13\uff11', '0431', '04 / 31'],
  ['20/20', '2020', '20 / 20'],
] as const) {
  test(`the page reads the date ${typed || 'without digits'} as ${written || 'nothing'}`, () => {
    assert.equal(rules.expiryDigits(typed), digits)
    assert.equal(rules.writeExpiry(digits), written)
  })
}

test('a card is good until the last moment of the month on it, and no date has a thirteenth month', () => {
  const judged = (digits: string, now: Date): string => rules.judgeExpiry(digits, now)
  const lastMoment = new Date(2026, 10, 30, 23, 59, 59, 999)
  assert.equal(judged('1126', lastMoment), 'valid')
  assert.equal(judged('1126', new Date(2026, 11, 1)), 'wrong')
  assert.equal(judged('1226', new Date(2026, 11, 31, 23)), 'valid')
  assert.equal(judged('1226', new Date(2027, 0, 1)), 'wrong')
  assert.deepEqual(
    ['', '1', '13', '00', '12', '123', '1399', '1299'].map((digits) => judged(digits, lastMoment)),
    ['empty', 'short', 'wrong', 'wrong', 'short', 'short', 'wrong', 'valid'],
  )
})
