import valid from 'card-validator'
import creditCardType from 'credit-card-type'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { isLuhnValid } from '../../../src/base/check-digit.ts'
import {
  cardBrand,
  isExpired,
  normalizePan,
  readExpiry,
  readPan,
} from '../../../src/domain/payments/card.ts'

const TEST_CARDS = [
  ['5105105105105100', 'Mastercard'],
  ['5555555555554444', 'Mastercard'],
  ['5546989999990033', 'Mastercard'],
  ['2223000048400011', 'Mastercard'],
  ['4111111111111111', 'Visa'],
  ['4907639999990022', 'Visa'],
  ['4000000000000002', 'Visa'],
  ['4222222222222', 'Visa'],
  ['378282246310005', 'American Express'],
  ['38520000023237', 'Diners Club'],
  ['30569309025904', 'Diners Club'],
  ['6011111111111117', 'Discover'],
  ['6011000990139424', 'Discover'],
  ['3530111333300000', 'JCB'],
  ['3566002020360505', 'JCB'],
  ['6200000000000005', 'UnionPay'],
] as const

for (const [digits, brand] of TEST_CARDS) {
  test(`the public test number ${digits.slice(0, 6)}...${digits.slice(-4)} is a sound ${brand}`, () => {
    assert.equal(cardBrand(digits), brand)
    assert.equal(cardBrand(digits.slice(0, 6)), brand)
    assert.equal(isLuhnValid(digits), true)
  })
}

const PREFIXES = [
  ['2221', 'Mastercard'],
  ['2720', 'Mastercard'],
  ['2220', null],
  ['2721', null],
  ['50', 'Maestro'],
  ['51', 'Mastercard'],
  ['55', 'Mastercard'],
  ['56', 'Maestro'],
  ['63', 'Maestro'],
  ['34', 'American Express'],
  ['35', null],
  ['3527', null],
  ['3338', 'JCB'],
  ['3528', 'JCB'],
  ['3589', 'JCB'],
  ['3590', null],
  ['2131', 'JCB'],
  ['1800', 'JCB'],
  ['1', 'UATP'],
  ['300', 'Diners Club'],
  ['305', 'Diners Club'],
  ['306', null],
  ['309', 'Diners Club'],
  ['36', 'Diners Club'],
  ['39', 'Diners Club'],
  ['6011', 'Discover'],
  ['644', 'Discover'],
  ['649', 'Discover'],
  ['65', 'Discover'],
  ['622126', 'UnionPay'],
  ['622925', 'UnionPay'],
  ['627780', 'Elo'],
  ['401178', 'Elo'],
  ['401177', 'Visa'],
  ['650051', 'Elo'],
  ['650052', 'Troy'],
  ['65083702', 'Troy'],
  ['65083705', 'Discover'],
  ['9792', 'Troy'],
  ['5019', 'Dankort'],
  ['508', 'RuPay'],
  ['60', 'RuPay'],
  ['606282', 'Hipercard'],
  ['637095', 'Hiper'],
  ['589562', 'Naranja'],
  ['506099', 'Verve'],
  ['2200', 'Mir'],
  ['2204', 'Mir'],
  ['2205', null],
  ['7', null],
  ['9', null],
  ['0', null],
  ['', null],
  ['4x', null],
] as const

for (const [prefix, brand] of PREFIXES) {
  test(`a number that starts with '${prefix}' is ${brand ?? 'of no known brand'}`, () => {
    assert.equal(cardBrand(prefix), brand)
  })
}

const ORACLE_BRANDS: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  'american-express': 'American Express',
  'diners-club': 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  maestro: 'Maestro',
  elo: 'Elo',
  mir: 'Mir',
  hiper: 'Hiper',
  hipercard: 'Hipercard',
  troy: 'Troy',
  verve: 'Verve',
  naranja: 'Naranja',
}

/** The deliberate differences between this table and the package's. */
const DIFFERENCES: readonly (readonly [ours: string | null, theirs: string | null])[] = [
  // Brands that the package does not know, in ranges that it assigns to Maestro or to no brand.
  ['RuPay', 'Maestro'],
  ['RuPay', null],
  ['Dankort', 'Maestro'],
  ['UATP', null],
  // 309, which the package leaves out.
  ['Diners Club', null],
  // 3338, which networks' lists of test cards have for JCB.
  ['JCB', null],
  // All of 62 is UnionPay here; the package leaves gaps and gives them to Maestro.
  ['UnionPay', 'Maestro'],
  // 650923 stands under two brands there.
  ['Troy', 'Elo'],
]

