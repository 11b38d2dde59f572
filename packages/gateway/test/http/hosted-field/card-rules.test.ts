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
}

function load(): CardRules {
  const context = createContext()
  for (const file of ['card-brands.js', 'card-rules.js']) {
    runInContext(readFileSync(join(BROWSER_FILES_FOLDER, file), 'utf8'), context)
  }
  return runInContext(
    '({ table: BRAND_PREFIXES, brandOf, isLuhnValid, judgeNumber, judgeCode, groupDigits })',
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
