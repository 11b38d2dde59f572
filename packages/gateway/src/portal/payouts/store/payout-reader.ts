import type pg from 'pg'
import type { PayoutFilter, PayoutReader, UntakenBalance } from '../usecases/payouts.ts'
import {
  minor,
  payoutOf,
  SOURCE,
  sourceOf,
  SUM_COLUMNS,
  sumsOf,
  type PayoutColumns,
  type SourceColumns,
} from './payout-rows.ts'

const FROM = `
  from settlement_payouts p
  join settlement_sources s on s.id = p.source_id
  join merchant_accounts a on a.id = s.merchant_account_id
  join settlement_files f on f.id = p.file_id`

const COLUMNS = `
p.id, p.n, f.seq, p.state, p.payout, p.trace, p.iban_last4, p.value_date::text, p.arrives::text,
${SUM_COLUMNS.map((column) => `p.${column}`).join(', ')}, ${SOURCE}`

const PAYOUTS = `select ${COLUMNS} ${FROM}`

const WITH_NEIGHBOURS = `
select ${COLUMNS}, previous.id as previous_id, previous.left_minor as previous_left,
       following.id as next_id ${FROM}
  left join lateral (
    select id, left_minor from settlement_payouts
     where source_id = p.source_id and (file_id, n) < (p.file_id, p.n)
     order by file_id desc, n desc limit 1) previous on true
  left join lateral (
    select id from settlement_payouts
     where source_id = p.source_id and (file_id, n) > (p.file_id, p.n)
     order by file_id, n limit 1) following on true
 where p.merchant_id = $1 and p.id = $2`

interface Neighbours {
  readonly previous_id: string | null
  readonly previous_left: string | null
  readonly next_id: string | null
}

const FILTERED = `
 where p.merchant_id = $1 and ($2::text is null or p.state = $2)
   and ($3::text is null or p.currency = $3)
   and ($4::bigint is null or s.merchant_account_id = $4)
   and ($5::date is null or p.value_date >= $5) and ($6::date is null or p.value_date <= $6)
   and ($7::text is null or strpos(lower(p.trace), lower($7)) > 0
        or strpos(lower(p.payout), lower($7)) > 0
        or p.net_minor::text = $8::jsonb ->> p.currency::text)`

const TOTALS = `
select p.currency, count(*) as payouts,
       ${SUM_COLUMNS.map((column) => `sum(p.${column}) as ${column}`).join(', ')}
  ${FROM} ${FILTERED} group by p.currency order by p.currency`

const SOURCES = `
select ${SOURCE}
  from settlement_sources s join merchant_accounts a on a.id = s.merchant_account_id
 where s.merchant_id = $1 order by s.merchant_account_id, s.currency`

/** The last booked file has the balance. Later files have lines behind the last payout too. */
const UNTAKEN = `
select ${SOURCE}, f.closing_minor, f.business_date::text as as_of,
       coalesce(last.left_minor, 0) as left_minor, last.id as last_id,
       (select count(*) from settlement_lines l
          join settlement_files x on x.id = l.file_id and x.state = 'booked'
         where x.source_id = s.id and x.id >= coalesce(last.file_id, 0)
           and (l.file_id, l.n) > (coalesce(last.file_id, 0), coalesce(last.n, 0))) as lines
  from settlement_sources s
  join merchant_accounts a on a.id = s.merchant_account_id
 cross join lateral (
   select closing_minor, business_date from settlement_files
    where source_id = s.id and state = 'booked' order by seq desc limit 1) f
  left join lateral (
   select id, file_id, n, left_minor from settlement_payouts
    where source_id = s.id order by file_id desc, n desc limit 1) last on true
 where s.merchant_id = $1 and ($2::bigint is null or s.id = $2)
 order by s.merchant_account_id, s.currency`

/** Reads payouts of a merchant. */
export function createPayoutReader(pool: pg.Pool): PayoutReader {
  return {
    async list(filter, before, limit) {
      const { rows } = await pool.query<PayoutColumns>(
        `${PAYOUTS} ${FILTERED} and ($9::bigint is null or p.id < $9)
          order by p.id desc limit $10`,
        [...valuesOf(filter), before, limit],
      )
      return rows.map(payoutOf)
    },
    async totals(filter) {
      const { rows } = await pool.query<Record<string, string>>(TOTALS, valuesOf(filter))
      return rows.map((row) => ({
        currency: row['currency'] ?? '',
        payouts: Number(row['payouts']),
        ...sumsOf(row),
      }))
    },
    async read(merchantId, id) {
      const { rows } = await pool.query<PayoutColumns & Neighbours>(WITH_NEIGHBOURS, [
        merchantId,
        id,
      ])
      const [row] = rows
      if (row === undefined) return null
      const { next_id: next, previous_id: previous } = row
      return {
        ...payoutOf(row),
        previous:
          previous === null ? null : { id: BigInt(previous), leftMinor: minor(row.previous_left) },
        nextId: next === null ? null : BigInt(next),
        sourceId: BigInt(row.source_id),
      }
    },
    async announced(merchantId, limit) {
      const { rows } = await pool.query<PayoutColumns & { count: string }>(
        `${PAYOUTS.replace('select', 'select count(*) over () as count,')}
          where p.merchant_id = $1 and p.state = 'announced'
          order by coalesce(p.arrives, p.value_date), p.id limit $2`,
        [merchantId, limit],
      )
      return { count: Number(rows[0]?.count ?? 0), payouts: rows.map(payoutOf) }
    },
    async sources(merchantId) {
      const { rows } = await pool.query<SourceColumns>(SOURCES, [merchantId])
      return rows.map(sourceOf)
    },
    async untaken(merchantId, sourceId) {
      const { rows } = await pool.query<SourceColumns>(UNTAKEN, [merchantId, sourceId])
      return rows.map(untakenOf)
    },
  }
}

function valuesOf(filter: PayoutFilter): unknown[] {
  const { accountId, currency, find, from, merchantId, state, to } = filter
  const netMinor = find === null ? null : JSON.stringify(find.netMinor)
  return [merchantId, state, currency, accountId, from, to, find?.text ?? null, netMinor]
}

function untakenOf(row: SourceColumns): UntakenBalance {
  return {
    ...sourceOf(row),
    balanceMinor: minor(row['closing_minor']),
    leftMinor: minor(row['left_minor']),
    lastPayoutId: row['last_id'] === null ? null : minor(row['last_id']),
    lines: Number(row['lines']),
    asOf: String(row['as_of']),
  }
}
