import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { refused, type Result } from '../../../base/refusal.ts'
import { noSuchSite, siteChangedMeanwhile } from '../../../domain/merchants/refused-site.ts'
import type {
  SettingFault,
  SiteSettingName,
  SiteSettings,
} from '../../../domain/merchants/site-settings.ts'
import type { CheckMode } from '../../../domain/payments/verification.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import { inAdminTransaction, type AdminResult } from '../audit/admin-transaction.ts'

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

type Changed = Result<{ readonly settings: SiteSettings }>

/**
 * Changes what is named and leaves the rest, over what the caller saw of it: where any of that is
 * another value meanwhile, nothing is changed. The audit log has both states.
 */
export function changeSiteSettings(
  pool: pg.Pool,
  siteId: bigint,
  changes: Partial<SiteSettings>,
  seen: Partial<SiteSettings>,
  by: AuditAuthor,
): Promise<Changed> {
  return inAdminTransaction(pool, async (client): Promise<AdminResult<Changed>> => {
    const { rows } = await client.query<
      SiteSettingsRow & { merchant_id: string; catalogue: string }
    >(
      `select ${SITE_SETTINGS_COLUMNS}, s.merchant_id, s.catalogue from sites s where s.id = $1 for update`,
      [siteId],
    )
    const [row] = rows
    if (row === undefined) return { outcome: noSuchSite(siteId), entry: null }
    const before = siteSettings(row)
    const seenNames = NAMES.filter((name) => seen[name] !== undefined)
    if (seenNames.some((name) => !isDeepStrictEqual(seen[name], before[name]))) {
      return { outcome: siteChangedMeanwhile(siteId), entry: null }
    }
    const named = NAMES.filter(
      (name) => changes[name] !== undefined && !isDeepStrictEqual(changes[name], before[name]),
    )
    const settings = { ...before, ...changes }
    if (named.length === 0) return { outcome: { ok: true, settings }, entry: null }
    const fault = await placeFault(client, siteId, row.catalogue, named, settings)
    if (fault !== null)
      return { outcome: refused('invalid', fault.fault, { field: fault.field }), entry: null }
    await client.query(
      `update sites set ${named.map((name, at) => `${COLUMNS[name]} = $${at + 2}`).join(', ')} where id = $1`,
      [siteId, ...named.map((name) => settings[name])],
    )
    return {
      outcome: { ok: true, settings },
      entry: {
        ...by,
        act: 'site.settings_set',
        object: `site ${siteId}`,
        merchantId: BigInt(row.merchant_id),
        result: 'done',
        details: { before: textOf(before, named), after: textOf(settings, named) },
      },
    }
  })
}

function textOf(settings: SiteSettings, names: readonly SiteSettingName[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, settings[name]])))
}

/** What does not go with the rest of the site. */
async function placeFault(
  client: pg.ClientBase,
  siteId: bigint,
  catalogue: string,
  named: readonly SiteSettingName[],
  { defaultCurrency, defaultProduct }: SiteSettings,
): Promise<SettingFault | null> {
  const { rows } = await client.query<{ currency: boolean; product: boolean }>(
    `select exists (select from site_merchant_accounts m join merchant_accounts a on a.id = m.merchant_account_id
                      join sites s on s.id = m.site_id
                     where m.site_id = $1 and a.mode = s.mode and $2 = any (a.currencies)) as currency,
            exists (select from products where site_id = $1 and code = $3 and active) as product`,
    [siteId, defaultCurrency, defaultProduct],
  )
  const [found] = rows
  if (named.includes('defaultCurrency') && found?.currency !== true) {
    const fault = `No merchant account that this site uses today takes ${defaultCurrency}. Choose a currency that one of them takes.`
    return { field: 'defaultCurrency', fault }
  }
  if (named.includes('defaultProduct') && catalogue === 'strict' && found?.product !== true) {
    const fault = `The catalogue is strict and has no product ${defaultProduct} that is switched on. Choose one of its products.`
    return { field: 'defaultProduct', fault }
  }
  return null
}
