import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { throwawayMerchantNumber } from '../../../domain/merchants/throwaway-site.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  MadeSite,
  OwnedSite,
  ThrowawaySitesTx,
} from '../../../usecases/merchants/throwaway-sites.ts'
import { createTransact } from '../audit/admin-transaction.ts'

/** Transactions in which throwaway sites are made or ended. */
export function throwawaySitesTransact(pool: pg.Pool): Transact<ThrowawaySitesTx> {
  return createTransact(pool, (client) => ({ ...creation(client), ...ending(client) }))
}

type Creation = Pick<ThrowawaySitesTx, 'lockCreation' | 'readOrigin' | 'nextIds' | 'copySite'>

function creation(client: pg.ClientBase): Creation {
  return {
    async lockCreation() {
      // Operators who create sites take it too; neither payments nor their foreign keys wait.
      await client.query('lock table merchants, sites in share row exclusive mode')
    },
    async readOrigin(merchantId, siteId) {
      const { rows } = await client.query<{
        mode: Mode
        is_live: boolean
        account_id: string | null
        open: number
      }>(
        `select s.mode,
                exists (select from sites o
                         where o.merchant_id = $1 and o.mode = 'live') as is_live,
                (select a.id from site_merchant_accounts m
                   join merchant_accounts a on a.id = m.merchant_account_id
                  where m.site_id = s.id and a.merchant_id = $1 and a.mode = 'test'
                    and a.processor_link_id is null
                  order by m.position, a.id limit 1) as account_id,
                (select count(*)::integer from throwaway_sites t
                  where t.merchant_id = $1 and t.ended_at is null) as open
           from sites s where s.id = $2 and s.merchant_id = $1`,
        [merchantId, siteId],
      )
      const [row] = rows
      invariant(row !== undefined, 'a caller was let in to a site that is not there')
      const { account_id: accountId, is_live: merchantIsLive, mode, open } = row
      return {
        siteId,
        mode,
        merchantIsLive,
        accountId: accountId === null ? null : BigInt(accountId),
        open,
      }
    },
    async nextIds() {
      const { rows } = await client.query<{ site: string; account: string }>(
        `select (select max(id) + 1 from sites) as site,
                (select max(id) + 1 from merchant_accounts) as account`,
      )
      invariant(rows[0] !== undefined, 'a select without a table gives one row')
      return { siteId: BigInt(rows[0].site), accountId: BigInt(rows[0].account) }
    },
    copySite: (made) => copySite(client, made),
  }
}

const COPIED_ACCOUNT = `mode, processor_name, acquirer_id, category_code, name_and_location,
  currencies, unreferenced_credits, three_ds_requestor_url, batch_cutoff, limits, brands,
  required_fields`
const COPIED_SITE = `mode, tolerance, default_currency, cvv_required, avs_mode, cvv_mode,
  avs_match_set, cvv_match_set, catalogue, default_product, token_origins, three_ds_required,
  three_ds_unavailable, three_ds_pares_required, three_ds_challenge, three_ds_return_hosts,
  renewal_retry_days`
const COPIED_PRODUCT = 'code, active, name, type, metric, period, price_minor, currency'

/** $1: the new account, $2: that of the origin, $3: its number at the bank. */
const COPY_ACCOUNT = `
insert into merchant_accounts (id, merchant_id, acquirer_merchant_id, three_ds_requestor_id,
  ${COPIED_ACCOUNT})
select $1::bigint, merchant_id, $3,
       case when three_ds_requestor_id is not null then 'TOLLGATE-' || $1::bigint end,
       ${COPIED_ACCOUNT}
  from merchant_accounts where id = $2
returning merchant_id, currencies`

async function copySite(
  client: pg.ClientBase,
  made: Parameters<ThrowawaySitesTx['copySite']>[0],
): Promise<MadeSite> {
  const { accountId, by, days, merchantId, origin, siteId, tokenKey } = made
  const account = await client.query<{ currencies: string[] }>(COPY_ACCOUNT, [
    accountId,
    origin.accountId,
    throwawayMerchantNumber(accountId),
  ])
  await client.query(
    `insert into sites (id, merchant_id, name, ${COPIED_SITE})
     select $1::bigint, merchant_id, 'Throwaway site ' || $1::bigint, ${COPIED_SITE}
       from sites where id = $2 and merchant_id = $3`,
    [siteId, origin.siteId, merchantId],
  )
  const { rows } = await client.query<{ expires_at: Date }>(
    `with account as (
       insert into site_merchant_accounts (site_id, merchant_account_id) values ($1, $2)),
     batch as (insert into batches (merchant_id, merchant_account_id) values ($3, $2)),
     sold as (
       insert into products (site_id, ${COPIED_PRODUCT})
       select $1, ${COPIED_PRODUCT} from products where site_id = $4),
     rules as (
       insert into card_testing_policies (site_id, mode, rules, except_addresses)
       select $1, mode, rules, except_addresses from card_testing_policies where site_id = $4),
     token_key as (
       insert into site_token_keys (site_id, generation, key_ciphertext, data_key_id)
       values ($1, 'current', $5, $6)),
     clock as (
       insert into site_clocks (site_id, site_at, real_at, changed_by)
       values ($1, now(), now(), $7))
     insert into throwaway_sites (site_id, merchant_id, made_by, expires_at)
     values ($1, $3, $7, now() + make_interval(days => $8)) returning expires_at`,
    [
      siteId,
      accountId,
      merchantId,
      origin.siteId,
      tokenKey.ciphertext,
      tokenKey.dataKeyId,
      by,
      days,
    ],
  )
  invariant(account.rows[0] !== undefined && rows[0] !== undefined, 'a site was copied')
  const { currencies } = account.rows[0]
  return { siteId, accountId, currencies, expiresAt: rows[0].expires_at }
}

function ending(client: pg.ClientBase): Pick<ThrowawaySitesTx, 'endSite' | 'forgotten'> {
  return {
    async endSite(merchantId, siteId) {
      const { rowCount } = await client.query(
        `update throwaway_sites set ended_at = now()
          where site_id = $2 and merchant_id = $1 and ended_at is null`,
        [merchantId, siteId],
      )
      if (rowCount === 0) return false
      await client.query('delete from site_token_keys where site_id = $1', [siteId])
      // It stops where it stands: what happened must not lie in its future.
      await client.query(
        `update site_clocks
            set site_at = site_time(site_id, now()), real_at = now(), speed = 0, target_at = null,
                look_at = 'infinity'
          where site_id = $1`,
        [siteId],
      )
      await client.query('delete from webhook_endpoints where site_id = $1', [siteId])
      return true
    },
    async forgotten(limit) {
      const { rows } = await client.query<{ site_id: string; merchant_id: string }>(
        `select site_id, merchant_id from throwaway_sites
          where ended_at is null and expires_at <= now()
          order by expires_at limit $1 for update skip locked`,
        [limit],
      )
      return rows.map((row): OwnedSite => ({
        siteId: BigInt(row.site_id),
        merchantId: BigInt(row.merchant_id),
      }))
    },
  }
}
