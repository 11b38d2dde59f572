import type pg from 'pg'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { SiteModeTx } from '../../../usecases/merchants/set-site-mode.ts'

/** Locks, reads and writes what moving a site between test and live needs. */
export function siteModeTx(client: pg.ClientBase): SiteModeTx {
  return {
    async lockSite(siteId) {
      await client.query('select from sites where id = $1 for update', [siteId])
      const { rows } = await client.query<{ mode: Mode; merchant_id: string }>(
        'select mode, merchant_id from sites where id = $1',
        [siteId],
      )
      const [site] = rows
      return site === undefined ? null : { mode: site.mode, merchantId: BigInt(site.merchant_id) }
    },
    async readSiteAccounts(siteId) {
      const { rows } = await client.query<{
        id: string
        mode: Mode
        link: string
        currencies: string[]
      }>(
        `select a.id, a.mode, a.currencies, coalesce('link ' || l.name, 'the bundled bank') as link
           from merchant_accounts a
           join site_merchant_accounts s on s.merchant_account_id = a.id
           join sites t on t.id = s.site_id and t.merchant_id = a.merchant_id
           left join processor_links l on l.id = a.processor_link_id
          where s.site_id = $1 order by s.position, a.id`,
        [siteId],
      )
      return rows
    },
    async setSiteMode(siteId, mode) {
      await client.query('update sites set mode = $2 where id = $1', [siteId, mode])
    },
  }
}
