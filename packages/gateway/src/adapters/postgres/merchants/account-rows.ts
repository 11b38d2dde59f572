import type { AccountDemands } from '../../../domain/merchants/account-demands.ts'
import type { MerchantAccount, Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { limitsOf, type StoredLimits } from './account-limits-text.ts'

/** A row of merchant_accounts, as `accountColumns` reads it; its keys begin with account_. */
export interface AccountRow {
  readonly account_id: string
  readonly account_merchant_id: string
  readonly account_mode: Mode
  readonly account_processor_link_id: string | null
  readonly account_stands_for: string | null
  readonly account_processor_name: string
  readonly account_acquirer_id: string
  readonly account_acquirer_merchant_id: string
  readonly account_category_code: string
  readonly account_name_and_location: string
  readonly account_currencies: string[]
  readonly account_unreferenced_credits: boolean
  readonly account_limits: StoredLimits | null
  readonly account_brands: AccountDemands['brands']
  readonly account_required_fields: AccountDemands['requiredFields']
  readonly account_three_ds_requestor_id: string | null
  readonly account_three_ds_requestor_url: string | null
}

const COLUMNS = [
  'id',
  'merchant_id',
  'mode',
  'processor_link_id',
  'stands_for',
  'processor_name',
  'acquirer_id',
  'acquirer_merchant_id',
  'category_code',
  'name_and_location',
  'currencies',
  'unreferenced_credits',
  'limits',
  'brands',
  'required_fields',
  'three_ds_requestor_id',
  'three_ds_requestor_url',
]

/** The columns of an account for a select list; `alias` is what the statement calls the table. */
export function accountColumns(alias: string): string {
  return COLUMNS.map((name) => `${alias}.${name} as account_${name}`).join(', ')
}

/** The account of a row. */
export function merchantAccount(row: AccountRow): MerchantAccount {
  const { account_three_ds_requestor_id: requestorId, account_three_ds_requestor_url: url } = row
  return {
    id: BigInt(row.account_id),
    merchantId: BigInt(row.account_merchant_id),
    mode: row.account_mode,
    linkId: bigintOrNull(row.account_processor_link_id),
    standsFor: bigintOrNull(row.account_stands_for),
    processorName: row.account_processor_name,
    acquirerId: row.account_acquirer_id,
    acquirerMerchantId: row.account_acquirer_merchant_id,
    categoryCode: row.account_category_code,
    nameAndLocation: row.account_name_and_location,
    currencies: row.account_currencies,
    unreferencedCredits: row.account_unreferenced_credits,
    limits: limitsOf(row.account_limits),
    demands: { brands: row.account_brands, requiredFields: row.account_required_fields },
    threeDs: requestorId === null || url === null ? null : { requestorId, requestorUrl: url },
  }
}

function bigintOrNull(text: string | null): bigint | null {
  return text === null ? null : BigInt(text)
}
