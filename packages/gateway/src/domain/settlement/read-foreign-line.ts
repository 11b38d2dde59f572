import type { Currency } from '../currency.ts'
import { checkLine } from './file-checks.ts'
import {
  FEE_NAMES,
  FileRefusedError,
  type FileLine,
  type LineFees,
  type LineKind,
} from './file-record.ts'
import { RowRefused, type ForeignRow } from './foreign-row.ts'
import {
  dateForm,
  readAmountBy,
  readCurrency,
  readDate,
  readSigned,
  type ForeignDate,
} from './foreign-value.ts'
import type { DateRule, Mapping } from './mapping.ts'
import { looksLikeCard, readTexts } from './read-foreign-text.ts'

const NEVER_MATCHES = /^(?!)/
const CHECK = 'Correct the mapping, or ask the acquirer for a correct file.'

/** A row as a line, and the facts of its file that the row repeats. */
export interface ForeignLine {
  readonly line: FileLine
  readonly date: ForeignDate
}

/** Facts of the whole file that a row lacks. */
export interface ForeignContext {
  readonly currency: Currency
  readonly n: number
  /** Hexadecimal SHA-256 of a text. */
  readonly digest: (text: string) => string
  /** How many rows before this one had the same hash, plus one. */
  readonly occurrence: (hash: string) => number
}

/** Makes the reader of the rows of one mapping, which was checked before. */
export function createLineReader(mapping: Mapping): {
  readonly kindOf: (row: ForeignRow) => string
  readonly read: (row: ForeignRow, context: ForeignContext) => ForeignLine
} {
  const forms = new Map(
    [mapping.date, mapping.value_date, mapping.arrives].map((rule) => [
      rule,
      dateForm(rule?.format ?? 'iso') ?? NEVER_MATCHES,
    ]),
  )
  const patterns = new Map<string, RegExp>()
  const pattern = (source: string): RegExp => {
    const known = patterns.get(source) ?? new RegExp(source, 'u')
    patterns.set(source, known)
    return known
  }
  const dateBy = (row: ForeignRow, rule: DateRule | undefined): ForeignDate | null =>
    rule === undefined ? null : readDate(row, rule, forms.get(rule) ?? NEVER_MATCHES)

  return {
    kindOf: (row) => row.cell(mapping.kind.column),
    read(row, context) {
      const net =
        readAmountBy(row, mapping.net, context.currency) ??
        row.refuse(firstColumn(mapping), 'an amount', CHECK)
      const kind = readKind(row, mapping, net)
      const money = readMoney(row, mapping, { kind, net, currency: context.currency })
      const texts = readTexts(row, mapping, kind, pattern)
      const date = dateBy(row, mapping.date) ?? row.refuse(mapping.date.column, 'a date', CHECK)
      const line: FileLine = {
        n: context.n,
        id: readId(row, mapping, context, pattern),
        kind,
        ...money,
        ...texts,
        valueDate: dateBy(row, mapping.value_date)?.day ?? '',
        arrives: dateBy(row, mapping.arrives)?.day ?? null,
        extra: null,
      }
      checkAsFormat(row, line, context.currency)
      return { line, date }
    },
  }
}

/** Refuses a row whose line the import would refuse. @throws RowRefused */
function checkAsFormat(row: ForeignRow, line: FileLine, currency: Currency): void {
  try {
    checkLine(line, row.line, currency)
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error
    const { code, reason } = error.refusal
    throw new RowRefused({
      line: row.line,
      column: null,
      found: `a ${line.kind} that the format refuses with ${code}: ${reason.replace(/\.$/, '')}`,
      expected: 'a line that the import books',
      remedy: CHECK,
    })
  }
}

function firstColumn({ net }: Mapping): string {
  return 'debit' in net ? net.debit : net.column
}

function readKind(row: ForeignRow, { kind: rule }: Mapping, net: bigint): LineKind {
  const value = row.cell(rule.column)
  const mapped = Object.hasOwn(rule.map, value) ? rule.map[value] : undefined
  if (mapped === undefined) {
    return row.refuse(rule.column, 'a value of "kind.map"', 'Add the value to "map" in "kind".')
  }
  const kind = typeof mapped === 'string' ? mapped : mapped[net < 0n ? '-' : '+']
  return kind
}

type Money = Pick<FileLine, 'gross' | 'net' | 'fees' | 'orig'>

/**
 * Gross, fees and net of a row, which always add up: gross is net without the fees. A gross or
 * original amount in the file must agree.
 */
