import type { ConsoleRight, ConsoleRole } from '../console-rights.ts'
import type { ThreeDsPolicy } from './settings.ts'
import type { Mode } from './shell.ts'

/** The data that the console needs before it shows anything. */
export interface ConsoleSessionView {
  /** Nothing is left to do. */
  readonly next: null
  readonly operator: ConsoleOperator
  readonly rights: readonly ConsoleRight[]
  /** To be sent as `x-csrf-token` with everything that changes something. */
  readonly csrfToken: string
}

/** A signed-in operator. */
export interface ConsoleOperator {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: ConsoleRole
}

/** Why and since when a merchant is disabled. */
export interface DisabledState {
  readonly at: string
  readonly by: string
  readonly reason: string
}

export interface ConsoleMerchantSummary {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly sites: number
  readonly liveSites: number
  readonly disabled: DisabledState | null
}

/** The limits of an account in one currency, in minor units; null for none. */
export interface CurrencyLimit {
  readonly currency: string
  readonly paymentMinor: string | null
  readonly dayMinor: string | null
  /** The volume of today; null where no limit of a day counts it. */
  readonly todayMinor: string | null
}

/** The business of an account, as banks and card networks see it, and the currencies it takes. */
export interface AccountDetails {
  readonly categoryCode: string
  readonly name: string
  readonly city: string
  readonly country: string
  readonly currencies: readonly string[]
}

export interface ConsoleAccount extends AccountDetails {
  readonly id: string
  readonly mode: Mode
  readonly processorName: string
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  readonly sites: readonly string[]
  readonly limits: readonly CurrencyLimit[]
  /** Such as `only DE, AT` or `all but US`; null for every country. */
  readonly countries: string | null
  /** The brands that the acquirer takes; null for all. */
  readonly brands: readonly string[] | null
  /** The fields that the acquirer requires. */
  readonly requiredFields: readonly string[]
  /** The registration for 3-D Secure; null for none. */
  readonly threeDs: { readonly requestorId: string; readonly requestorUrl: string } | null
  readonly unreferencedCredits: boolean
}

/** The description of a new account. */
export interface NewConsoleAccount extends AccountDetails {
  readonly mode: Mode
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  readonly processorName: string
  /** Null takes the institution id of the link. */
  readonly acquirerId: string | null
  readonly acquirerMerchantId: string
  /** Ids of sites that use it from now on. */
  readonly sites: readonly string[]
}

/** The gateway chose the id. */
export interface Created {
  readonly id: string
}

/** A processor link, with the reports of the last seconds. No key, no certificate. */
export interface ConsoleLink {
  readonly name: string
  readonly mode: Mode
  readonly addresses: readonly string[]
  readonly profile: string
  readonly institutionId: string
  readonly tls: string
  /** Ids of the accounts that use it. */
  readonly accounts: readonly string[]
  readonly states: readonly {
    readonly worker: string
    readonly state: string
    readonly address: string
    readonly signedOnSince: string | null
    readonly lastError: string | null
    readonly inFlight: number
  }[]
}

/** A link that could be put, beside the stored one. */
export interface LinkPreview {
  /** Sentences about the file; none if the link can be put. */
  readonly faults: readonly string[]
  /** Null with a fault. */
  readonly link: {
    readonly name: string
    readonly isNew: boolean
    /** The settings that differ; of a new link, all of them with `before` null. */
    readonly changes: readonly {
      readonly what: string
      readonly before: string | null
      readonly after: string
    }[]
    readonly accounts: readonly string[]
    readonly warnings: readonly string[]
    /** Whether a second operator confirms it. */
    readonly needsSecond: boolean
  } | null
}

/** A site of a merchant. */
export interface ConsoleSite {
  readonly id: string
  readonly name: string
  readonly mode: Mode
  readonly defaultCurrency: string
  readonly threeDs: ThreeDsPolicy
}

/** A merchant with what belongs to it. */
export interface ConsoleMerchant {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly timeZone: string
  readonly disabled: DisabledState | null
  readonly sites: readonly ConsoleSite[]
  readonly accounts: readonly ConsoleAccount[]
  /** The brands and fields that an account can demand. */
  readonly demandable: { readonly brands: readonly string[]; readonly fields: readonly string[] }
  readonly apiUsers: number
  readonly portalUsers: number
  /** Requests about the merchant, its accounts included, that wait for a second operator. */
  readonly requests: readonly ConsoleRequest[]
}

/** The state of the gateway, as operators see it. */
export interface ConsoleHealth {
  /** Work that waits, of each kind; `oldestAt` is null for none. */
  readonly waiting: readonly {
    readonly what: string
    readonly count: number
    readonly oldestAt: string | null
  }[]
  /** Merchants with work that waits or differs. */
  readonly merchants: readonly {
    readonly id: string
    readonly name: string
    readonly queuedAdvices: number
    readonly oldestAdviceAt: string | null
    readonly settlementDifferences: number
    readonly reconDifferences: number
  }[]
  /** Processor links, with the reports of the last seconds. */
  readonly links: readonly {
    readonly name: string
    readonly mode: Mode
    readonly states: readonly {
      readonly worker: string
      readonly state: string
      readonly address: string
      readonly lastError: string | null
    }[]
  }[]
  readonly certificates: readonly { readonly what: string; readonly endsAt: string }[]
  /** When the active data key was made. */
  readonly dataKeySince: string | null
  /** Processes that started and did not stop on request. */
  readonly nodes: readonly {
    readonly name: string
    readonly startedAt: string
    /** Its versions; null where it did not state them. */
    readonly tollgate: string | null
    readonly node: string | null
  }[]
  /** The number of the newest migration. */
  readonly schema: number
}

/** Whether an operation was done at once, or waits for a second operator. */
export interface DoneOrRequested {
  readonly done: boolean
}

export interface OperatorSummary extends ConsoleOperator {
  readonly state: 'active' | 'idle' | 'disabled' | 'invited'
  readonly hasSecondFactor: boolean
  readonly lastSeenAt: string | null
  /** Until when a link of theirs can be opened; null for none. */
  readonly linkUntil: string | null
}

/** A single-use link, shown only now. */
export interface OperatorLink {
  readonly address: string
  readonly expiresAt: string
}

export type ConsoleRequestState = 'open' | 'approved' | 'refused' | 'withdrawn' | 'void' | 'expired'

/** An operation that waits, or waited, for a second operator. */
export interface ConsoleRequest {
  readonly id: string
  /** Such as `Disable merchant 7 (Example Shop)`. */
  readonly sentence: string
  readonly subject: string
  readonly reason: string
  readonly state: ConsoleRequestState
  readonly requestedBy: { readonly id: string; readonly name: string; readonly email: string }
  readonly requestedAt: string
  readonly expiresAt: string
  readonly decidedBy: string | null
  readonly decidedAt: string | null
}
