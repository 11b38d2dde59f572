import type { CardTestingRule } from '../../domain/card-testing/card-testing.ts'
import type { RequiredField } from '../../domain/merchants/account-demands.ts'
import type { CardBrand } from '../../domain/payments/card.ts'

export type Parameters = Readonly<Record<string, string>>

/** A request to a published site, and the fields of its answer. */
export interface SiteTrial {
  /** The difference from an ordinary payment; '' for none. */
  readonly when: string
  /**
   * Parameters beside the login and SITE_ID, over those of an ordinary payment; null takes one
   * away. `{new}` stands for a text that was never sent, and `{ddc}` for the DDC_REFERENCEID that
   * 3dsrequest.cfm gives for the card.
   */
  readonly sends: Readonly<Record<string, string | null>>
  /** Requests that come before, each over `sends`; mostly none. */
  readonly after: readonly Parameters[]
  /** Null for the payment address. */
  readonly path: string | null
  readonly answer: Readonly<Record<string, string | number>>
}

/** The settings of a site and its account that differ from those of the demo merchant. */
export interface SiteSituation {
  readonly currencies?: readonly string[]
  readonly categoryCode?: string
  readonly unreferencedCredits?: true
  readonly noThreeDs?: true
  readonly brands?: readonly CardBrand[]
  readonly requiredFields?: readonly RequiredField[]
  readonly limits?: {
    /** By currency, in minor units. */
    readonly amounts: Readonly<Record<string, { readonly payment?: bigint; readonly day?: bigint }>>
    readonly countries?: readonly string[]
  }
  readonly threeDs?: { readonly required: true; readonly whenUnavailable: 'decline' }
  /** The rules that are enforced. */
  readonly rules?: readonly CardTestingRule[]
  /** A strict catalogue; the first product is the site's default. */
  readonly products?: readonly {
    readonly code: string
    readonly active: boolean
    readonly membership?: { readonly priceMinor: bigint; readonly currency: string }
  }[]
}

/** A site of the sandbox that shows one situation, and never changes. */
export interface PublishedSite {
  readonly id: number
  readonly account: number
  readonly name: string
  readonly meaning: string
  readonly situation: SiteSituation
  readonly trials: readonly SiteTrial[]
}

/** An API user of the sandbox for one situation. */
export interface PublishedUser {
  readonly username: string
  readonly meaning: string
  readonly active: boolean
  readonly readsApi: boolean
  /** Requests a second, and at once; null without a limit. */
  readonly requestRate: { readonly perSecond: number; readonly burst: number } | null
  /** A request to the first published site. */
  readonly trial: SiteTrial
}

/** An ordinary payment, which every published value starts from. */
export const ORDINARY: Parameters = {
  REQUEST_API_VERSION: '4.14',
  REQUEST_ACTION: 'CCAUTHCAP',
  PMT_NUMB: '4111111111111111',
  PMT_EXPIRY: '122040',
  PMT_KEY: '123',
  LI_VALUE_1: '12.50',
}

/** A payment that the gateway declines with the SERVICE code. */
export function declined(
  service: number,
  when: string,
  sends: SiteTrial['sends'],
  after: SiteTrial['after'] = [],
): SiteTrial {
  const answer = { TRANS_STATUS_NAME: 'DECLINED', API_RESPONSE: '0', SERVICE_RESPONSE: service }
  return { when, sends, after, path: null, answer }
}

export function approved(when: string, sends: SiteTrial['sends']): SiteTrial {
  const answer = { TRANS_STATUS_NAME: 'APPROVED', API_RESPONSE: '0', SERVICE_RESPONSE: 100 }
  return { when, sends, after: [], path: null, answer }
}

/** A request that is refused: nothing is stored. `field`: REF_FIELD; '' for none. */
export function refusal(
  code: { readonly api: string } | { readonly service: number },
  when: string,
  sends: SiteTrial['sends'],
  { after = [], field = '' }: { readonly after?: SiteTrial['after']; readonly field?: string } = {},
): SiteTrial {
  const codes =
    'api' in code
      ? { API_RESPONSE: code.api, SERVICE_RESPONSE: 0 }
      : { API_RESPONSE: '0', SERVICE_RESPONSE: code.service }
  const answer = { ...codes, ...(field === '' ? {} : { REF_FIELD: field }) }
  return { when, sends, after, path: null, answer }
}