function readMoney(
  row: ForeignRow,
  mapping: Mapping,
  facts: { readonly kind: LineKind; readonly net: bigint; readonly currency: Currency },
): Money {
  const { kind, net, currency } = facts
  const fees = readFees(row, mapping, currency)
  const charged = FEE_NAMES.reduce((sum, name) => sum + fees[name], 0n)
  const stated = mapping.gross === undefined ? null : readAmountBy(row, mapping.gross, currency)
  const isFee = kind === 'fee' || kind === 'dispute_fee'
  if (isFee && charged === 0n && (stated ?? 0n) === 0n) {
    const component = mapping.fees?.standalone ?? (kind === 'fee' ? 'other' : 'dispute')
    return { gross: 0n, net, fees: { ...fees, [component]: net }, orig: null }
  }
  const gross = net - charged
  const tolerance = BigInt(mapping.checks?.net_from_gross_and_fees?.tolerance_minor ?? 0)
  if (stated !== null && stated !== gross) refuseGross(row, mapping, currency, [stated, gross])
  const orig = readOrig(row, mapping)
  if (orig === null) return { gross, net, fees, orig: null }
  const isSame = orig.currency.code === currency.code
  const { minor, rate } = orig
  // With another currency, the check of the line compares the amounts by the rate.
  if (isSame && kind !== 'reject' && distance(minor, gross) > tolerance) {
    refuseGross(row, mapping, currency, [minor, gross])
  }
  return {
    gross,
    net,
    fees,
    orig: isSame && kind !== 'reject' ? null : { minor, currency: orig.currency.code, rate },
  }
}

function refuseGross(
  row: ForeignRow,
  mapping: Mapping,
  currency: Currency,
  [found, expected]: readonly [bigint, bigint],
): never {
  const rule = mapping.gross ?? mapping.orig ?? mapping.net
  const column = 'debit' in rule ? (found < 0n ? rule.debit : rule.credit) : rule.column
  const reason =
    `a gross amount of ${expected} minor units of ${currency.code}, ` +
    `which net and fees give, instead of ${found}`
  return row.refuse(column, reason, 'Check the columns and the signs of the fees in the mapping.')
}

function distance(one: bigint, other: bigint): bigint {
  return one > other ? one - other : other - one
}

interface Original {
  readonly minor: bigint
  readonly currency: Currency
  readonly rate: string | null
}

function readOrig(row: ForeignRow, { orig: rule }: Mapping): Original | null {
  if (rule === undefined || row.cell(rule.currency) === '') return null
  const currency = readCurrency(row, rule.currency)
  const minor = readAmountBy(row, rule, currency)
  if (minor === null) return null
  const text = rule.rate === undefined ? '' : row.cell(rule.rate).replace(row.input.decimal, '.')
  if (text === '') return { minor, currency, rate: null }
  if (!/^(?:0|[1-9]\d{0,8})(?:\.\d{1,10})?$/.test(text)) {
    row.refuse(rule.rate ?? '', 'a rate such as 0.92 with at most 10 decimals', CHECK)
  }
  return { minor, currency, rate: text }
}

function readFees(row: ForeignRow, { fees: rule }: Mapping, currency: Currency): LineFees {
  const fees: Record<keyof LineFees, bigint> = {
    interchange: 0n,
    scheme: 0n,
    acquirer: 0n,
    dispute: 0n,
    tax: 0n,
    other: 0n,
  }
  if (rule === undefined) return fees
  for (const name of FEE_NAMES) {
    for (const column of rule[name] ?? []) fees[name] += readSigned(row, column, currency) ?? 0n
    if (rule.sign === 'charged_positive') fees[name] = -fees[name]
  }
  return fees
}

const LONGEST_ID = 64
const HASH_LENGTH = 40

function readId(
  row: ForeignRow,
  { id: rule }: Mapping,
  { digest, occurrence }: ForeignContext,
  pattern: (source: string) => RegExp,
): string {
  const id = row.cell(rule.column)
  const isId = id !== '' && (rule.matches === undefined || pattern(rule.matches).test(id))
  // One of ten long numbers passes the check digit: such an id must neither be stored nor refused.
  if (isId && looksLikeCard(id))
    return `h-${digest(JSON.stringify(['id', id])).slice(0, HASH_LENGTH)}`
  if (isId && id.length <= LONGEST_ID) return id
  if (rule.else_hash === undefined) {
    return row.refuse(
      rule.column,
      `an id of at most ${LONGEST_ID} characters`,
      'Name columns in "else_hash".',
    )
  }
  const cells = rule.else_hash.map((column) => (column === '#occurrence' ? '' : row.cell(column)))
  const hash = digest(JSON.stringify(cells))
  if (!rule.else_hash.includes('#occurrence')) return `h-${hash.slice(0, HASH_LENGTH)}`
  const counted = digest(`${hash} ${occurrence(hash)}`)
  return `h-${counted.slice(0, HASH_LENGTH)}`
}
