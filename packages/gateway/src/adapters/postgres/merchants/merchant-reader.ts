import type pg from 'pg'
import type { MerchantState } from '../../../domain/merchants/merchant-change.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { MerchantReader, SiteView } from '../../../usecases/merchants/merchant-views.ts'
import { policyOf, type PolicyRow } from '../three-ds/three-ds-admin.ts'
import { listAccounts } from './account-reader.ts'

export interface MerchantStateRow {
  readonly name: string
  readonly disabled_at: Date | null
  readonly disabled_by: string | null
  readonly disabled_reason: string | null
}

/** The state of a row of `merchants`. */
export function merchantState(row: MerchantStateRow): MerchantState {
  const { name, disabled_at: at, disabled_by: by, disabled_reason: reason } = row
  const isDisabled = at !== null && by !== null && reason !== null
  return { name, disabled: isDisabled ? { at, by, reason } : null }
}

/** Reads merchants with their sites and accounts, for operators. */
export function createMerchantReader(pool: pg.Pool): MerchantReader {
  const reader: MerchantReader = {
    async listMerchants() {
      const { rows } = await pool.query<
        MerchantStateRow & { id: string; created_at: Date; sites: number; live_sites: number }
      >(
        `select m.id, m.name, m.created_at, m.disabled_at, m.disabled_by, m.disabled_reason,
                count(s.id)::int as sites,
                (count(s.id) filter (where s.mode = 'live'))::int as live_sites
           from merchants m left join sites s on s.merchant_id = m.id
          group by m.id order by m.id`,
      )
      return rows.map((row) => ({
        ...merchantState(row),
        id: BigInt(row.id),
        createdAt: row.created_at,
        sites: row.sites,
        liveSites: row.live_sites,
      }))
    },

    async readMerchant(id) {
      const { rows } = await pool.query<
        MerchantStateRow & {
          created_at: Date
          time_zone: string
          api_users: string[]
          portal_users: string[]
        }
      >(
        `select m.name, m.created_at, m.time_zone, m.disabled_at, m.disabled_by, m.disabled_reason,
                array(select username from api_users where merchant_id = m.id order by username)
                  as api_users,
                array(select email || ' (' || role || ')' from portal_users
                       where merchant_id = m.id order by email) as portal_users
           from merchants m where m.id = $1`,
        [id],
      )
      const [row] = rows
      if (row === undefined) return null
      return {
        ...merchantState(row),
        id,
        createdAt: row.created_at,
        timeZone: row.time_zone,
        apiUsers: row.api_users,
        portalUsers: row.portal_users,
        sites: await reader.listSites(id),
        accounts: await reader.listAccounts(id),
      }
    },

    listSites: (merchantId) => listSites(pool, merchantId),
    listAccounts: (merchantId) => listAccounts(pool, merchantId),
  }
  return reader
}

async function listSites(pool: pg.Pool, merchantId: bigint | null): Promise<readonly SiteView[]> {
  const { rows } = await pool.query<
    PolicyRow & {
      id: string
      merchant_id: string
      name: string
      mode: Mode
      tolerance: 'strict' | 'wide'
      default_currency: string
      accounts: string[]
      has_token_key: boolean
    }
  >(
    `select s.id, s.merchant_id, s.name, s.mode, s.tolerance, s.default_currency,
            s.three_ds_required, s.three_ds_unavailable, s.three_ds_pares_required,
            s.three_ds_challenge, s.three_ds_return_hosts,
            array(select a.merchant_account_id::text from site_merchant_accounts a
                   where a.site_id = s.id order by a.position, a.merchant_account_id) as accounts,
            exists (select from site_token_keys k where k.site_id = s.id) as has_token_key
       from sites s where $1::bigint is null or s.merchant_id = $1 order by s.id`,
    [merchantId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    name: row.name,
    mode: row.mode,
    tolerance: row.tolerance,
    defaultCurrency: row.default_currency,
    threeDs: policyOf(row),
    accounts: row.accounts.map(BigInt),
    hasTokenKey: row.has_token_key,
  }))
}
