import { Iso8583Error } from './iso8583-error.ts'

const MAX_MINOR = 999_999_999_999n
const AMOUNT = /^[0-9]{12}$/
const NO_OTHER_AMOUNTS = '0'.repeat(30)
const ADDITIONAL = /^([0-9A-Za-z]{2})([0-9A-Za-z]{2})([0-9A-Za-z]{3})([CD])([0-9]{12})$/
const ADDITIONAL_CHARACTERS = 20
const MAX_ADDITIONAL = 6

/** One entry of DE 54. */
export interface AdditionalAmount {
  /** 2 characters: which account, `00` when it does not matter. */
  readonly accountType: string
  /** 2 characters: `57` the original amount, `02` what is left on the card. */
  readonly amountType: string
  /** ISO 4217 numeric, 3 digits. */
  readonly currency: string
  /** C: the amount is in the cardholder's favour. D: it is owed. */
  readonly sign: 'C' | 'D'
  /** Minor units of `currency`, 0 to 999999999999. */
  readonly amountMinor: bigint
}

/** The 12 digits of DE 4 or DE 5. Throws Iso8583Error when the minor units do not fit. */
export function encodeAmount(minor: bigint, field = 4): string {
  if (minor < 0n || minor > MAX_MINOR) {
    throw fault(field, `The amount in DE ${field} is negative or longer than 12 digits.`)
  }
  return minor.toString().padStart(12, '0')
}

/** The minor units of DE 4 or DE 5. Throws Iso8583Error when the text is not 12 digits. */
export function decodeAmount(text: string, field = 4): bigint {
  if (!AMOUNT.test(text)) throw fault(field, `The amount in DE ${field} is not 12 digits.`)
  return BigInt(text)
}

/** DE 95: what remains of the original, in minor units, and 30 zeros. */
export function encodeReplacementAmount(minor: bigint): string {
  return encodeAmount(minor, 95) + NO_OTHER_AMOUNTS
}

/** The minor units that remain, from DE 95. Throws Iso8583Error on any other amount in it. */
export function decodeReplacementAmount(text: string): bigint {
  if (text.length !== 42 || text.slice(12) !== NO_OTHER_AMOUNTS) {
    throw fault(95, 'DE 95 is not one amount of 12 digits and 30 zeros.')
  }
  return decodeAmount(text.slice(0, 12), 95)
}

/** DE 54: one to six amounts of 20 characters each. Throws Iso8583Error on anything else. */
export function encodeAdditionalAmounts(amounts: readonly AdditionalAmount[]): string {
  assertCount(amounts.length)
  return amounts
    .map(({ accountType, amountType, currency, sign, amountMinor }) => {
      const entry = accountType + amountType + currency + sign + encodeAmount(amountMinor, 54)
      // The parts must have their own lengths, or they would be read back at other places.
      const fits = accountType.length === 2 && amountType.length === 2 && currency.length === 3
      if (!fits || !ADDITIONAL.test(entry)) throw fault(54, BAD_ENTRY)
      return entry
    })
    .join('')
}

/** The amounts in DE 54, in their order. */
export function decodeAdditionalAmounts(text: string): AdditionalAmount[] {
  const count = text.length / ADDITIONAL_CHARACTERS
  assertCount(count)
  return Array.from({ length: count }, (_, index) => {
    const start = index * ADDITIONAL_CHARACTERS
    const match = ADDITIONAL.exec(text.slice(start, start + ADDITIONAL_CHARACTERS))
    if (match === null) throw fault(54, BAD_ENTRY)
    const [, accountType = '', amountType = '', currency = '', sign, amount = ''] = match
    return {
      accountType,
      amountType,
      currency,
      sign: sign === 'C' ? 'C' : 'D',
      amountMinor: decodeAmount(amount, 54),
    }
  })
}

const BAD_ENTRY = 'An amount in DE 54 is not account 2, type 2, currency 3, C or D, 12 digits.'

function assertCount(count: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= MAX_ADDITIONAL) return
  throw fault(54, `DE 54 does not hold one to six amounts of ${ADDITIONAL_CHARACTERS} characters.`)
}

function fault(field: number, text: string): Iso8583Error {
  return new Iso8583Error('subfield_invalid', text, { field })
}