test('brands are those of the credit-card-type package, except the named differences', () => {
  const anyNumber = fc.oneof(
    fc.stringMatching(/^[0-9]{16}$/),
    fc.stringMatching(/^6[0-9]{15}$/),
    fc.stringMatching(/^(65|50|62|63|60|22|30|35|40|43|45)[0-9]{14}$/),
    aNumberOfAPattern(),
  )
  fc.assert(
    fc.property(anyNumber, (digits) => {
      const ours = cardBrand(digits)
      const theirs = creditCardType(digits).map(({ type }) => ORACLE_BRANDS[type] ?? null)
      if (theirs.length === 0) theirs.push(null)

      const isNamed = DIFFERENCES.some(([left, right]) => left === ours && theirs.includes(right))
      assert.ok(theirs.includes(ours) || isNamed, `${digits}: ${ours}, not ${theirs.join()}`)
    }),
    { numRuns: 3000 },
  )
})

test('the Luhn check agrees with the card-validator package', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^4[0-9]{15}$/), (digits) => {
      assert.equal(isLuhnValid(digits), valid.number(digits).isValid)
    }),
    { numRuns: 500 },
  )
})

test('exactly one check digit makes a number sound', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9]{11,18}$/), (body) => {
      const sound = Array.from({ length: 10 }, (_, check) => isLuhnValid(`${body}${check}`))
      assert.equal(sound.filter(Boolean).length, 1)
    }),
  )
})

test('a text with other characters than digits fails the Luhn check', () => {
  // The last one would pass if the character after 9 counted as ten.
  for (const text of ['', 'x', '411111111111111x', '4111 1111 1111 1111', '9:']) {
    assert.equal(isLuhnValid(text), false)
  }
})

test('blanks and dashes in a card number are ignored', () => {
  assert.equal(normalizePan(' 4111 1111-1111\t1111 '), '4111111111111111')
  assert.deepEqual(readPan('4111-1111 1111-1111'), { kind: 'pan', digits: '4111111111111111' })
})

const UNREADABLE = [
  ['', 'not_numeric'],
  [' - ', 'not_numeric'],
  ['4111x11111111111', 'not_numeric'],
  ['4111.1111.1111.1111', 'not_numeric'],
  ['41111111111', 'wrong_length'],
  ['41111111111111111111', 'wrong_length'],
] as const

for (const [text, reason] of UNREADABLE) {
  test(`the card number '${text}' is refused as ${reason}`, () => {
    assert.deepEqual(readPan(text), { kind: 'refused', reason })
  })
}

test('card numbers of 12 to 19 digits are read, with any check digit', () => {
  for (let length = 12; length <= 19; length += 1) {
    const digits = '4'.repeat(length)
    assert.deepEqual(readPan(digits), { kind: 'pan', digits })
  }
})

for (const text of ['012030', '01/2030']) {
  test(`the expiry '${text}' is January 2030`, () => {
    assert.deepEqual(readExpiry(text), { month: 1, year: 2030 })
  })
}

const NO_EXPIRIES = ['1234', '0130', '132030', '002030', '1/2030', '01-2030', '2030/01', '']

for (const text of NO_EXPIRIES) {
  test(`'${text}' is no expiry`, () => {
    assert.equal(readExpiry(text), null)
  })
}

test('a card is valid through the last millisecond of its month in UTC and no longer', () => {
  const expiry = { month: 12, year: 2028 }

  assert.equal(isExpired(expiry, new Date('2028-12-01T00:00:00.000Z')), false)
  assert.equal(isExpired(expiry, new Date('2028-12-31T23:59:59.999Z')), false)
  assert.equal(isExpired(expiry, new Date('2029-01-01T00:00:00.000Z')), true)
})

test('a card of a leap February is good on the 29th', () => {
  assert.equal(isExpired({ month: 2, year: 2028 }, new Date('2028-02-29T12:00:00Z')), false)
  assert.equal(isExpired({ month: 2, year: 2028 }, new Date('2028-03-01T00:00:00Z')), true)
})

/** Numbers under the prefixes that the package lists, so that narrow ranges are met as well. */
function aNumberOfAPattern(): fc.Arbitrary<string> {
  const patterns = Object.keys(ORACLE_BRANDS).flatMap(
    (type) => creditCardType.getTypeInfo(type)?.patterns ?? [],
  )
  return fc
    .tuple(fc.constantFrom(...patterns), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(1e9))
    .map(([pattern, at, rest]) => {
      const [low, high] = Array.isArray(pattern) ? pattern : [pattern, pattern]
      const prefix = Math.round(Number(low) + at * (Number(high) - Number(low)))
      return `${prefix}${rest}`.padEnd(16, '7').slice(0, 16)
    })
}
