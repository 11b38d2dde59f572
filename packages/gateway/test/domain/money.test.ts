import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import { CURRENCIES, findCurrency } from '../../src/domain/currency.ts'
import type { Currency } from '../../src/domain/currency.ts'
import { formatMinor, formatShortest, parseAmount } from '../../src/domain/money.ts'

const USD = currency('USD')
const JPY = currency('JPY')
const KWD = currency('KWD')
const UYW = currency('UYW')

const READ: readonly (readonly [text: string, currency: Currency, minor: bigint])[] = [
  ['1.25', USD, 125n],
  ['10.00', USD, 1000n],
  ['.53', USD, 53n],
  ['15', USD, 1500n],
  ['19.95', USD, 1995n],
  ['5.', USD, 500n],
  ['.5', USD, 50n],
  ['0', USD, 0n],
  ['0.00', USD, 0n],
  ['007', USD, 700n],
  ['9999999999.99', USD, 999_999_999_999n],
  ['0000000000000000001.00', USD, 100n],
  ['1000', JPY, 1000n],
  ['1000.', JPY, 1000n],
  ['999999999999', JPY, 999_999_999_999n],
  ['1.234', KWD, 1234n],
  ['1.2', KWD, 1200n],
  ['1.2345', UYW, 12345n],
]

for (const [text, inCurrency, minor] of READ) {
  test(`'${text}' ${inCurrency.code} is ${minor} minor units`, () => {
    assert.deepEqual(parseAmount(text, inCurrency), { kind: 'amount', minor })
  })
}

const REFUSED: readonly (readonly [text: string, currency: Currency, reason: string])[] = [
  ['', USD, 'not_numeric'],
  ['.', USD, 'not_numeric'],
  ['-1.00', USD, 'not_numeric'],
  ['+1.00', USD, 'not_numeric'],
  ['1,25', USD, 'not_numeric'],
  ['1,000.00', USD, 'not_numeric'],
  ['1.2.3', USD, 'not_numeric'],
  ['1e3', USD, 'not_numeric'],
  ['0x10', USD, 'not_numeric'],
  ['Infinity', USD, 'not_numeric'],
  ['$5', USD, 'not_numeric'],
  [' 5', USD, 'not_numeric'],
  ['5\n', USD, 'not_numeric'],
  ['٥', USD, 'not_numeric'],
  ['1.255', USD, 'not_numeric'],
  ['1.250', USD, 'not_numeric'],
  ['1.0', JPY, 'not_numeric'],
  ['1.2345', KWD, 'not_numeric'],
  ['10000000000.00', USD, 'too_long'],
  ['10000000000', USD, 'too_long'],
  ['1000000000000', JPY, 'too_long'],
  ['1000000000.000', KWD, 'too_long'],
]

for (const [text, inCurrency, reason] of REFUSED) {
  test(`${JSON.stringify(text)} ${inCurrency.code} is refused as ${reason}`, () => {
    assert.deepEqual(parseAmount(text, inCurrency), { kind: 'refused', reason })
  })
}

const SHOWN: readonly (readonly [Currency, bigint, fixed: string, shortest: string])[] = [
  [USD, 1250n, '12.50', '12.5'],
  [USD, 700n, '7.00', '7'],
  [USD, 1n, '0.01', '0.01'],
  [USD, 0n, '0.00', '0'],
  [USD, -5n, '-0.05', '-0.05'],
  [USD, -1000n, '-10.00', '-10'],
  [JPY, 1000n, '1000', '1000'],
  [JPY, 0n, '0', '0'],
  [JPY, -20n, '-20', '-20'],
  [KWD, 1234n, '1.234', '1.234'],
  [KWD, -1200n, '-1.200', '-1.2'],
  [UYW, 1n, '0.0001', '0.0001'],
]

for (const [inCurrency, minor, fixed, shortest] of SHOWN) {
  test(`${minor} minor units of ${inCurrency.code} are shown as ${fixed} and ${shortest}`, () => {
    assert.equal(formatMinor(minor, inCurrency), fixed)
    assert.equal(formatShortest(minor, inCurrency), shortest)
  })
}

const anyCurrency = fc.constantFrom(...CURRENCIES)
const anyMinor = fc.bigInt({ min: 0n, max: 999_999_999_999n })

test('a formatted amount is read back as the same amount, in every currency', () => {
  for (const each of CURRENCIES) {
    for (const minor of [0n, 1n, 10n, 99n, 100n, 12_345n, 999_999_999_999n]) {
      assert.deepEqual(parseAmount(formatMinor(minor, each), each), { kind: 'amount', minor })
    }
  }
  fc.assert(
    fc.property(anyCurrency, anyMinor, (each, minor) => {
      assert.deepEqual(parseAmount(formatMinor(minor, each), each), { kind: 'amount', minor })
      assert.deepEqual(parseAmount(formatShortest(minor, each), each), { kind: 'amount', minor })
    }),
  )
})

test('the shortest text is a JSON number that says the same, with no digit too many', () => {
  fc.assert(
    fc.property(anyCurrency, fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), (each, minor) => {
      const text = formatShortest(minor, each)

      assert.equal(JSON.stringify(JSON.parse(text)), text)
    }),
  )
})

test('reading never throws and never gives more than twelve digits', () => {
  fc.assert(
    fc.property(fc.string(), anyCurrency, (text, each) => {
      const reading = parseAmount(text, each)
      if (reading.kind === 'amount') assert.ok(reading.minor >= 0n && reading.minor < 10n ** 12n)
    }),
  )
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9.]{1,40}$/), anyCurrency, (text, each) => {
      const reading = parseAmount(text, each)
      if (reading.kind === 'amount') assert.ok(reading.minor >= 0n && reading.minor < 10n ** 12n)
    }),
  )
})

function currency(code: string): Currency {
  const found = findCurrency(code)
  assert.ok(found)
  return found
}
