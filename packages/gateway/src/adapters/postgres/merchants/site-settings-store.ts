import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { SettingPlace } from '../../../domain/merchants/settings-change.ts'
import type { SiteSettingName, SiteSettings } from '../../../domain/merchants/site-settings.ts'
import type { CheckMode } from '../../../domain/payments/verification.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { SiteSettingsTx } from '../../../usecases/merchants/change-site-settings.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { lockSite } from './locked-site.ts'

const COLUMNS: Readonly<Record<SiteSettingName, string>> = {
  name: 'name',
  defaultCurrency: 'default_currency',
  tolerance: 'tolerance',
  defaultProduct: 'default_product',
  cvvRequired: 'cvv_required',
  avsMode: 'avs_mode',
  cvvMode: 'cvv_mode',
  avsMatchSet: 'avs_match_set',
  cvvMatchSet: 'cvv_match_set',
  renewalRetryDays: 'renewal_retry_days',
}

const NAMES = Object.keys(COLUMNS) as SiteSettingName[]

export interface SiteSettingsRow {
  readonly name: string
  readonly default_currency: string
  readonly tolerance: 'strict' | 'wide'
  readonly default_product: string
  readonly cvv_required: boolean
  readonly avs_mode: CheckMode
  readonly cvv_mode: CheckMode
  readonly avs_match_set: string
  readonly cvv_match_set: string
  readonly renewal_retry_days: number[] | null
}

export const SITE_SETTINGS_COLUMNS: string = NAMES.map((name) => `s.${COLUMNS[name]}`).join(', ')

/** Settings out of the columns of SITE_SETTINGS_COLUMNS. */
export function siteSettings(row: SiteSettingsRow): SiteSettings {
  return {
    name: row.name,
    defaultCurrency: row.default_currency,
    tolerance: row.tolerance,
    defaultProduct: row.default_product,
    cvvRequired: row.cvv_required,
    avsMode: row.avs_mode,
    cvvMode: row.cvv_mode,
    avsMatchSet: row.avs_match_set,
    cvvMatchSet: row.cvv_match_set,
    renewalRetryDays: row.renewal_retry_days,
  }
}

const LOCK_ACCOUNTS = `
select from merchant_accounts where id in (
  select merchant_account_id from site_merchant_accounts where site_id = $1) for share`

/** Transactions in which a site's settings are changed. */
export function siteSettingsTransact(pool: pg.Pool): Transact<SiteSettingsTx> {
  return createTransact(pool, siteSettingsTx)
}

/** The same on the connection of a transaction that the caller began. */
export function siteSettingsTx(client: pg.ClientBase): Omit<SiteSettingsTx, 'audit'> {
  return {
    lockSite: (siteId) => lockSite(client, siteId),

    async readSettings(siteId) {
      const { rows } = await client.query<SiteSettingsRow>(
        `select ${SITE_SETTINGS_COLUMNS} from sites s where s.id = $1`,
        [siteId],
      )
      const [row] = rows
      invariant(row !== undefined, 'the site is locked')
      return siteSettings(row)
    },

    async readPlace(siteId, { defaultCurrency, defaultProduct }) {
      // A change of an account's currencies keeps those that are a default, so neither may pass the
      // other.
      await client.query(LOCK_ACCOUNTS, [siteId])
      const { rows } = await client.query<SettingPlace>(
        `select s.catalogue,
                exists (select from site_merchant_accounts m
                          join merchant_accounts a on a.id = m.merchant_account_id
                         where m.site_id = s.id and a.mode = s.mode
                           and $2 = any (a.currencies)) as "takesCurrency",
                exists (select from products p
                         where p.site_id = s.id and p.code = $3 and p.active) as "hasProduct"
           from sites s where s.id = $1`,
        [siteId, defaultCurrency, defaultProduct],
      )
      const [place] = rows
      invariant(place !== undefined, 'the site is locked')
      return place
    },

    async setSettings(siteId, settings, names) {
      const columns = names.map((name, at) => `${COLUMNS[name]} = $${at + 2}`)
      await client.query(`update sites set ${columns.join(', ')} where id = $1`, [
        siteId,
        ...names.map((name) => settings[name]),
      ])
    },
  }
}
