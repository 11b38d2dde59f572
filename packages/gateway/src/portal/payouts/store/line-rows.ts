import type { PayoutLine } from '../usecases/payouts.ts'
import { minor } from './payout-rows.ts'

/** Columns of a line, of the tables in `LINE_JOINS`. */
export const LINE_COLUMNS = `
       l.file_id, l.n, f.seq, l.line_id, l.kind, x.transaction_id, t.kind as transaction_kind,
       o.id as order_id, o.reference as order_reference, l.brand, l.gross_minor, l.net_minor,
       l.fee_interchange_minor, l.fee_scheme_minor, l.fee_acquirer_minor, l.fee_dispute_minor,
       l.fee_tax_minor, l.fee_other_minor, l.value_date::text, d.difference_id,
       concat_ws(', ', l.fee_code, l.period, l.case_id, l.reason) as note`

/** The order of a line is that of its transaction, of its dispute, or of its difference. */
export const LINE_JOINS = `
  left join settled_transactions x on x.file_id = l.file_id and x.n = l.n
  left join transactions t on t.id = x.transaction_id
  left join lateral (
    select max(order_id) as order_id, max(id) filter (where state = 'open') as difference_id
      from settlement_differences where file_id = l.file_id and n = l.n) d on true
  left join dispute_movements v on v.file_id = l.file_id and v.n = l.n
  left join disputes c on c.id = v.dispute_id
  left join orders o on o.id = coalesce(x.order_id, c.order_id, d.order_id)`

/** A row of `LINE_COLUMNS`. */
export function lineOf(row: Record<string, string | null>): PayoutLine {
  const id = (name: string): bigint | null => {
    const value = row[name] ?? null
    return value === null ? null : BigInt(value)
  }
  const fee = (name: keyof PayoutLine['fees']): bigint => minor(row[`fee_${name}_minor`])
  return {
    fileId: minor(row['file_id']),
    n: Number(row['n']),
    fileSeq: minor(row['seq']),
    lineId: row['line_id'] ?? '',
    kind: row['kind'] ?? '',
    orderId: id('order_id'),
    orderReference: row['order_reference'] ?? '',
    transactionId: id('transaction_id'),
    transactionKind: row['transaction_kind'] ?? null,
    brand: row['brand'] ?? null,
    differenceId: id('difference_id'),
    grossMinor: minor(row['gross_minor']),
    fees: {
      interchange: fee('interchange'),
      scheme: fee('scheme'),
      acquirer: fee('acquirer'),
      dispute: fee('dispute'),
      tax: fee('tax'),
      other: fee('other'),
    },
    netMinor: minor(row['net_minor']),
    valueDate: row['value_date'] ?? '',
    note: row['note'] ?? '',
  }
}
