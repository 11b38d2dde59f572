import type pg from 'pg'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { CollectionStore } from '../../../usecases/three-ds/collection-store.ts'

const FORGOTTEN_AT_ONCE = 500

const INSERT = `
insert into three_ds_collections
  (reference, merchant_id, site_id, mode, merchant_account_id, api_user_id, leading_digits,
   server_trans_id, token_id, method_url, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

// Of two tabs the one that was loaded last sends. The issuer's page runs in it too, and is done
// once.
const OPEN = `
update three_ds_collections c set
  state = case when c.state = 'set_up' then 'collecting' else c.state end,
  page_handle = case when c.state in ('set_up', 'collecting') then $2 else c.page_handle end,
  method_state = case when c.state in ('set_up', 'collecting') and c.method_url is not null
                       and c.method_state <> 'completed' then 'running' else c.method_state end,
  method_started_at = case when c.state in ('set_up', 'collecting') and c.method_url is not null
                            and c.method_state <> 'completed' then $3::timestamptz
                           else c.method_started_at end
 where c.token_id = $1 and c.expires_at > site_time(c.site_id, $3)
returning c.reference, c.merchant_account_id, c.mode, c.server_trans_id,
          coalesce(c.page_handle = $2, false) as collects,
          case when c.page_handle = $2 and c.method_state = 'running' then c.method_url end as method_url`

const KEEP = `
update three_ds_collections set state = 'collected', browser = $2
 where page_handle = $1 and state = 'collecting' and expires_at > site_time(site_id, $3)`

const COMPLETE_METHOD = `
update three_ds_collections
   set method_state = case when method_started_at > $2 then 'completed' else 'failed' end
 where server_trans_id = $1 and method_state = 'running' and state in ('collecting', 'collected')
   and expires_at > site_time(site_id, $3)`

export function createCollectionStore(pool: pg.Pool): CollectionStore {
  return {
    async insert(one) {
      await pool.query({
        name: 'insert 3-D Secure collection',
        text: INSERT,
        values: [
          one.reference,
          one.merchantId,
          one.siteId,
          one.mode,
          one.merchantAccountId,
          one.apiUserId,
          one.leadingDigits,
          one.serverTransId,
          one.tokenId,
          one.methodUrl,
          one.createdAt,
          one.expiresAt,
        ],
      })
    },

    async open(tokenId, pageHandle, now) {
      const { rows } = await pool.query<{
        reference: string
        merchant_account_id: string
        mode: Mode
        server_trans_id: string
        collects: boolean
        method_url: string | null
      }>({ name: 'open 3-D Secure collection', text: OPEN, values: [tokenId, pageHandle, now] })
      const row = rows[0]
      if (row === undefined) return null
      return {
        reference: row.reference,
        merchantAccountId: BigInt(row.merchant_account_id),
        mode: row.mode,
        serverTransId: row.server_trans_id,
        collects: row.collects,
        methodUrl: row.method_url,
      }
    },

    async keep(pageHandle, browser, now) {
      await pool.query({
        name: 'keep collected browser',
        text: KEEP,
        values: [pageHandle, JSON.stringify(browser), now],
      })
    },

    async completeMethod(serverTransId, startedAfter, now) {
      await pool.query({
        name: 'complete 3DS Method',
        text: COMPLETE_METHOD,
        values: [serverTransId, startedAfter, now],
      })
    },

    async forget(expiredBefore) {
      const { rowCount } = await pool.query(
        `delete from three_ds_collections where reference in
           (select reference from three_ds_collections where expires_at < $1
             order by expires_at limit $2 for update skip locked)`,
        [expiredBefore, FORGOTTEN_AT_ONCE],
      )
      return rowCount === FORGOTTEN_AT_ONCE
    },
  }
}
