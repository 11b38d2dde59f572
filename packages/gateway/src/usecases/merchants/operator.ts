import type { Secret } from '../../base/secret.ts'
import type { AccountDemands } from '../../domain/merchants/account-demands.ts'
import type { AccountThreeDs } from '../../domain/merchants/account-three-ds.ts'
import type { LinkProfile } from '../banks/processor-links.ts'
import type { Mode } from './merchant-directory.ts'

/** A processor link as an operator describes it; its files are read already. */
export interface LinkDraft {
  readonly name: string
  readonly mode: Mode
  /** One or two, as host:port. */
  readonly addresses: readonly string[]
  readonly profile: LinkProfile
  readonly institutionId: string
  readonly echoIdleSeconds: number
  readonly window: number
  readonly messageTimeoutMs: number
  /** Whether the acquirer answers 0500 and 0600. */
  readonly batchAgreement: boolean
  /** Null for plain text; certificates are PEM. */
  readonly tls: {
    readonly ca: string
    readonly client: { readonly cert: string; readonly key: Secret } | null
  } | null
}

/**
 * A merchant account as an operator describes it. A left-out setting that the console has too stays
 * as it is; a new account takes its default.
 */
export interface AccountDraft {
  readonly brands?: AccountDemands['brands'] | undefined
  readonly requiredFields?: AccountDemands['requiredFields'] | undefined
  readonly id: number
  readonly merchantId: number
  readonly mode: Mode
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  readonly processorName: string
  /** Null takes the institution id of the link. */
  readonly acquirerId: string | null
  readonly acquirerMerchantId: string
  readonly categoryCode: string
  /** DE 43. */
  readonly nameAndLocation: string
  readonly currencies: readonly string[]
  readonly unreferencedCredits?: boolean | undefined
  readonly standsFor: number | null
  /** Null: it takes no part in 3-D Secure. */
  readonly threeDs?: AccountThreeDs | null | undefined
  /** Sites that use it from now on; none is taken away. */
  readonly sites: readonly number[]
}

/** A link as it may be shown: no key, no certificate. */
export interface LinkSummary {
  readonly name: string
  readonly mode: Mode
  readonly addresses: readonly string[]
  readonly profile: LinkProfile
  readonly institutionId: string
  readonly batchAgreement: boolean
  readonly tls: 'off' | 'without client certificate' | 'with client certificate'
  readonly accounts: readonly string[]
  /** The gateway processes' reports of the last seconds. */
  readonly states: readonly {
    readonly worker: string
    readonly state: string
    readonly address: string
    readonly signedOnSince: Date | null
    readonly lastError: string | null
    readonly inFlight: number
  }[]
}

/** The visible facts of a site's token keys: when they were made; null without a key. */
export interface TokenKeySummary {
  readonly current: Date | null
  readonly previous: Date | null
  readonly origins: readonly string[]
}
