import type { Secret } from '../../base/secret.ts'
import type { ChallengeWindow } from '../../domain/three-ds/trans-status.ts'

/** The 3-D Secure part of a payment request; null in the command if there is none. */
export type ThreeDsRequest =
  /** REQUEST_ENROLLMENT=1 with the browser's data. */
  | {
      readonly kind: 'enrol'
      /** DDC_REFERENCEID as it was sent. */
      readonly reference: string
      /** Absolute http or https URL. */
      readonly returnUrl: string
      readonly window: ChallengeWindow
      readonly browser: SentBrowser
      /**
       * PROD_* or REQUEST_REBILL=2: the first of recurring payments. Products of the catalogue say
       * it too.
       */
      readonly recurring: Recurring | null
    }
  /** REQUEST_ENROLLMENT=1, and the browser's data are not whole: no authentication, by contract. */
  | {
      readonly kind: 'skipped'
      /** Wire names of what is missing. */ readonly missing: readonly string[]
    }
  /** A non-empty P3DS_PROCTRANSID: the customer is back from the challenge. */
  | {
      readonly kind: 'final'
      readonly procTransId: string
      /** REQUEST_PARES: null when absent, '' when empty. */
      readonly paRes: string | null
    }
  /** Authenticated by another provider's 3DS Server. */
  | { readonly kind: 'outside'; readonly values: AuthenticationValues }
  /** REQ_LOW_VALUE_SCAEXEMPTION=1 without authentication. */
  | { readonly kind: 'exempt' }

/** Payments that follow the first one. */
export interface Recurring {
  readonly everyDays: number
  /** YYYYMMDD; null: one such time after the payment. */
  readonly until: string | null
}

/** The browser data from the merchant's server; '' and null where nothing was sent. */
export interface SentBrowser {
  /** P3DS_BROWSER_HEADER, USER_AGENT_XTL and P3DS_BROWSER_LANGUAGE: never empty in an enrolment. */
  readonly acceptHeader: string
  readonly userAgent: string
  readonly language: string
  readonly javaEnabled: boolean | null
  readonly javascriptEnabled: boolean | null
  readonly colorDepth: number | null
  readonly screenHeight: number | null
  readonly screenWidth: number | null
  /** Minutes, without sign. */
  readonly timeZone: number | null
  readonly ip: string
}

/** The values of an authentication for the acquirer. */
export interface AuthenticationValues {
  /** As the Directory Server gave it, or the brand's value for none. */
  readonly eci: string
  /** 20 bytes as base64; null where there is none. */
  readonly cavv: Secret | null
  readonly dsTransId: string
  /** For example `2.2.0`; '' when unknown. */
  readonly version: string
}
