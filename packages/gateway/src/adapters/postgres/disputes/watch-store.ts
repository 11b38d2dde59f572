import type pg from 'pg'
import type { DisputeWatchStore } from '../../../usecases/disputes/watch-disputes.ts'
import { onConnection } from '../connection/database.ts'
import { inTransaction } from '../connection/transaction.ts'
import { ACCOUNT_TODAY } from './account-day.ts'
import { holdAccount } from './dispute-lock.ts'
import { DISPUTE_KINDS, WAITS_FOR_MONEY } from './money-statements.ts'

const ACCOUNTS = `
select a.id, min(s.currency) as currency, ${ACCOUNT_TODAY('$1')}::text as today
  from settlement_sources s join merchant_accounts a on a.id = s.merchant_account_id
 where exists (select from dispute_feeds f where f.merchant_account_id = a.id)
    or exists (select from settlement_lines l
                 join settlement_files f on f.id = l.file_id and f.source_id = s.id
                where l.case_id is not null and l.kind in ${DISPUTE_KINDS})
 group by a.id order by a.id`

/** Lines of an account $1 whose file is of day $2 or before it, at $3. */
const RAISE_LINES = `
insert into settlement_differences
  (source_id, merchant_id, code, file_id, n, bank_minor, bank_currency, since, found_at)
select s.id, s.merchant_id, 'dispute_unknown', l.file_id, l.n, l.net_minor, s.currency,
       f.business_date, $3
  from settlement_sources s
  join settlement_files f on f.source_id = s.id and f.state = 'booked' and f.business_date <= $2
  join settlement_lines l on l.file_id = f.id and l.case_id is not null
       and l.kind in ${DISPUTE_KINDS}
 where s.merchant_account_id = $1
   and not exists (select from dispute_movements m where m.file_id = l.file_id and m.n = l.n)
    on conflict do nothing`

/**
 * Cases of the account, in the source of their currency or the first one. A difference that a
 * person ended stays ended until the case moves on.
 */
const RAISE_CASES = `
insert into settlement_differences
  (source_id, merchant_id, code, dispute_id, order_id, here_minor, here_currency, since, found_at)
select s.id, d.merchant_id, 'dispute_unknown', d.id, d.order_id, d.amount_minor, d.currency,
       w.since, $3
  from disputes d
  join merchants m on m.id = d.merchant_id
 cross join lateral (
   select (coalesce(d.ended_at, d.charged_at) at time zone m.time_zone)::date as since) w
  join lateral (select f.id from settlement_sources f
                 where f.merchant_account_id = d.merchant_account_id
                 order by f.currency <> d.currency, f.id limit 1) s on true
 where d.merchant_account_id = $1 and ${WAITS_FOR_MONEY}
   and w.since <= $2
   and not exists (select from settlement_differences e
                    where e.dispute_id = d.id and e.code = 'dispute_unknown'
                      and e.state = 'ended' and e.since = w.since
                      and not exists (select from dispute_movements x
                                       where x.dispute_id = d.id and x.linked_at > e.ended_at))
    on conflict do nothing`

const MARK_OVERDUE = `
update disputes d set is_overdue = true
  from merchant_accounts a
 where a.id = d.merchant_account_id and d.ended_at is null and d.respond_by is not null
   and not d.is_overdue and d.respond_by < ${ACCOUNT_TODAY('$1')}
   and not exists (select from dispute_answers w
                    where w.dispute_id = d.id and w.state <> 'refused'
                      and w.stage_n = (select max(n.n) from dispute_notices n
                                        where n.dispute_id = d.id))`

export function createDisputeWatchStore(pool: pg.Pool): DisputeWatchStore {
  return {
    async findAccounts(now) {
      const { rows } = await pool.query<{ id: string; currency: string; today: string }>(ACCOUNTS, [
        now,
      ])
      return rows.map(({ currency, id, today }) => ({ id: BigInt(id), currency, today }))
    },
    raiseUnknown: (accountId, latestDay, now) =>
      inTransaction(pool, null, async (client) => {
        await holdAccount(client, accountId)
        const { rowCount: lines } = await client.query(RAISE_LINES, [accountId, latestDay, now])
        const { rowCount: cases } = await client.query(RAISE_CASES, [accountId, latestDay, now])
        return (lines ?? 0) + (cases ?? 0)
      }),
    markOverdue: (now) =>
      onConnection(pool, async (client) => {
        const { rowCount } = await client.query(MARK_OVERDUE, [now])
        return rowCount ?? 0
      }),
  }
}
