import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURRENCIES, currencyByNumeric, findCurrency } from '../src/currency.ts'

test('every entry is three letters, three digits and 0, 2, 3 or 4 decimals', () => {
  assert.equal(CURRENCIES.length, 156)
  for (const { code, numeric, digits } of CURRENCIES) {
    assert.match(code, /^[A-Z]{3}$/)
    assert.match(numeric, /^\d{3}$/)
    assert.ok([0, 2, 3, 4].includes(digits), code)
  }
})

test('no alphabetic or numeric code stands twice', () => {
  assert.equal(new Set(CURRENCIES.map(({ code }) => code)).size, CURRENCIES.length)
  assert.equal(new Set(CURRENCIES.map(({ numeric }) => numeric)).size, CURRENCIES.length)
})

const KNOWN = [
  ['USD', '840', 2],
  ['EUR', '978', 2],
  ['HUF', '348', 2],
  ['JPY', '392', 0],
  ['KWD', '414', 3],
  ['UYW', '927', 4],
  ['ALL', '008', 2],
  ['XCG', '532', 2],
  ['ZWG', '924', 2],
] as const

for (const [code, numeric, digits] of KNOWN) {
  test(`${code} is ${numeric} and has ${digits} decimals`, () => {
    assert.deepEqual({ ...findCurrency(code) }, { code, numeric, digits })
    assert.equal(currencyByNumeric(numeric), findCurrency(code))
  })
}

test('an alphabetic code is found in any case', () => {
  assert.equal(findCurrency('eur'), findCurrency('EUR'))
  assert.equal(findCurrency('eUr')?.code, 'EUR')
})

const UNKNOWN = ['XAU', 'XDR', 'XXX', 'XTS', 'BGN', 'ANG', 'HRK', 'CHE', 'EURO', 'EU', '', '978']

for (const code of UNKNOWN) {
  test(`'${code}' is no currency that can be paid in`, () => {
    assert.equal(findCurrency(code), null)
  })
}

test('a numeric code that no currency has finds no currency', () => {
  assert.equal(currencyByNumeric('000'), null)
  assert.equal(currencyByNumeric('8'), null)
})

test('the currencies are those of the platform, but for what is named here', () => {
  const platform = new Set(Intl.supportedValuesOf('currency'))
  const ours = new Set(CURRENCIES.map(({ code }) => code))

  // Not in daily use, so the platform leaves them out.
  assert.deepEqual([...ours].filter((code) => !platform.has(code)).toSorted(), ['UYW', 'VED'])
  // Withdrawn, or nothing to pay with.
  const known = ['ANG', 'BGN', 'CUC', 'HRK', 'SLL', 'XDR', 'XSU', 'ZWL']
  assert.deepEqual(
    [...platform].filter((code) => !ours.has(code) && !known.includes(code)),
    [],
  )
})
