import { holdsCardNumber } from '../../base/card-number-text.ts'
import type { FileLine, LineKind } from './file-record.ts'
import type { ForeignRow } from './foreign-row.ts'
import { TEXT_FIELDS, type Mapping, type TextField, type TextRule } from './mapping.ts'

type Texts = Pick<
  FileLine,
  | 'order'
  | 'rrn'
  | 'arn'
  | 'batch'
  | 'brand'
  | 'case'
  | 'reason'
  | 'payout'
  | 'trace'
  | 'ibanLast4'
  | 'corrects'
  | 'ref'
  | 'period'
  | 'feeCode'
>

/** The optional texts of a row; null for those that it has not. @throws RowRefused */
export function readTexts(
  row: ForeignRow,
  mapping: Mapping,
  kind: LineKind,
  pattern: (source: string) => RegExp,
): Texts {
  const found = new Map<TextField, string | null>()
  for (const field of TEXT_FIELDS) {
    const rule = mapping[field]
    if (rule !== undefined) found.set(field, readText(row, rule, kind, pattern))
  }
  const get = (field: TextField): string | null => found.get(field) ?? null
  const ibanLast4 = get('iban_last4')
  if (ibanLast4 !== null && !/^[0-9A-Z]{4}$/.test(ibanLast4)) {
    row.refuse(
      columnOf(mapping.iban_last4),
      'four digits or capitals',
      'Cut them out with "regex".',
    )
  }
  return {
    order: get('order'),
    rrn: get('rrn'),
    arn: get('arn'),
    batch: get('batch'),
    brand: get('brand'),
    case: get('case'),
    reason: get('reason'),
    payout: get('payout'),
    trace: get('trace'),
    ibanLast4,
    corrects: get('corrects'),
    ref: get('ref'),
    period: get('period'),
    feeCode: get('fee_code'),
  }
}

function columnOf(rule: TextRule | undefined): string {
  return typeof rule === 'object' ? rule.column : (rule ?? '')
}

function readText(
  row: ForeignRow,
  rule: TextRule,
  kind: LineKind,
  pattern: (source: string) => RegExp,
): string | null {
  if (typeof rule === 'string') return withoutCardNumber(row, rule, row.cell(rule)) || null
  if (rule.when !== undefined && rule.when !== kind) return null
  const text = row.cell(rule.column)
  if (text === '') return null
  if (rule.regex !== undefined) {
    const match = pattern(rule.regex).exec(text)
    return match === null ? null : withoutCardNumber(row, rule.column, match[1] ?? match[0]) || null
  }
  if (rule.map === undefined) return withoutCardNumber(row, rule.column, text)
  if (Object.hasOwn(rule.map, text)) return rule.map[text] ?? null
  const remedy = 'Add the value to "map", or give "else".'
  return rule.else ?? row.refuse(rule.column, 'a value of "map"', remedy)
}

const LONGEST_TEXT = 200
/** An acquirer reference number has 23 digits, and any part of them may look like a card number. */
const ARN = /^\d{23}$/

function withoutCardNumber(row: ForeignRow, column: string, text: string): string {
  if (text.length > LONGEST_TEXT) {
    row.refuse(column, `at most ${LONGEST_TEXT} characters`, 'Cut a part out with "regex".')
  }
  if (!looksLikeCard(text)) return text
  return row.refuse(column, 'no card number', 'Map a column without card numbers.')
}

/** Whether a text may hold a card number. */
export function looksLikeCard(text: string): boolean {
  return !ARN.test(text) && holdsCardNumber(text, 'groups')
}
