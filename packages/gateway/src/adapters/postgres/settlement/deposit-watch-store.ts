import type pg from 'pg'
import type { DepositWatchStore } from '../../../usecases/settlement/watch-deposits.ts'
import { OVERDUE } from './deposit-rows.ts'
import { SOURCE_TODAY } from './source-day.ts'

const SOURCES = `
select s.id, s.merchant_id, s.currency, ${SOURCE_TODAY('$1')}::text as today
  from settlement_sources s
 where exists (select from bank_accounts a
                where a.merchant_id = s.merchant_id and a.currency = s.currency)
 order by s.id`

const HAS_UNMATCHED = `
select exists (select from bank_entries e
                 join bank_accounts a on a.id = e.bank_account_id and a.currency = $2
                where e.merchant_id = $1 and e.state = 'unknown'
                  and not exists (select from settlement_differences d
                                   where d.entry_id = e.id and d.state = 'ended'))
   and exists (select from settlement_payouts p
                where p.merchant_id = $1 and p.currency = $2 and p.state = 'announced') as found`

/** Reads whether deposits have to be matched or are overdue. Locks nothing. */
export function createDepositWatchStore(pool: pg.Pool): DepositWatchStore {
  return {
    async findSources(now) {
      const { rows } = await pool.query<{
        id: string
        merchant_id: string
        currency: string
        today: string
      }>(SOURCES, [now])
      return rows.map(({ currency, id, merchant_id, today }) => ({
        id: BigInt(id),
        merchantId: BigInt(merchant_id),
        currency,
        today,
      }))
    },
    async hasUnmatched(merchantId, currency) {
      const { rows } = await pool.query<{ found: boolean }>(HAS_UNMATCHED, [merchantId, currency])
      return rows[0]?.found === true
    },
    async isOverdue(sourceId, latestDay) {
      const { rows } = await pool.query<{ found: boolean }>(
        `select exists (select from settlement_payouts p
                         where p.source_id = $1 and ${OVERDUE('$2')}) as found`,
        [sourceId, latestDay],
      )
      return rows[0]?.found === true
    },
  }
}
