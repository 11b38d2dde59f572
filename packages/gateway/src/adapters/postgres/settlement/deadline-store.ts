import type pg from 'pg'
import type { DeadlineStore } from '../../../usecases/settlement/raise-missing.ts'
import { inTransaction } from '../connection/transaction.ts'
import { SOURCE_TODAY } from './source-day.ts'

const ACCOUNTS = `
select s.merchant_account_id, min(s.currency) as currency, min(${SOURCE_TODAY('$1')})::text as today
  from settlement_sources s group by s.merchant_account_id order by s.merchant_account_id`

/** Closed batches whose captures and refunds are not all accounted for. */
const BATCHES = `
select b.id from batches b
 where b.merchant_account_id = $1 and b.closed_at is not null
   and not exists (select from settlement_checked_batches c where c.batch_id = b.id)
 order by b.id limit $2 offset $3`

/** A file that is being booked settles captures of the batch, which are not missing then. */
const LOCK = `
select from settlement_sources s join batches b on b.merchant_account_id = s.merchant_account_id
 where b.id = $1 order by s.id for no key update of s`

// The source of an order is the one in its currency, else the first of the account.
const EXPECTED = `
  from transactions t
  join orders o on o.id = t.order_id
  join batches b on b.id = t.batch_id
  join merchants m on m.id = t.merchant_id
  join lateral (select s.id, s.merchant_id, s.since from settlement_sources s
                 where s.merchant_account_id = b.merchant_account_id
                 order by s.currency <> o.currency, s.id limit 1) s on true
 where t.batch_id = $1 and t.kind in ('sale', 'capture', 'refund') and t.state = 'approved'
   and t.value_minor > t.voided_minor
   and (t.concluded_at at time zone m.time_zone)::date >= s.since
   and not exists (select from settled_transactions x where x.transaction_id = t.id)
   and not exists (select from settlement_differences d
                    where d.transaction_id = t.id and d.code = 'missing_at_bank')`

/** $2: captured on this day or before it. */
const RAISE = `
insert into settlement_differences
  (source_id, merchant_id, code, transaction_id, order_id, here_minor, here_currency, since,
   found_at)
select s.id, s.merchant_id, 'missing_at_bank', t.id, o.id, t.value_minor - t.voided_minor,
       o.currency,
       (t.concluded_at at time zone m.time_zone)::date, $3
${EXPECTED}
   and (t.concluded_at at time zone m.time_zone)::date <= $2::date
   and not exists (select from settlement_differences d
                    where d.state = 'open' and d.merchant_id = t.merchant_id
                      and t.id = any (d.proposal))
    on conflict do nothing`

const CHECK = `
insert into settlement_checked_batches (batch_id)
select $1 where not exists (select ${EXPECTED}) on conflict do nothing`

export function createDeadlineStore(pool: pg.Pool): DeadlineStore {
  return {
    async findAccounts(now) {
      const { rows } = await pool.query<{
        merchant_account_id: string
        currency: string
        today: string
      }>(ACCOUNTS, [now])
      return rows.map(({ currency, merchant_account_id: id, today }) => ({
        id: BigInt(id),
        currency,
        today,
      }))
    },
    async findBatches(accountId, limit, offset) {
      const { rows } = await pool.query<{ id: string }>(BATCHES, [accountId, limit, offset])
      return rows.map(({ id }) => BigInt(id))
    },
    raiseMissing: (batchId, latestDay, now) =>
      inTransaction(pool, null, async (client) => {
        await client.query(LOCK, [batchId])
        const { rowCount } = await client.query(RAISE, [batchId, latestDay, now])
        const { rowCount: checked } = await client.query(CHECK, [batchId])
        return { raised: rowCount ?? 0, isChecked: checked === 1 }
      }),
  }
}
