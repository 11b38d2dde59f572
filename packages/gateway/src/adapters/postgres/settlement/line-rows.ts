import { maskText } from '../../../base/card-masking.ts'
import type { FileLine } from '../../../domain/settlement/file-record.ts'
import { messageOfKey } from '../../../domain/settlement/message-key.ts'

type Cell = string | number | bigint | null

/** The columns of settlement_lines beside the file's: type, and the value of a line. */
const COLUMNS: Readonly<Record<string, readonly [type: string, of: (line: FileLine) => Cell]>> = {
  n: ['int', (line) => line.n],
  line_id: ['text', (line) => line.id],
  kind: ['text', (line) => line.kind],
  gross_minor: ['bigint', (line) => line.gross],
  net_minor: ['bigint', (line) => line.net],
  fee_interchange_minor: ['bigint', (line) => line.fees.interchange],
  fee_scheme_minor: ['bigint', (line) => line.fees.scheme],
  fee_acquirer_minor: ['bigint', (line) => line.fees.acquirer],
  fee_dispute_minor: ['bigint', (line) => line.fees.dispute],
  fee_tax_minor: ['bigint', (line) => line.fees.tax],
  fee_other_minor: ['bigint', (line) => line.fees.other],
  value_date: ['date', (line) => line.valueDate],
  order_key: ['text', (line) => line.order],
  order_message: ['bigint', (line) => messageOfKey(line.order)],
  ref_message: ['bigint', (line) => messageOfKey(line.ref)],
  rrn: ['text', (line) => line.rrn],
  arn: ['text', (line) => line.arn],
  batch: ['text', (line) => line.batch],
  brand: ['text', (line) => line.brand],
  orig_minor: ['bigint', (line) => line.orig?.minor ?? null],
  orig_currency: ['text', (line) => line.orig?.currency ?? null],
  orig_rate: ['text', (line) => line.orig?.rate ?? null],
  case_id: ['text', (line) => line.case],
  reason: ['text', (line) => line.reason],
  payout: ['text', (line) => line.payout],
  trace: ['text', (line) => line.trace],
  arrives: ['date', (line) => line.arrives],
  iban_last4: ['text', (line) => line.ibanLast4],
  corrects: ['text', (line) => line.corrects],
  ref: ['text', (line) => line.ref],
  period: ['text', (line) => line.period],
  fee_code: ['text', (line) => line.feeCode],
  extra: ['jsonb', (line) => (line.extra === null ? null : maskText(JSON.stringify(line.extra)))],
}

const ENTRIES = Object.values(COLUMNS)

/** Inserts lines: $1 is the file, $2 the sender, the others are `lineColumns`. */
export const INSERT_LINES = `
insert into settlement_lines (file_id, sender, ${Object.keys(COLUMNS).join(', ')})
select $1, $2, l.*
  from unnest(${ENTRIES.map(([type], at) => `$${at + 3}::${type}[]`).join(', ')}) as l`

/** An array for each column. */
export function lineColumns(lines: readonly FileLine[]): Cell[][] {
  return ENTRIES.map(([, of]) => lines.map(of))
}
