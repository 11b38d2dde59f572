import { Secret } from '../../base/secret.ts'
import { CardNumber } from '../../domain/payments/card-number.ts'
import { readExpiry, readPan } from '../../domain/payments/card.ts'
import { readCheckMode } from '../../domain/payments/verification.ts'
import type { ValueKind } from './value-kinds.ts'

/** The form of a value, and what a value of this form is parsed into. */
export interface ValueForm<Value> {
  readonly kind: ValueKind
  /** In characters. */
  readonly min: number
  readonly max: number
  /** The values allowed, in upper case; null: any of the kind. */
  readonly values: readonly string[] | null
  /**
   * Throws never. Missing parameters are reported before wrong ones, so values of a wrong form are
   * parsed too. Undefined: nothing can be made of the text.
   */
  readonly parse: (text: string) => Value | undefined
}

function form<Value>(
  kind: ValueKind,
  min: number,
  max: number,
  parse: ValueForm<Value>['parse'],
): ValueForm<Value> {
  return { kind, min, max, values: null, parse }
}

/** For kinds whose format says how long a value may be. */
const ANY_LENGTH = 255
/** Eighteen digits always fit the 64-bit integers that identifiers are kept in. */
const ID_DIGITS = 18
/** Twelve digits in minor units with a point, and room for harmless zeros in front. */
const AMOUNT_LENGTH = 20

export const text = (max: number, min = 1) => form('text', min, max, asSent)
export const printable = (max: number) => form('printable', 1, max, asSent)
export const unbroken = (max: number) => form('unbroken', 1, max, asSent)
export const phone = (max: number) => form('phone', 1, max, asSent)
export const address = (max: number) => form('address', 1, max, asSent)
export const date = () => form('date', 1, 10, asSent)
export const password = () => form('password', 1, ANY_LENGTH, asSent)
export const period = () => form('period', 1, ANY_LENGTH, asSent)
/** Stays decimal text: how many decimals there may be is the currency's to say. */
export const amount = () => form('amount', 1, AMOUNT_LENGTH, asSent)

export const letters = (max: number, min = 1) => form('letters', min, max, inUpperCase)
export const currency = () => form('text', 1, 3, inUpperCase)

export const digits = (max: number, min = 1) => form('digits', min, max, asSent)
export const whole = (max: number) => form('digits', 1, max, Number)
export const count = () => form('count', 1, ANY_LENGTH, Number)
export const wait = () => form('wait', 1, ANY_LENGTH, Number)
export const minutes = () => form('minutes', 1, 6, Number)
export const id = () => form('digits', 1, ID_DIGITS, readId)

export const cardNumber = () => form('card_number', 12, 19, readCardNumber)
export const cardToken = () => form('text', 1, 64, (sent) => new Secret(sent.toUpperCase()))
export const securityCode = () => form('digits', 3, 4, readSecret)
export const cavv = () => form('cavv', 28, 28, readSecret)
export const expiry = () => form('expiry', 1, ANY_LENGTH, (sent) => readExpiry(sent) ?? undefined)

/** One of a few values, in any case of letters. */
export function oneOf<Value extends string>(
  max: number,
  ...values: readonly Value[]
): ValueForm<Value> {
  return { ...form('text', 1, max, (sent) => inUpperCase(sent) as Value), values }
}

export const flag = () => readAs(oneOf(1, '0', '1'), (sent) => sent === '1')
export const yesOrNo = () =>
  readAs(
    oneOf(5, 'TRUE', 'FALSE', '1', '0'),
    (sent) => sent === '1' || inUpperCase(sent) === 'TRUE',
  )
export const checkMode = () => form('text', 1, 255, (sent) => readCheckMode(sent) ?? undefined)
export const windowSize = () => ({
  ...oneOf(2, '01', '02', '03', '04', '05'),
  kind: 'digits' as const,
})
export const initiator = () =>
  readAs(oneOf(3, 'C', 'CIT', 'M', 'MIT'), (sent) =>
    inUpperCase(sent).startsWith('M') ? ('merchant' as const) : ('customer' as const),
  )
export const duplicates = () =>
  readAs(oneOf(1, '0', '1', '2'), (sent) =>
    sent === '1' ? ('refuse' as const) : sent === '2' ? ('replay' as const) : ('allow' as const),
  )

/** The same form, of which nothing goes further than the check. */
export function unread(of: ValueForm<unknown>): ValueForm<undefined> {
  return readAs(of, () => undefined)
}

function readAs<Value>(of: ValueForm<unknown>, parse: ValueForm<Value>['parse']): ValueForm<Value> {
  return { ...of, parse }
}

function asSent(sent: string): string {
  return sent
}

function inUpperCase(sent: string): string {
  return sent.toUpperCase()
}

function readSecret(sent: string): Secret {
  return new Secret(sent)
}

const ONLY_DIGITS = /^[0-9]{1,18}$/

function readId(sent: string): bigint | undefined {
  return ONLY_DIGITS.test(sent) ? BigInt(sent) : undefined
}

function readCardNumber(sent: string): CardNumber | undefined {
  const reading = readPan(sent)
  return reading.kind === 'pan' ? new CardNumber(reading.digits) : undefined
}
