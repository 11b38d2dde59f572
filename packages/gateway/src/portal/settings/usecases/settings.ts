import type { SiteSettings } from '../../../domain/merchants/site-settings.ts'
import type { ThreeDsPolicy } from '../../../domain/three-ds/policy.ts'
import type { CardTestingView } from '../../../usecases/card-testing/card-testing-operator.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { TokenKeySummary } from '../../../usecases/merchants/operator.ts'

/** A site in the list of them. */
export interface SiteRow {
  readonly id: bigint
  readonly name: string
  readonly mode: Mode
  readonly defaultCurrency: string
  readonly tolerance: 'strict' | 'wide'
  readonly catalogue: 'open' | 'strict'
  readonly cardTesting: 'off' | 'watch' | 'enforce'
  /** Accounts of its mode, by id. */
  readonly accounts: readonly string[]
}

/** A merchant account as its merchant may see it. */
export interface MerchantAccountView {
  readonly id: bigint
  readonly mode: Mode
  readonly processorName: string
  readonly currencies: readonly string[]
  /** Null for the bundled bank. */
  readonly link: string | null
  /** Whether a gateway process has the link up; null for the bundled bank, which has no report. */
  readonly linkUp: boolean | null
  readonly acquirerMerchantId: string
  readonly categoryCode: string
  readonly nameAndLocation: string
  readonly unreferencedCredits: boolean
  /** The brands that it takes; null for all. */
  readonly brands: readonly string[] | null
  /** The fields that it requires of a payment. */
  readonly requiredFields: readonly string[]
  readonly threeDsRequestorId: string | null
  readonly threeDsRequestorUrl: string | null
  /** The test account that live requests may go on naming. */
  readonly standsFor: bigint | null
}

/** Everything that is set of one site. */
export interface SiteView {
  readonly id: bigint
  readonly mode: Mode
  readonly settings: SiteSettings
  readonly catalogue: 'open' | 'strict'
  readonly products: readonly { readonly code: string; readonly active: boolean }[]
  readonly threeDs: ThreeDsPolicy
  readonly cardTesting: CardTestingView
  readonly tokens: TokenKeySummary
  readonly accounts: readonly MerchantAccountView[]
  /** Whether it has a clock of its own. */
  readonly hasOwnClock: boolean
  /** After how many seconds at most every process knows of a change. */
  readonly changeDelaySeconds: number
}

/** Payments of the last week that one pair of results came for. */
export interface PastChecks {
  readonly avsCode: string
  readonly cvvCode: string
  /** Whether the rules in force refused them. */
  readonly outcome: 'approved' | 'avs_failed' | 'cvv_failed'
  /** Whether a code was to be had: a saved card without one is not judged by it. */
  readonly codeExpected: boolean
  readonly payments: number
}

export interface PastChecksView {
  readonly days: number
  readonly groups: readonly PastChecks[]
  /** Not counted: the request said itself how to judge. */
  readonly ownRules: number
  /** Whether there were more than are looked at. */
  readonly isCut: boolean
}

/** A recent address of an API user. */
export interface RecentCaller {
  readonly address: string
  readonly requests: number
  readonly lastAt: Date
}

/** Reads the data of the settings pages. Other merchants' data are not found. */
export interface SettingsReader {
  listSites(merchantId: bigint): Promise<readonly SiteRow[]>
  hasSite(merchantId: bigint, siteId: bigint): Promise<boolean>
  readSite(merchantId: bigint, siteId: bigint): Promise<SiteView | null>
  readPastChecks(merchantId: bigint, siteId: bigint): Promise<PastChecksView>
  readRecentCallers(merchantId: bigint, username: string): Promise<readonly RecentCaller[]>
}
