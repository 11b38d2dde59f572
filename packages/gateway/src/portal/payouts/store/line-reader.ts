import type pg from 'pg'
import type { PayoutLineReader, PayoutPart } from '../usecases/payouts.ts'
import { LINE_COLUMNS, LINE_JOINS, lineOf } from './line-rows.ts'

/** $1 is the merchant, $2 the payout or the source, $3 and $4 the place, $5 the number of lines. */
const LINES = `
select ${LINE_COLUMNS}
  from owner w
  join settlement_files f on f.source_id = w.source_id and f.state = 'booked'
  join settlement_lines l on l.file_id = f.id ${LINE_JOINS}
 where f.id >= w.from_file and f.id <= w.to_file
   and (l.file_id, l.n) > (w.from_file, w.from_n) and (l.file_id, l.n) > ($3::bigint, $4::integer)`

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

const HERE = 'l.file_id = w.to_file'
const kinds = (...names: readonly string[]): string =>
  `${HERE} and l.n < w.to_n and l.kind in (${names.map((name) => `'${name}'`).join(', ')})`

/** The booking of a file makes the same parts (adapters/postgres/settlement). */
const OF_PART: Readonly<Record<PayoutPart, string>> = {
  carried: 'l.file_id < w.to_file',
  gross: kinds('sale'),
  refunds: kinds('refund', 'refund_reversal'),
  chargebacks: kinds('chargeback', 'chargeback_again', 'dispute_reversal'),
  fees: `${HERE} and l.n <= w.to_n and l.net_minor <> l.gross_minor`,
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

const BEFORE_PAYOUT = '(l.file_id, l.n) < (w.to_file, w.to_n)'
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
