import type { CardTestingRule } from '@tollgate/kernel/card-testing-rules'
import type { CheckMode } from '@tollgate/kernel/verification'
import type { Mode } from './shell.ts'

/** A site in the list of them. */
export interface SiteRow {
  readonly id: string
  readonly name: string
  readonly mode: Mode
  readonly defaultCurrency: string
  readonly tolerance: 'strict' | 'wide'
  readonly catalogue: 'open' | 'strict'
  readonly cardTesting: 'off' | 'watch' | 'enforce'
  /** Accounts of its mode, by id. */
  readonly accounts: readonly string[]
}

/** Everything that is set of one site. */
export interface SiteView {
  readonly id: string
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

/**
 * The settings that a merchant changes alone. A change of mode is none of them: it takes two portal
 * users.
 */
export interface SiteSettings {
  readonly name: string
  /** The currency of a request that names none. */
  readonly defaultCurrency: string
  readonly tolerance: 'strict' | 'wide'
  /** The product of a line that names none. */
  readonly defaultProduct: string
  readonly cvvRequired: boolean
  readonly avsMode: CheckMode
  readonly cvvMode: CheckMode
  /** Results that count as a match. */
  readonly avsMatchSet: string
  readonly cvvMatchSet: string
  /** Days after its first failure on which a renewal is tried again; null for the usual ones. */
  readonly renewalRetryDays: readonly number[] | null
}

/** A site's policy for 3-D Secure. */
export interface ThreeDsPolicy {
  /** Decline where the browser's data are missing, instead of going on without authentication. */
  readonly required: boolean
  /** The decision on payments for which authentication is unavailable. */
  readonly whenUnavailable: 'authorize' | 'decline'
  readonly paResRequired: boolean
  /** threeDSRequestorChallengeInd; null leaves it out. */
  readonly challengePreference: string | null
  /** Hosts that a return URL may name; empty: any. */
  readonly returnHosts: readonly string[]
}

/** An operator's view of a site. */
export interface CardTestingView extends CardTestingDraft {
  readonly mode: CardTestingSetting
  /** Goes up with each change of the rules; 0 before the first. */
  readonly revision: number
  /** By rule, also those that were replaced meanwhile. */
  readonly hits: readonly {
    readonly rule: string
    readonly lastHour: number
    readonly lastDay: number
    /** How many of the last day's were refused; the others were watched. */
    readonly refused: number
    readonly lastAt: string
    /** TRANS_ID of the last. */
    readonly lastTransactionId: string
  }[]
}

/** Rules as an operator describes them. */
export interface CardTestingDraft {
  readonly rules: readonly CardTestingRule[]
  /** Normalized. */
  readonly exceptAddresses: readonly string[]
}

export type CardTestingSetting = 'off' | 'watch' | 'enforce'

/** Creation times of a site's token keys; null where there is no key. */
export interface TokenKeySummary {
  readonly current: string | null
  readonly previous: string | null
  readonly origins: readonly string[]
}

/** A merchant account as its merchant may see it. */
export interface MerchantAccountView {
  readonly id: string
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
  readonly standsFor: string | null
}

export interface PastChecksView {
  readonly days: number
  readonly groups: readonly PastChecks[]
  /** Not counted: the request said itself how to judge. */
  readonly ownRules: number
  /** Whether there were more than are looked at. */
  readonly isCut: boolean
}

/** Payments of the last week that one pair of results came for. */
export interface PastChecks {
  readonly avsCode: string
  readonly cvvCode: string
  /** Whether the rules in force refused them. */
  readonly outcome: 'approved' | 'avs_failed' | 'cvv_failed'
  /** Whether a code was available: a saved card without one is not judged by it. */
  readonly codeExpected: boolean
  readonly payments: number
}

/** A recent source address of an API user. */
export interface RecentCaller {
  readonly address: string
  readonly requests: number
  readonly lastAt: string
}

/** A portal user's request to move a site, and another one's decision. */
export interface GoLiveRequest {
  readonly id: string
  readonly siteId: string
  readonly siteName: string
  readonly wantedMode: Mode
  readonly state: GoLiveState
  readonly listed: readonly ModeDifference[]
  readonly reason: string
  readonly requestedBy: { readonly id: string; readonly name: string; readonly email: string }
  readonly requestedAt: string
  readonly expiresAt: string
  readonly decidedBy: string | null
  readonly decidedAt: string | null
  readonly decisionReason: string
}

export type GoLiveState = 'open' | 'approved' | 'refused' | 'withdrawn' | 'void' | 'expired'

/** One line of the dry run. */
export interface ModeDifference {
  /** The subject, for programs. */
  readonly key: string
  /**
   * `blocks`: the site cannot be moved. `care`: the merchant should check it. `info`: good to know.
   */
  readonly level: 'blocks' | 'care' | 'info'
  readonly title: string
  readonly text: string
}

/** The changes that a move of the site would make now. */
export interface DryRun {
  readonly from: Mode
  readonly to: Mode
  readonly lines: readonly ModeDifference[]
  /** Identifies the list, without the parts that traffic changes; sent with a request. */
  readonly digest: string
}

/** An API user as operators see it: no hash. */
export interface ApiUserSummary {
  readonly name: string
  readonly merchantId: number
  readonly merchant: string
  /** `idle`: refused because it was not used for API_USER_IDLE_DAYS. */
  readonly state: 'enabled' | 'disabled' | 'idle'
  readonly madeAt: string
  readonly madeBy: string
  /** To the hour. */
  readonly lastUsedAt: string | null
  /** May read the feed of events. */
  readonly readsApi: boolean
  /** Networks; empty for everywhere. */
  readonly allowedFrom: readonly string[]
  /** The live ones. */
  readonly passwords: readonly {
    readonly number: number
    readonly madeAt: string
    readonly madeBy: string
    readonly lastUsedAt: string | null
  }[]
}

/** The decisions that the rules would have made on recent payments. */
export interface TriedRules {
  readonly days: number
  /** Whether there were more payments than were tried. */
  readonly isCut: boolean
  /** How many payments rules look at, of how many there were. */
  readonly payments: number
  readonly screened: number
  readonly refused: number
  /** Of the refused, those that the bank approved: sales that would have been lost. */
  readonly refusedApproved: number
  readonly byRule: readonly {
    readonly rule: string
    readonly refused: number
    readonly refusedApproved: number
  }[]
}
