import type pg from 'pg'
import type { FetchStore } from '../../../usecases/settlement/fetch-files.ts'

/** Test accounts of the bundled bank, with the days of their sites' clocks and their sources. */
const ACCOUNTS = `
select a.id, a.acquirer_merchant_id as account,
       (select max((site_time(c.site_id, $1) at time zone 'UTC')::date)::text
          from site_merchant_accounts x join site_clocks c on c.site_id = x.site_id
         where x.merchant_account_id = a.id) as site_day,
       (select json_object_agg(s.currency, (
                 select coalesce(max(f.seq), 0)::text from settlement_files f
                  where f.source_id = s.id and f.state = 'booked'))
          from settlement_sources s where s.merchant_account_id = a.id) as last_seqs
  from merchant_accounts a
 where a.mode = 'test' and a.processor_link_id is null
 order by a.id`

export function createFetchStore(pool: pg.Pool): FetchStore {
  return {
    async findAccounts(now) {
      const { rows } = await pool.query<{
        id: string
        account: string
        site_day: string | null
        last_seqs: Readonly<Record<string, string>> | null
      }>(ACCOUNTS, [now])
      return rows.map(({ account, id, last_seqs: lastSeqs, site_day: siteDay }) => ({
        id: BigInt(id),
        account,
        siteDay,
        lastSeqs: new Map(
          Object.entries(lastSeqs ?? {}).map(([currency, seq]) => [currency, BigInt(seq)]),
        ),
      }))
    },
  }
}
