import type { Currency } from '../currency.ts'
import {
  FEE_NAMES,
  FileRefusedError,
  LINE_KINDS,
  type FileHeader,
  type FileLine,
  type FileTrailer,
  type KindSum,
  type LineFees,
  type LineKind,
} from './file-record.ts'
import { FieldReader, isObject, type JsonObject } from './read-fields.ts'

const FORMAT = 'tollgate-settlement'
const VERSION = 1
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?Z$/
const RATE = /^(?:0|[1-9]\d{0,8})(?:\.\d{1,10})?$/
const KINDS = new Set(Object.keys(LINE_KINDS))
const LONGEST_ID = 64
const MOST_LINES = 100_000_000

const LINE_FIELDS = new Set(
  (
    'r n id kind gross net fees orig order rrn arn batch brand case reason payout trace arrives ' +
    'iban_last4 corrects ref period fee_code value_date'
  ).split(' '),
)

/** The object of a line of text. @throws FileRefusedError S01 */
export function readObject(text: string, line: number): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new FileRefusedError('S01', line, 'The line is not JSON.')
  }
  if (isObject(value)) return value
  throw new FileRefusedError('S01', line, 'The line is not a JSON object.')
}

/** @throws FileRefusedError */
export function readHeader(record: JsonObject): {
  readonly header: FileHeader
  readonly currency: Currency
} {
  const fields = new FieldReader(record, 1)
  if (record['format'] !== FORMAT || record['v'] !== VERSION) {
    const found = `${JSON.stringify(record['format'])} version ${JSON.stringify(record['v'])}`
    const expected = `"${FORMAT}" version ${VERSION}`
    throw new FileRefusedError(
      'S16',
      1,
      `The format is ${found.slice(0, 80)}; expected ${expected}.`,
    )
  }
  const currency = fields.currency('currency')
  const seq = fields.whole('seq')
  if (seq === 0) fields.refuse('seq', 'a whole number above zero')
  const header = {
    fileId: fields.matching('file_id', UUID, 'a UUID in small letters'),
    mode: fields.oneOf('mode', ['test', 'live']),
    sender: fields.text('sender'),
    receiver: fields.text('receiver'),
    account: fields.text('account'),
    currency: currency.code,
    seq: BigInt(seq),
    prevSha256: fields.sha256('prev_sha256'),
    businessDate: fields.date('business_date'),
    valueDate: fields.date('value_date'),
    zone: fields.text('zone'),
    created: fields.matching('created', UTC_TIME, 'a time such as 2026-11-20T03:00:04Z'),
    openingMinor: fields.amount('opening', currency),
  }
  return { header, currency }
}

/**
 * A line, as it stands: sums and signs are checked by the caller.
 * @param at the line of the file, from 1 on
 * @throws FileRefusedError
 */
export function readLine(
  record: JsonObject,
  at: number,
  file: { readonly currency: Currency; readonly valueDate: string },
): FileLine {
  const fields = new FieldReader(record, at)
  const { currency } = file
  const id = fields.text('id')
  if (id.length > LONGEST_ID) fields.refuse('id', `at most ${LONGEST_ID} characters`)
  const kind = fields.text('kind')
  if (!isKind(kind)) fields.refuse('kind', [...KINDS].join(', '))
  const n = fields.whole('n')
  if (n > MOST_LINES) fields.refuse('n', `at most ${MOST_LINES}`)
  const iban = fields.optionalText('iban_last4')
  if (iban !== null && !/^[0-9A-Z]{4}$/.test(iban)) fields.refuse('iban_last4', 'four characters')
  return {
    n,
    id,
    kind: kind as LineKind,
    gross: fields.amount('gross', currency),
    net: fields.amount('net', currency),
    fees: readFees(fields, currency),
    valueDate: fields.optionalDate('value_date') ?? file.valueDate,
    order: fields.optionalKey('order'),
    rrn: fields.optionalText('rrn'),
    arn: fields.optionalText('arn'),
    batch: fields.optionalKey('batch'),
    brand: fields.optionalText('brand'),
    orig: readOrig(fields, at),
    case: fields.optionalText('case'),
    reason: fields.optionalText('reason'),
    payout: fields.optionalText('payout'),
    trace: fields.optionalText('trace'),
    arrives: fields.optionalDate('arrives'),
    ibanLast4: iban,
    corrects: fields.optionalText('corrects'),
    ref: fields.optionalText('ref'),
    period: fields.optionalText('period'),
    feeCode: fields.optionalText('fee_code'),
    extra: fields.others(LINE_FIELDS),
  }
}

function isKind(text: string): text is LineKind {
  return KINDS.has(text)
}

const NO_FEES: LineFees = Object.freeze({
  interchange: 0n,
  scheme: 0n,
  acquirer: 0n,
  dispute: 0n,
  tax: 0n,
  other: 0n,
})

function readFees(fields: FieldReader, currency: Currency): LineFees {
  const given = fields.object('fees')
  if (given === null) return NO_FEES
  const fees: Record<keyof LineFees, bigint> = { ...NO_FEES }
  for (const [name, value] of Object.entries(given)) {
    const known = FEE_NAMES.find((each) => each === name)
    if (known === undefined) return fields.refuse('fees', `only ${FEE_NAMES.join(', ')}`)
    fees[known] = fields.readAmount(`fees.${name}`, value, currency)
  }
  return fees
}

function readOrig(fields: FieldReader, at: number): FileLine['orig'] {
  const given = fields.object('orig')
  if (given === null) return null
  const orig = new FieldReader(given, at)
  const currency = orig.currency('currency')
  const rate = orig.optionalText('rate')
  if (rate !== null && !RATE.test(rate)) orig.refuse('rate', 'a decimal text such as "0.92"')
  return { minor: orig.amount('amount', currency), currency: currency.code, rate }
}

/** @throws FileRefusedError */
export function readTrailer(record: JsonObject, at: number, currency: Currency): FileTrailer {
  const fields = new FieldReader(record, at)
  return {
    lines: fields.whole('lines'),
    byKind: readKindSums(fields, currency),
    gross: fields.amount('gross', currency),
    fees: fields.amount('fees', currency),
    net: fields.amount('net', currency),
    closing: fields.amount('closing', currency),
    sha256: fields.sha256('sha256'),
  }
}

function readKindSums(fields: FieldReader, currency: Currency): Map<string, KindSum> {
  const given = fields.object('by_kind') ?? fields.refuse('by_kind', 'an object')
  return new Map(
    Object.entries(given).map(([kind, value]) => {
      const [count, net] = Array.isArray(value) ? (value as unknown[]) : []
      if (typeof count !== 'number')
        return fields.refuse('by_kind', 'a count and a sum for each kind')
      return [kind, { count, net: fields.readAmount(`by_kind.${kind}`, net, currency) }]
    }),
  )
}
