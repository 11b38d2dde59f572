import { csvRow } from './csv-row.ts'
import { FEE_NAMES } from './settlement-line.ts'
import type { SettlementLine } from './settlement-line.ts'
import { lineMembers } from './settlement-text.ts'

const TEXTS = [
  ...(['n', 'id', 'kind', 'order', 'rrn', 'arn', 'batch', 'brand', 'case', 'reason'] as const),
  ...(['corrects', 'ref', 'fee_code', 'period', 'payout', 'trace', 'arrives'] as const),
  'value_date',
] as const
const ORIGINAL = ['amount', 'currency', 'rate'] as const

/** The first row of the CSV of a file, with its line end. */
export const CSV_HEADER = csvRow([
  ...TEXTS,
  ...ORIGINAL.map((name) => `orig_${name}`),
  'gross',
  ...FEE_NAMES,
  'net',
])

/** The row of line `n`, with the amounts and texts of the JSON line. */
export function csvLine(line: SettlementLine, n: number, currency: string): string {
  const { fees = {}, orig = {}, ...members } = lineMembers(line, n, currency)
  const cell = (from: object, name: string) =>
    String((from as Readonly<Record<string, unknown>>)[name] ?? '')
  return csvRow([
    ...TEXTS.map((name) => cell(members, name)),
    ...ORIGINAL.map((name) => cell(orig as object, name)),
    cell(members, 'gross'),
    ...FEE_NAMES.map((name) => cell(fees as object, name)),
    cell(members, 'net'),
  ])
}
