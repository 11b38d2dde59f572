import type pg from 'pg'
import type { AccountDemands } from '../../../domain/merchants/account-demands.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { AccountView } from '../../../usecases/merchants/merchant-views.ts'
import { accountThreeDsOf, type AccountThreeDsRow } from './account-features-store.ts'
import { limitsOf, type StoredLimits } from './account-limits-text.ts'

interface AccountViewRow extends AccountThreeDsRow {
  readonly id: string
  readonly merchant_id: string
  readonly mode: Mode
  readonly processor_name: string
  readonly link: string | null
  readonly acquirer_id: string
  readonly acquirer_merchant_id: string
  readonly category_code: string
  readonly name_and_location: string
  readonly currencies: string[]
  readonly unreferenced_credits: boolean
  readonly stands_for: string | null
  readonly limits: StoredLimits | null
  readonly brands: AccountDemands['brands']
  readonly required_fields: AccountDemands['requiredFields']
  readonly today: Readonly<Record<string, string>>
  readonly sites: string[]
}

/** Accounts of one merchant, or of all for null, with what they took today. */
export async function listAccounts(
  pool: pg.Pool,
  merchantId: bigint | null,
): Promise<readonly AccountView[]> {
  const { rows } = await pool.query<AccountViewRow>(
    `select a.id, a.merchant_id, a.mode, a.processor_name, l.name as link, a.acquirer_id,
            a.acquirer_merchant_id, a.category_code, a.name_and_location, a.currencies,
            a.unreferenced_credits, a.stands_for, a.limits, a.brands, a.required_fields,
            a.three_ds_requestor_id, a.three_ds_requestor_url,
            (select coalesce(json_object_agg(v.currency, v.volume_minor::text), '{}')
               from account_volumes v join merchants m on m.id = v.merchant_id
              where v.merchant_account_id = a.id
                and v.day = (now() at time zone m.time_zone)::date) as today,
            array(select s.site_id::text from site_merchant_accounts s
                   where s.merchant_account_id = a.id order by s.site_id) as sites
       from merchant_accounts a left join processor_links l on l.id = a.processor_link_id
      where $1::bigint is null or a.merchant_id = $1 order by a.id`,
    [merchantId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    mode: row.mode,
    processorName: row.processor_name,
    link: row.link,
    acquirerId: row.acquirer_id,
    acquirerMerchantId: row.acquirer_merchant_id,
    categoryCode: row.category_code,
    nameAndLocation: row.name_and_location,
    currencies: row.currencies,
    unreferencedCredits: row.unreferenced_credits,
    threeDs: accountThreeDsOf(row),
    standsFor: row.stands_for === null ? null : BigInt(row.stands_for),
    limits: limitsOf(row.limits),
    demands: { brands: row.brands, requiredFields: row.required_fields },
    today: new Map(Object.entries(row.today).map(([code, minor]) => [code, BigInt(minor)])),
    sites: row.sites.map(BigInt),
  }))
}
