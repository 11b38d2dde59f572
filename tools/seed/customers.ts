import type { Chance } from '../torture/chance.ts'

const FIRST = [
  'Ada',
  'Ben',
  'Cleo',
  'Dario',
  'Edda',
  'Femi',
  'Gita',
  'Hugo',
  'Ines',
  'Jonas',
  'Kaori',
  'Leila',
  'Mato',
  'Nora',
  'Omar',
  'Pia',
  'Quinn',
  'Rosa',
  'Sami',
  'Tove',
  'Uma',
  'Viktor',
  'Wanda',
  'Yusuf',
  'Zoe',
]
const LAST = [
  'Abara',
  'Bergmann',
  'Castillo',
  'Dahl',
  'Endo',
  'Ferri',
  'Gomes',
  'Haddad',
  'Ivanov',
  'Jansen',
  'Kimura',
  'Lindqvist',
  'Moreau',
  'Novak',
  'Okafor',
  'Petit',
  'Quist',
  'Rossi',
  'Sato',
  'Tanaka',
  'Ueda',
  'Varga',
  'Weaver',
  'Yilmaz',
  'Zeman',
]
const MAIL = ['example.com', 'example.org', 'example.net', 'mail.example']

export interface SampleCustomer {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
}

/** A fictitious customer. */
export function sampleCustomer(chance: Chance): SampleCustomer {
  const firstName = chance.pick(FIRST)
  const lastName = chance.pick(LAST)
  return {
    firstName,
    lastName,
    email: `${firstName}.${lastName}${chance.between(1, 400)}@${chance.pick(MAIL)}`.toLowerCase(),
  }
}

/**
 * Test cards that approve, with the address and security code of the test bank where they
 * have one.
 */
const GOOD = [
  '4012889000000012',
  '4242429000000027',
  '4000009000000045',
  '4111111111111111',
  '5555559000000011',
  '5200829000000025',
  '2223009000000040',
  '5555555555554444',
  '378282900000017',
  '6011119000000010',
  '3566009000000019',
  '6200009000000014',
  '30569390000014',
  '6304009000000019',
  '4012889000000442',
  '5200829000000447',
  '378282900003060',
]

/** Test cards that are always declined, each for a reason of its own. */
const BAD = [
  '4242429000000001',
  '4000009000000417',
  '4000009000000433',
  '4000009000000466',
  '4000009000000540',
  '4000009000000623',
  '5200829000000413',
  '5200829000000439',
  '378282900000462',
  '6011119000000549',
  '4000009000001019',
  '4000009000001043',
  '4000009000001050',
  '4000009000001142',
  '4000009000001514',
  '4000009000001597',
  '4000009000001613',
  '4000009000001654',
  '4000009000001910',
  '4000009000001969',
  '4000009000002538',
  '4000009000002777',
  '5200829000003037',
  '5200829000003029',
  '3566009000001512',
  '6200009000001053',
]

/** First digits and length of cards that have no row at the test bank, and approve. */
const RANGES = [
  ['411773', 16],
  ['453201', 16],
  ['476173', 16],
  ['510510', 16],
  ['542418', 16],
  ['222300', 16],
  ['371449', 15],
  ['601100', 16],
  ['353011', 16],
] as const

/**
 * The number of a card that approves: of nearly every customer their own. A few are of a household
 * or a company, and some are published test cards.
 */
export function goodCard(chance: Chance): string {
  if (chance.happens(0.08)) return chance.pick(GOOD)
  const [begin, length] = chance.pick(RANGES)
  const household = chance.happens(0.06) ? chance.between(1, 60) : null
  const account = household ?? chance.between(1_000, 99_999_999)
  return withCheckDigit(begin + String(account).padStart(length - 1 - begin.length, '0'))
}

/** The digits with the one behind them that makes the sum of Luhn a multiple of ten. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return digits + String((10 - (sum % 10)) % 10)
}

/** The number of a card that is declined. */
export function badCard(chance: Chance): string {
  // Most declines are for insufficient funds.
  return chance.happens(0.4) ? '4000009000001514' : chance.pick(BAD)
}

/** The card's own code, or a wrong one now and then. */
export function securityCode(chance: Chance, card: string): string {
  const right = card.startsWith('37') ? '1234' : '123'
  return chance.happens(0.03) ? right.replaceAll('1', '9') : right
}

/** The holder's address as the test cards have it, or one that fits in part or not at all. */
export function billing(chance: Chance): {
  readonly street: string
  readonly postalCode: string
  readonly country: string
} {
  const street = chance.happens(0.06) ? '9 Elsewhere Road' : '123 Main Street'
  const postalCode = chance.happens(0.06) ? '99999' : '12345'
  return { street, postalCode, country: 'US' }
}

/** An amount as decimal text; prices are small more often than not. */
export function price(chance: Chance, currency: string): string {
  const units = Math.round(8 * Math.exp(chance.next() * 3.4))
  if (currency === 'JPY') return String(units * 100 + chance.pick([0, 80, 50]))
  if (currency === 'KWD') return `${units}.${chance.pick(['000', '250', '500', '900'])}`
  return `${units}.${chance.pick(['00', '50', '90', '95', '99'])}`
}

/** A part of a decimal amount, at least its smallest unit. */
export function partOf(amount: string, share: number): string {
  const [whole = '0', fraction = ''] = amount.split('.')
  const minor = Math.max(1, Math.floor(Number(whole + fraction) * share))
  if (fraction === '') return String(minor)
  const digits = String(minor).padStart(fraction.length + 1, '0')
  return `${digits.slice(0, -fraction.length)}.${digits.slice(-fraction.length)}`
}

/** Sales whose first line is at most this part of them have a second one: one in seven. */
const TWO_LINES_BELOW = 0.3

/** A payment in one line, or in two where the first is a small part of it. */
export function withLines<Payment extends { readonly amount: string }>(
  payment: Payment,
  share: number,
) {
  const { amount } = payment
  return {
    ...payment,
    lines: share < TWO_LINES_BELOW ? inTwoLines(amount, share) : [{ amount }],
  }
}

/** An amount in two lines, of which the first is this part of it. */
function inTwoLines(
  amount: string,
  share: number,
): readonly [{ readonly amount: string }, { readonly amount: string }] {
  const first = partOf(amount, share)
  const [, fraction = ''] = amount.split('.')
  const minor = (text: string): bigint => BigInt(text.replace('.', ''))
  const rest = String(minor(amount) - minor(first)).padStart(fraction.length + 1, '0')
  const second =
    fraction === '' ? rest : `${rest.slice(0, -fraction.length)}.${rest.slice(-fraction.length)}`
  return [{ amount: first }, { amount: second }]
}
