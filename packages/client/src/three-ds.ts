import type { Address, Parameters } from './parameters.ts'
import type { RawRecord, Tier } from './raw-record.ts'
import { field, tier } from './raw-record.ts'

/**
 * The browser data of a 3-D Secure payment. Without the first three the gateway pays without
 * 3-D Secure, and the merchant keeps the liability: send the browser's values unchanged.
 */
export interface BrowserData {
  /** `navigator.language`. */
  readonly language: string
  /** The header User-Agent of the customer's request. */
  readonly userAgent: string
  /** The header Accept of the customer's request for the page. */
  readonly acceptHeader: string
  readonly ipAddress?: string | undefined
  readonly javaEnabled?: boolean | undefined
  readonly javaScriptEnabled?: boolean | undefined
  readonly colorDepth?: number | undefined
  /** Pixels. */
  readonly screenHeight?: number | undefined
  /** Pixels. */
  readonly screenWidth?: number | undefined
  /** `new Date().getTimezoneOffset()`; sent without its sign, as the interface requires. */
  readonly timeZoneOffset?: number | undefined
}

/** Sizes of the issuer's page in pixels, by their number in the interface; 05 is the whole page. */
export const CHALLENGE_WINDOWS = {
  '01': { width: 250, height: 400 },
  '02': { width: 390, height: 400 },
  '03': { width: 500, height: 600 },
  '04': { width: 600, height: 400 },
  '05': { width: null, height: null },
} as const

export type ChallengeWindow = keyof typeof CHALLENGE_WINDOWS

/** The 3-D Secure part of a payment. One payment has one of these. */
export type ThreeDsRequest =
  | ThreeDsEnrolment
  | ThreeDsCompletion
  | ThreeDsOutside
  | { readonly exemption: 'low-value' }

/** The first call of two: asks the issuer. */
export interface ThreeDsEnrolment {
  /** `ddcReference` of the session. */
  readonly ddcReference: string
  /** Return address of the challenge. The browser posts TransactionId, Response and `MD` to it. */
  readonly returnUrl: string
  readonly browser: BrowserData
  readonly window?: ChallengeWindow
}

/** The final call; everything else is as in the first one, card and security code included. */
export interface ThreeDsCompletion {
  /** TransactionId of the return, once it was compared with `challenge.transactionId`. */
  readonly transactionId: string
  /** Response of the return, unchanged; may be ''. */
  readonly response: string
}

/** Another provider's 3DS Server has authenticated the cardholder. */
export interface ThreeDsOutside {
  readonly eci: string
  /** Base64 of 20 bytes. */
  readonly cavv?: string
  /** The Directory Server's id of the transaction. */
  readonly dsTransactionId?: string
  /** For example 2.2.0. */
  readonly version?: string
}

/** The result of the issuer, or the challenge that it requires. */
export interface ThreeDsResult {
  /** P3DS_RESPONSE: Y, A, N, R, U, I; C during a challenge. */
  readonly status: string
  /**
   * As the network gave it: 05 (Mastercard 02) authenticated, 06 (01) attempted, 07 (00) neither.
   */
  readonly eci: string
  readonly dsTransactionId: string
  /** P3DS_PROCTRANSID: compare it with TransactionId of the return. */
  readonly transactionId: string
  /** A text of the issuer for the cardholder. The shop must show it. */
  readonly cardholderInfo: string
  /** With PENDING only: the content and address of the browser's post. */
  readonly challenge: ThreeDsChallenge | null
}

export interface ThreeDsChallenge {
  readonly url: string
  /** Posted to `url` as the field JWT. */
  readonly jwt: string
  readonly transactionId: string
}

/** The card of the coming payment: digits, a token, or a saved card. */
export interface ThreeDsSessionRequest {
  /** The first six to eight digits of the card. */
  readonly leadingDigits?: string
  readonly cardNumber?: string
  readonly cardToken?: string
  readonly customerId?: string | number
  readonly paymentMethodId?: string | number
  /** Without it the gateway selects an account by site, currency and country. */
  readonly merchantAccountId?: string | number
  readonly currency?: string
  readonly billing?: Address
}

