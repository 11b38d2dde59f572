import type pg from 'pg'
import type { DeveloperSite } from '../usecases/developer-site.ts'

const SITES = `
select s.id, s.name, s.mode,
       coalesce((select array_agg(m.acquirer_merchant_id order by l.position, m.id)
                   from site_merchant_accounts l join merchant_accounts m on m.id = l.merchant_account_id
                  where l.site_id = s.id and m.merchant_id = s.merchant_id and m.mode = 'test' and m.processor_link_id is null), '{}') as acquirer_ids,
       (select min(m.id) from site_merchant_accounts l join merchant_accounts m on m.id = l.merchant_account_id
         where l.site_id = s.id and m.mode = 'test') as account_id,
       (select min(u.username) from api_users u where u.merchant_id = s.merchant_id and u.active) as username
  from sites s where s.merchant_id = $1 order by s.id`

/** The sites of a merchant, and what the bundled bank knows them by. */
export function createDeveloperSites(pool: pg.Pool) {
  return async (merchantId: bigint): Promise<readonly DeveloperSite[]> => {
    const { rows } = await pool.query<{
      id: string
      name: string
      mode: 'test' | 'live'
      acquirer_ids: string[]
      account_id: string | null
      username: string | null
    }>(SITES, [merchantId])
    return rows.map((row) => ({
      id: BigInt(row.id),
      merchantId,
      name: row.name,
      mode: row.mode,
      acquirerMerchantIds: [...new Set(row.acquirer_ids)],
      accountId: row.account_id === null ? null : BigInt(row.account_id),
      username: row.username ?? '',
    }))
  }
}
