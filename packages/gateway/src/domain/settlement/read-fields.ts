import { maskText } from '../../base/card-masking.ts'
import { findCurrency, type Currency } from '../currency.ts'
import { FileRefusedError } from './file-record.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** The longest amount that a file may have: it fits PostgreSQL's bigint after all additions. */
const MOST_DIGITS = 15
const AMOUNT = /^-?(?:0|[1-9]\d*)(?:\.(\d+))?$/
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const SHA256 = /^[0-9a-f]{64}$/
const LONGEST_TEXT = 200

/** Reads the fields of one record; a field that does not fit refuses the file. */
export class FieldReader {
  readonly #record: JsonObject
  readonly #line: number

  /** @param line the line of the file, from 1 on */
  constructor(record: JsonObject, line: number) {
    this.#record = record
    this.#line = line
  }

  /** A text that is there. */
  text(name: string): string {
    const text = this.optionalText(name)
    return text ?? this.refuse(name, 'a text')
  }

  /** A text, or null where the record has no such field. */
  optionalText(name: string): string | null {
    const value = this.#record[name]
    if (value === undefined || value === null) return null
    const isText = typeof value === 'string' && value !== '' && value.length <= LONGEST_TEXT
    // A null character is in no text of the database.
    if (!isText || value.includes('\0') || !value.isWellFormed()) {
      return this.refuse(name, `a text of 1 to ${LONGEST_TEXT} characters`)
    }
    return value
  }

  /** A text or a whole number, as text. */
  optionalKey(name: string): string | null {
    const value = this.#record[name]
    return Number.isSafeInteger(value) ? String(value) : this.optionalText(name)
  }

  matching(name: string, form: RegExp, expected: string): string {
    const text = this.text(name)
    return form.test(text) ? text : this.refuse(name, expected)
  }

  oneOf<const Name extends string>(name: string, names: readonly Name[]): Name {
    const text = this.text(name)
    return names.find((known) => known === text) ?? this.refuse(name, names.join(', '))
  }

  whole(name: string): number {
    const value = this.#record[name]
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
    return this.refuse(name, 'a whole number')
  }

  date(name: string): string {
    return this.optionalDate(name) ?? this.refuse(name, 'a date such as 2026-11-19')
  }

  optionalDate(name: string): string | null {
    const text = this.optionalText(name)
    if (text === null) return null
    return isDate(text) ? text : this.refuse(name, 'a date such as 2026-11-19')
  }

  sha256(name: string): string {
    return this.matching(name, SHA256, '64 hexadecimal digits')
  }

  currency(name: string): Currency {
    const text = this.text(name)
    const currency = /^[A-Z]{3}$/.test(text) ? findCurrency(text) : null
    return currency ?? this.refuse(name, 'a currency of ISO 4217')
  }

  amount(name: string, currency: Currency): bigint {
    return this.readAmount(name, this.#record[name], currency)
  }

  object(name: string): JsonObject | null {
    const value = this.#record[name]
    if (value === undefined || value === null) return null
    return isObject(value) ? value : this.refuse(name, 'an object')
  }

  /** Minor units of a decimal text. `name` is for the refusal. */
  readAmount(name: string, value: unknown, currency: Currency): bigint {
    const match = typeof value === 'string' ? AMOUNT.exec(value) : null
    if (match === null) return this.refuse(name, 'an amount as text, such as "-0.30"')
    const text = match[0]
    if ((match[1] ?? '').length !== currency.digits) {
      const { code, digits } = currency
      const expected = `an amount in ${code} has exactly ${digits} decimals`
      const reason = `${name} is ${JSON.stringify(text)}; ${expected}.`
      throw new FileRefusedError('S09', this.#line, reason)
    }
    const whole = text.replace('.', '')
    if (whole.length > MOST_DIGITS) return this.refuse(name, `at most ${MOST_DIGITS} digits`)
    return BigInt(whole)
  }

  /** The fields that are not in `known`; null for none. */
  others(known: ReadonlySet<string>): JsonObject | null {
    let others: Record<string, unknown> | null = null
    for (const name in this.#record) {
      if (!known.has(name)) (others ??= {})[name] = this.#record[name]
    }
    return others
  }

  refuse(name: string, expected: string): never {
    const found = maskText(JSON.stringify(this.#record[name]) ?? 'nothing').slice(0, 60)
    throw new FileRefusedError('S01', this.#line, `${name} is ${found}; expected ${expected}.`)
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isDate(text: string): boolean {
  const match = DATE.exec(text)
  if (match === null) return false
  const [, year, month, day] = match.map(Number)
  const at = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day))
  return at.toISOString().startsWith(text)
}
