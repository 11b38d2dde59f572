import type { Clock } from '../../base/clock.ts'
import type { CardTestingPolicy } from '../../domain/card-testing/card-testing.ts'
import type { RequestRateLimit } from '../../domain/logins/request-rate.ts'
import type { ProductTerms } from '../../domain/memberships/product.ts'
import type { AccountDemands } from '../../domain/merchants/account-demands.ts'
import type { AccountLimits } from '../../domain/merchants/account-limits.ts'
import type { CheckMode } from '../../domain/payments/verification.ts'
import type { ThreeDsPolicy } from '../../domain/three-ds/policy.ts'

/** Which of the two worlds an object belongs to; the two never meet. */
export type Mode = 'test' | 'live'

/** A site as it stands in one of the modes: what it made in the other does not exist for it. */
export interface SiteInMode {
  readonly id: bigint
  readonly mode: Mode
}

/** A site with the time by which what happens there is judged and written down. */
export interface SiteInTime extends SiteInMode {
  /** The machine's, unless the site is in test mode and was given one of its own. */
  readonly clock: Clock
}

/** One of a merchant's web sites: what it sells under, and its defaults. */
export interface Site extends SiteInTime {
  /** Whether it has a clock of its own; messages to the bank then carry its time. */
  readonly hasOwnClock: boolean
  readonly merchantId: bigint
  /** `wide` tolerates other API versions and a missing amount on captures and refunds. */
  readonly tolerance: 'strict' | 'wide'
  readonly defaultCurrency: string
  readonly cvvRequired: boolean
  readonly avsMode: CheckMode
  readonly cvvMode: CheckMode
  readonly avsMatchSet: string
  readonly cvvMatchSet: string
  /** `open` takes any product id; `strict` only those of `products`. */
  readonly catalogue: 'open' | 'strict'
  readonly defaultProduct: string
  readonly products: ReadonlyMap<string, CatalogueProduct>
  /** Null where nothing is watched for, which is the default. */
  readonly cardTesting: CardTestingPolicy | null
  readonly threeDs: ThreeDsPolicy
  /** The accounts of the site's mode, the preferred one first. */
  readonly merchantAccounts: readonly MerchantAccount[]
}

/** A product of a site's catalogue. */
export interface CatalogueProduct {
  readonly active: boolean
  /** Null for one that is sold once; a sale of any other begins a membership. */
  readonly terms: ProductTerms | null
}

/** An agreement with an acquirer: where a site's payments go. */
export interface MerchantAccount {
  readonly id: bigint
  readonly merchantId: bigint
  readonly mode: Mode
  /** The processor link that it uses; null for the bundled bank. It never changes. */
  readonly linkId: bigint | null
  /** The test account that requests of a live site may go on naming. */
  readonly standsFor: bigint | null
  /** The name that merchants see as PROC_NAME. */
  readonly processorName: string
  readonly acquirerId: string
  readonly acquirerMerchantId: string
  readonly categoryCode: string
  readonly nameAndLocation: string
  readonly currencies: readonly string[]
  /** Whether unreferenced credits are allowed. */
  readonly unreferencedCredits: boolean
  /** Set by the operator. */
  readonly limits: AccountLimits
  /** Of its acquirer. */
  readonly demands: AccountDemands
  /** How Directory Servers know the merchant; null: the account takes no part in 3-D Secure. */
  readonly threeDs: { readonly requestorId: string; readonly requestorUrl: string } | null
}

/**
 * The country of the business, ISO 3166-1 alpha-2: behind 25 characters of name and 13 of place.
 */
export function countryOf({ nameAndLocation }: Pick<MerchantAccount, 'nameAndLocation'>): string {
  return nameAndLocation.slice(38, 40)
}

export interface ApiUser {
  readonly id: bigint
  readonly merchantId: bigint
  readonly username: string
  /** May read what `/api/v1` answers. */
  readonly readsApi: boolean
  /** Its own limit; null for that of the installation. */
  readonly requestRate: RequestRateLimit | null
}

/** Why a caller was not let in, in the order in which it is checked. */
export type AccessRefusal = 'throttled' | 'credentials_wrong' | 'user_inactive' | 'site_unknown'

export type Access =
  | {
      readonly kind: 'granted'
      readonly user: ApiUser
      /** Null for SITE_ID 0. */ readonly site: Site | null
    }
  | {
      readonly kind: 'refused'
      readonly refusal: AccessRefusal
      /** The merchant of the user that was named, if one was looked up and found. */
      readonly merchantId?: bigint | null
    }
