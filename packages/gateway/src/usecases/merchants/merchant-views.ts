import type { AccountDemands } from '../../domain/merchants/account-demands.ts'
import type { AccountLimits } from '../../domain/merchants/account-limits.ts'
import type { AccountThreeDs } from '../../domain/merchants/account-three-ds.ts'
import type { MerchantState } from '../../domain/merchants/merchant-change.ts'
import type { ThreeDsPolicy } from '../../domain/three-ds/policy.ts'
import type { Mode } from './merchant-directory.ts'

/** A merchant in a list of all. */
export interface MerchantSummary extends MerchantState {
  readonly id: bigint
  readonly createdAt: Date
  readonly sites: number
  /** How many of the sites are in live mode. */
  readonly liveSites: number
}

/** A merchant with all that belongs to it. */
export interface MerchantView extends MerchantState {
  readonly id: bigint
  readonly createdAt: Date
  readonly timeZone: string
  readonly sites: readonly SiteView[]
  readonly accounts: readonly AccountView[]
  readonly apiUsers: readonly string[]
  /** E-mail address and role, such as `anna@shop.example (owner)`. */
  readonly portalUsers: readonly string[]
}

export interface SiteView {
  readonly id: bigint
  readonly merchantId: bigint
  readonly name: string
  readonly mode: Mode
  readonly tolerance: 'strict' | 'wide'
  readonly defaultCurrency: string
  readonly threeDs: ThreeDsPolicy
  /** The accounts that it may use, of both modes, the preferred one first. */
  readonly accounts: readonly bigint[]
  readonly hasTokenKey: boolean
}

export interface AccountView {
  readonly id: bigint
  readonly merchantId: bigint
  readonly mode: Mode
  readonly processorName: string
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  readonly acquirerId: string
  readonly acquirerMerchantId: string
  readonly categoryCode: string
  readonly nameAndLocation: string
  readonly currencies: readonly string[]
  readonly unreferencedCredits: boolean
  /** Null: it takes no part in 3-D Secure. */
  readonly threeDs: AccountThreeDs | null
  readonly standsFor: bigint | null
  readonly limits: AccountLimits
  readonly demands: AccountDemands
  /** The volume of today in minor units, by currencies that have a limit for a day. */
  readonly today: ReadonlyMap<string, bigint>
  /** Sites that may use it. */
  readonly sites: readonly bigint[]
}

/** Merchants with their sites and accounts, for operators. */
export interface MerchantReader {
  listMerchants(): Promise<readonly MerchantSummary[]>
  /** Null for no such merchant. */
  readMerchant(id: bigint): Promise<MerchantView | null>
  /** Of one merchant, or of all for null. */
  listSites(merchantId: bigint | null): Promise<readonly SiteView[]>
  /** Of one merchant, or of all for null. */
  listAccounts(merchantId: bigint | null): Promise<readonly AccountView[]>
}