/** The data collection page. */
export interface ThreeDsSession {
  readonly requestId: string
  /** Null: the gateway returned none; `api` has the reason. */
  readonly collection: { readonly url: string; readonly jwt: string } | null
  /** DDC_REFERENCEID: stays on the server, for the enrolment; '' without a collection. */
  readonly ddcReference: string
  readonly merchantAccountId: string
  readonly api: Tier
  readonly raw: RawRecord
}

export function sessionParameters(request: ThreeDsSessionRequest): Parameters {
  return {
    PMT_BIN: request.leadingDigits,
    PMT_NUMB: request.cardNumber,
    TOKEN_GUID: request.cardToken,
    CUST_ID: request.customerId,
    PMT_ID: request.paymentMethodId,
    MERCH_ACCT_ID: request.merchantAccountId,
    REQUEST_CURRENCY: request.currency,
    BILL_ADDR_COUNTRY: request.billing?.country,
  }
}

/** @param threeDs none: the payment is made without 3-D Secure. */
export function threeDsParameters(threeDs: ThreeDsRequest | undefined): Parameters {
  if (threeDs === undefined) return {}
  if ('exemption' in threeDs) return { REQ_LOW_VALUE_SCAEXEMPTION: '1' }
  if ('eci' in threeDs) {
    return {
      P3DS_ECI: threeDs.eci,
      P3DS_CAVV: threeDs.cavv,
      P3DS_TRANSID: threeDs.dsTransactionId,
      P3DS_VERSION: threeDs.version,
    }
  }
  if ('response' in threeDs) {
    return { P3DS_PROCTRANSID: threeDs.transactionId, REQUEST_PARES: threeDs.response }
  }
  return {
    REQUEST_ENROLLMENT: '1',
    DDC_REFERENCEID: threeDs.ddcReference,
    P3DS_RETURN_URL: threeDs.returnUrl,
    P3DS_CHALLENGE_WINDOW: threeDs.window,
    ...browserParameters(threeDs.browser),
  }
}

function browserParameters(browser: BrowserData): Parameters {
  const { timeZoneOffset: offset } = browser
  return {
    P3DS_BROWSER_LANGUAGE: browser.language,
    USER_AGENT_XTL: browser.userAgent,
    P3DS_BROWSER_HEADER: browser.acceptHeader,
    P3DS_IP_ADDRESS: browser.ipAddress,
    P3DS_JAVA_ENABLED: yesNo(browser.javaEnabled),
    P3DS_JAVASCRIPT_ENABLED: yesNo(browser.javaScriptEnabled),
    P3DS_BROWSER_COLOR_DEPTH: browser.colorDepth,
    P3DS_SCREEN_HEIGHT: browser.screenHeight,
    P3DS_SCREEN_WIDTH: browser.screenWidth,
    P3DS_BROWSER_TIME_ZONE: offset === undefined ? undefined : Math.abs(offset),
  }
}

function yesNo(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? 'TRUE' : 'FALSE'
}

export function readThreeDsSession(raw: RawRecord): ThreeDsSession {
  const [url, jwt] = [field(raw, 'DDC_URL'), field(raw, 'JWT')]
  const ddcReference = field(raw, 'DDC_REFERENCEID')
  const isWhole = url !== '' && jwt !== '' && ddcReference !== ''
  return {
    requestId: field(raw, 'REQ_ID'),
    collection: isWhole ? { url, jwt } : null,
    ddcReference: isWhole ? ddcReference : '',
    merchantAccountId: field(raw, 'MERCH_ACCT_ID'),
    api: tier(raw, 'API'),
    raw,
  }
}

/** Null if the answer has no 3-D Secure fields: the payment was made without it. */
export function readThreeDs(raw: RawRecord): ThreeDsResult | null {
  const status = field(raw, 'P3DS_RESPONSE')
  const transactionId = field(raw, 'P3DS_PROCTRANSID')
  const [url, jwt] = [field(raw, 'P3DS_ACS_URL'), field(raw, 'P3DS_PAYLOAD')]
  if (status === '' && transactionId === '' && url === '') return null
  return {
    status,
    eci: field(raw, 'P3DS_ECI'),
    dsTransactionId: field(raw, 'P3DS_TRANSID'),
    transactionId,
    cardholderInfo: field(raw, 'P3DS_CARDHOLDER_INFO'),
    challenge: url === '' ? null : { url, jwt, transactionId },
  }
}
