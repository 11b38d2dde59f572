import { findCurrency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import { DISPUTE_EVENTS, type DisputeEvent, type Notice } from './notice.ts'

/** A notice that is refused, with everything after it. The message is a sentence. */
export class NoticeRefusedError extends Error {
  override readonly name = 'NoticeRefusedError'
  /** The line of a file from 1 on, or the number of a notice that was fetched. */
  readonly line: number
  constructor(line: number, reason: string) {
    super(reason)
    this.line = line
  }
}

export type JsonRecord = Readonly<Record<string, unknown>>

const AMOUNT = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,4})?$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/
const ANSWER = /^[1-9]\d{0,17}$/
const LONGEST = 64

/**
 * A notice of the format `tollgate-disputes`.
 * @param line for refusals
 * @param sha256 over a text, in hexadecimal
 * @throws NoticeRefusedError for a member that does not fit
 */
export function readNotice(
  record: JsonRecord,
  line: number,
  sha256: (text: string) => string,
): Notice {
  const fields = new NoticeFields(record, line)
  const event = fields.text('event')
  if (!isEvent(event)) return fields.refuse('event', DISPUTE_EVENTS.join(', '))
  const order = fields.optionalText('order')
  const rrn = fields.optionalText('rrn')
  if (order === null && rrn === null) return fields.refuse('order', 'a key here or in rrn')
  const { currency, minor } = fields.money()
  const answer = fields.optionalText('answer')
  const notice = {
    n: fields.number(),
    id: fields.text('id'),
    at: fields.instant('at'),
    caseId: fields.text('case'),
    event,
    order,
    rrn,
    ref: fields.optionalText('ref'),
    brand: fields.text('brand'),
    amountMinor: minor,
    currency,
    reason: fields.optionalText('reason'),
    networkDue: fields.optionalDate('network_due'),
    // Answers of another form are not ours.
    answerId: answer !== null && ANSWER.test(answer) ? BigInt(answer) : null,
  }
  return { ...notice, contentSha256: sha256(canonicalText(notice)) }
}

/** The members that count, in one sequence: additions of a later version change nothing. */
function canonicalText(notice: Omit<Notice, 'contentSha256'>): string {
  return JSON.stringify([
    notice.n.toString(),
    notice.id,
    notice.at.toISOString(),
    notice.caseId,
    notice.event,
    notice.order,
    notice.rrn,
    notice.ref,
    notice.brand,
    notice.amountMinor.toString(),
    notice.currency,
    notice.reason,
    notice.networkDue,
    notice.answerId?.toString() ?? null,
  ])
}

class NoticeFields {
  readonly #record: JsonRecord
  readonly #line: number

  constructor(record: JsonRecord, line: number) {
    this.#record = record
    this.#line = line
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.refuse(name, 'a text')
  }

  optionalText(name: string): string | null {
    const value = this.#record[name]
    if (value === undefined || value === null) return null
    const isText = typeof value === 'string' && value !== '' && value.length <= LONGEST
    if (isText && !value.includes('\0') && value.isWellFormed()) return value
    return this.refuse(name, `a text of 1 to ${LONGEST} characters`)
  }

  number(): bigint {
    const value = this.#record['n']
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return BigInt(value)
    return this.refuse('n', 'a whole number above zero')
  }

  instant(name: string): Date {
    const text = this.text(name)
    const at = new Date(text)
    if (INSTANT.test(text) && !Number.isNaN(at.getTime())) return at
    return this.refuse(name, 'a time such as 2026-11-20T03:00:04Z')
  }

  optionalDate(name: string): string | null {
    const text = this.optionalText(name)
    if (text === null) return null
    const at = Date.parse(`${text}T00:00:00Z`)
    const isDate = DATE.test(text) && !Number.isNaN(at)
    if (isDate && new Date(at).toISOString().startsWith(text)) return text
    return this.refuse(name, 'a date such as 2026-11-19')
  }

  money(): { readonly minor: bigint; readonly currency: string } {
    const code = this.text('currency')
    const currency = findCurrency(code)
    if (currency === null) return this.refuse('currency', 'a currency of ISO 4217')
    const text = this.text('amount')
    const [whole = '', decimals = ''] = text.split('.')
    const minor = AMOUNT.test(text) ? BigInt(whole + decimals) : 0n
    if (minor > 0n && formatMinor(minor, currency) === text) return { minor, currency: code }
    const expected = `an amount above zero with ${currency.digits} decimals`
    return this.refuse('amount', expected)
  }

  refuse(name: string, expected: string): never {
    const value = this.#record[name]
    const found = value === undefined ? 'missing' : `of type ${typeof value}, and not usable`
    throw new NoticeRefusedError(this.#line, `${name} is ${found}; expected ${expected}.`)
  }
}

function isEvent(text: string): text is DisputeEvent {
  return DISPUTE_EVENTS.some((event) => event === text)
}
