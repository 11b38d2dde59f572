import type pg from 'pg'
import type { PayoutLine, PayoutLineReader, PayoutPart } from '../usecases/payouts.ts'
import { minor } from './payout-rows.ts'

/** $1 is the merchant, $2 the payout or the source, $3 and $4 the place, $5 the number of lines. */
const LINES = `
select l.file_id, l.n, f.seq, l.line_id, l.kind, x.transaction_id, t.kind as transaction_kind,
       coalesce(x.order_id, d.order_id) as order_id, l.brand, l.gross_minor, l.net_minor,
       l.fee_interchange_minor, l.fee_scheme_minor, l.fee_acquirer_minor, l.fee_dispute_minor,
       l.fee_tax_minor, l.fee_other_minor, l.value_date::text,
       concat_ws(', ', l.fee_code, l.period, l.case_id, l.reason) as note
  from owner o
  join settlement_files f on f.source_id = o.source_id and f.state = 'booked'
  join settlement_lines l on l.file_id = f.id
  left join settled_transactions x on x.file_id = l.file_id and x.n = l.n
  left join transactions t on t.id = x.transaction_id
  left join lateral (
    select order_id from settlement_differences
     where file_id = l.file_id and n = l.n and order_id is not null limit 1) d on true
 where f.id >= o.from_file and f.id <= o.to_file
   and (l.file_id, l.n) > (o.from_file, o.from_n) and (l.file_id, l.n) > ($3::bigint, $4::integer)`

/** The lines of a payout begin behind the payout before it. */
const OF_PAYOUT = `
with owner as (
  select p.source_id, p.file_id as to_file, p.n as to_n, coalesce(b.file_id, 0) as from_file,
         coalesce(b.n, 0) as from_n
    from settlement_payouts p
    left join lateral (
      select file_id, n from settlement_payouts
       where source_id = p.source_id and (file_id, n) < (p.file_id, p.n)
       order by file_id desc, n desc limit 1) b on true
   where p.merchant_id = $1 and p.id = $2)`

const OF_SOURCE = `
with owner as (
  select s.id as source_id, 9223372036854775807 as to_file, coalesce(b.file_id, 0) as from_file,
         coalesce(b.n, 0) as from_n
    from settlement_sources s
    left join lateral (
      select file_id, n from settlement_payouts where source_id = s.id
       order by file_id desc, n desc limit 1) b on true
   where s.merchant_id = $1 and s.id = $2)`

const HERE = 'l.file_id = o.to_file'
const kinds = (...names: readonly string[]): string =>
  `${HERE} and l.n < o.to_n and l.kind in (${names.map((name) => `'${name}'`).join(', ')})`

/** The booking of a file makes the same parts (adapters/postgres/settlement). */
const OF_PART: Readonly<Record<PayoutPart, string>> = {
  carried: 'l.file_id < o.to_file',
  gross: kinds('sale'),
  refunds: kinds('refund', 'refund_reversal'),
  chargebacks: kinds('chargeback', 'chargeback_again', 'dispute_reversal'),
  fees: `${HERE} and l.n <= o.to_n and l.net_minor <> l.gross_minor`,
  reserve: kinds('reserve_hold', 'reserve_release'),
  other: kinds(
    'reject',
    'dispute_fee',
    'fee',
    'adjustment',
    'payout_return',
    'carry_forward',
    'top_up',
  ),
}

const BEFORE_PAYOUT = '(l.file_id, l.n) < (o.to_file, o.to_n)'
const ORDER = 'order by l.file_id, l.n limit $5'

/** Reads the lines that a payout is made of, or those that no payout has taken. */
export function createPayoutLineReader(pool: pg.Pool): PayoutLineReader {
  return {
    async lines(merchantId, owner, { fileId, n }, limit) {
      const sql =
        owner.kind === 'source'
          ? `${OF_SOURCE} ${LINES} ${ORDER}`
          : `${OF_PAYOUT} ${LINES}
             and ${owner.part === null ? BEFORE_PAYOUT : OF_PART[owner.part]}
             ${ORDER}`
      const { rows } = await pool.query<Record<string, string | null>>(sql, [
        merchantId,
        owner.id,
        fileId,
        n,
        limit,
      ])
      return rows.map(lineOf)
    },
  }
}

function lineOf(row: Record<string, string | null>): PayoutLine {
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
    transactionId: id('transaction_id'),
    transactionKind: row['transaction_kind'] ?? null,
    brand: row['brand'] ?? null,
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
