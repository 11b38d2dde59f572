import { createHash } from 'node:crypto'
import type { CustomerDetails, PostalAddress } from '../../usecases/payments/payment-command.ts'
import { countryNumber } from './iso-countries.ts'
import { shortened, withoutNulls } from './plain-text.ts'
import type { Message } from './protocol-fault.ts'

const LINE_MAX = 50
const NAME_MAX = 45

/** An AReq's elements about the customer; a value that does not fit is left out. */
export function cardholderElements(
  customer: CustomerDetails,
  billing: PostalAddress,
  shipping: PostalAddress,
  merchantId: bigint,
): Message {
  const bill = addressElements('billAddr', billing)
  const ship = addressElements('shipAddr', shipping)
  return withoutNulls({
    acctID: customer.reference === '' ? null : accountId(merchantId, customer.reference),
    ...bill,
    ...ship,
    addrMatch: addressesMatch(bill, ship),
    email: email(customer.email),
    mobilePhone: phone(customer.phone),
    cardholderName: cardholderName(`${customer.firstName} ${customer.lastName}`),
  })
}

/** Distinguishes one customer of a merchant from the others, and reveals nothing more. */
function accountId(merchantId: bigint, reference: string): string {
  return createHash('sha256').update(`${merchantId} ${reference}`).digest('hex')
}

function addressElements(prefix: 'billAddr' | 'shipAddr', address: PostalAddress): Message {
  // Most payments send no address.
  if (Object.values(address).every((part) => part === '')) return {}
  const country = countryNumber(address.country)
  const state = shortened(address.state, 16)
  const postCode = shortened(address.postalCode, 32)
  return withoutNulls({
    [`${prefix}City`]: shortened(address.city, LINE_MAX),
    [`${prefix}Line1`]: shortened(address.street, LINE_MAX),
    [`${prefix}Line2`]: shortened(address.street2, LINE_MAX),
    [`${prefix}Line3`]: shortened(address.district, LINE_MAX),
    [`${prefix}Country`]: country,
    // A subdivision means something in its country only, and is a code of three characters at most.
    [`${prefix}State`]: country !== null && state !== null && state.length <= 3 ? state : null,
    [`${prefix}PostCode`]: postCode !== null && postCode.length <= 16 ? postCode : null,
  })
}

function addressesMatch(bill: Message, ship: Message): 'Y' | 'N' | null {
  const parts = (address: Message): string =>
    JSON.stringify(Object.entries(address).map(([name, value]) => [name.slice(8), value]))
  if (Object.keys(bill).length === 0 || Object.keys(ship).length === 0) return null
  return parts(bill) === parts(ship) ? 'Y' : 'N'
}

function email(text: string): string | null {
  const address = text.trim()
  return address.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(address) ? address : null
}

/** Letters that no decomposition brings to ASCII. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  ł: 'l',
  Ł: 'L',
  þ: 'th',
  Þ: 'Th',
  ı: 'i',
  ħ: 'h',
  Ħ: 'H',
  '’': "'",
  '‘': "'",
  '–': '-',
}

/**
 * A name in the characters that chip cards have for it; null where it cannot be written with them.
 */
export function cardholderName(name: string): string | null {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^\u0020-\u007e]/gu, (letter) => LETTERS[letter] ?? letter)
  const short = shortened(plain.replace(/\s+/g, ' '), NAME_MAX)
  return short !== null && short.length >= 2 && /^[\x20-\x7e]+$/.test(short) ? short : null
}

/** Country codes of ITU-T E.164 that have one or two digits; all others have three. */
const SHORT_CODES = new Set(
  (
    '1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 ' +
    '64 65 66 81 82 84 86 90 91 92 93 94 95 98'
  ).split(' '),
)

/** A number in international form; null for any other, whose country is unknown. */
export function phone(text: string): { readonly cc: string; readonly subscriber: string } | null {
  const compact = text.replace(/[\s().\-/]/g, '')
  const [, number = ''] = /^(?:\+|00)([1-9]\d{6,14})$/.exec(compact) ?? []
  if (number === '') return null
  const length = [1, 2].find((count) => SHORT_CODES.has(number.slice(0, count))) ?? 3
  return { cc: number.slice(0, length), subscriber: number.slice(length) }
}
