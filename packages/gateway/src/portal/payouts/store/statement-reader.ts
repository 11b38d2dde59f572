import type pg from 'pg'
import { inSnapshot } from '../../../adapters/postgres/connection/transaction.ts'
import type { StatementMovement } from '../domain/statement.ts'
import type { StatementReader } from '../usecases/payouts.ts'
import { LINE_COLUMNS, LINE_JOINS, lineOf } from './line-rows.ts'
import { minor, SOURCE, sourceOf, type SourceColumns } from './payout-rows.ts'

/** $2 is the source, $3 and $4 the moments. A file's balance is the balance after its lines. */
const BALANCES = `
select ${SOURCE},
       coalesce((select closing_minor from settlement_files
                  where source_id = s.id and state = 'booked' and booked_at < $3
                  order by seq desc limit 1), 0) as opening_minor,
       coalesce((select closing_minor from settlement_files
                  where source_id = s.id and state = 'booked' and booked_at < $4
                  order by seq desc limit 1), 0) as closing_minor,
       (select count(*) from settlement_files
         where source_id = s.id and state = 'booked'
           and booked_at >= $3 and booked_at < $4) as files
  from settlement_sources s join merchant_accounts a on a.id = s.merchant_account_id
 where s.merchant_id = $1 and s.id = $2`

/** Only lines move the balance at the acquirer, and a file posts its lines when it is booked. */
const MOVEMENTS = `
select case when k.debit = 'acquirer_balance' then k.credit else k.debit end as account,
       case when k.debit = 'acquirer_balance' then 'in' else 'out' end as direction,
       count(*), sum(p.amount_minor) as minor
  from settlement_files f
  join settlement_postings p on p.event = 'line' and p.event_id = f.id
  join settlement_posting_kinds k on k.kind = p.kind
 where f.merchant_id = $1 and f.source_id = $2 and f.state = 'booked'
   and f.booked_at >= $3 and f.booked_at < $4
   and 'acquirer_balance' in (k.debit, k.credit)
 group by 1, 2`

const OPERATOR_FEES = `
select coalesce(sum(t.fee_minor) filter (where t.kind = 'sale'), 0) as sales,
       coalesce(sum(t.fee_minor) filter (where t.kind = 'refund'), 0) as refunds,
       coalesce((select sum(fee_minor) from monthly_fees
                  where merchant_id = $1 and currency = $4
                    and posted_at >= $3 and posted_at < $5), 0) as monthly
  from transaction_fees t
  join batches b on b.id = t.batch_id and b.merchant_account_id = $2
 where t.merchant_id = $1 and t.currency = $4
   and t.posted_at >= $3 and t.posted_at < $5`

/**
 * The lines with postings in a row, and the sum of these. $5 and $6 are the accounts and directions
 * of the row, $7 and $8 the place, $9 the number of lines.
 */
const LINES = `
with row as (select * from unnest($5::text[], $6::text[]) as row(account, direction)),
posted as (
  select p.event_id as file_id, p.n,
         sum(case when k.debit = 'acquirer_balance' then p.amount_minor else -p.amount_minor end)
           as posted_minor
    from settlement_files f
    join settlement_postings p on p.event = 'line' and p.event_id = f.id
    join settlement_posting_kinds k on k.kind = p.kind
    join row r on (k.debit = 'acquirer_balance' and k.credit = r.account
                   and r.direction is distinct from 'out')
               or (k.credit = 'acquirer_balance' and k.debit = r.account
                   and r.direction is distinct from 'in')
   where f.merchant_id = $1 and f.source_id = $2 and f.state = 'booked'
     and f.booked_at >= $3 and f.booked_at < $4 and (f.id, p.n) > ($7::bigint, $8::integer)
   group by p.event_id, p.n order by p.event_id, p.n limit $9)
select ${LINE_COLUMNS}, m.posted_minor
  from posted m
  join settlement_files f on f.id = m.file_id
  join settlement_lines l on l.file_id = m.file_id and l.n = m.n ${LINE_JOINS}
 order by l.file_id, l.n`

/** Reads statements: all figures of one are of the same moment. */
export function createStatementReader(pool: pg.Pool): StatementReader {
  return {
    read: (merchantId, sourceId, { from, until }) =>
      inSnapshot(pool, async (client) => {
        const keys = [merchantId, sourceId, from, until]
        const { rows } = await client.query<SourceColumns>(BALANCES, keys)
        const [balances] = rows
        if (balances === undefined) return null
        const source = sourceOf(balances)
        const movements = await client.query<Record<string, string>>(MOVEMENTS, keys)
        const fees = await client.query<Record<string, string>>(OPERATOR_FEES, [
          merchantId,
          source.accountId,
          from,
          source.currency,
          until,
        ])
        return {
          source,
          files: Number(balances['files']),
          openingMinor: minor(balances['opening_minor']),
          closingMinor: minor(balances['closing_minor']),
          movements: movements.rows.map(movementOf),
          operatorFees: {
            salesMinor: minor(fees.rows[0]?.['sales'] ?? 0),
            refundsMinor: minor(fees.rows[0]?.['refunds'] ?? 0),
            monthlyMinor: minor(fees.rows[0]?.['monthly'] ?? 0),
          },
        }
      }),
    async lines({ accounts, merchantId, range: { from, until }, sourceId }, { fileId, n }, limit) {
      const { rows } = await pool.query<Record<string, string | null>>(LINES, [
        merchantId,
        sourceId,
        from,
        until,
        accounts.map(({ account }) => account),
        accounts.map(({ direction }) => direction),
        fileId,
        n,
        limit,
      ])
      return rows.map((row) => ({ ...lineOf(row), postedMinor: minor(row['posted_minor']) }))
    },
  }
}

function movementOf(row: Record<string, string>): StatementMovement {
  return {
    account: row['account'] ?? '',
    direction: row['direction'] === 'in' ? 'in' : 'out',
    count: Number(row['count']),
    minor: minor(row['minor']),
  }
}
