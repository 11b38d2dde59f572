import type { Secret } from '../../base/secret.ts'
import type { Currency } from '../../domain/currency.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import type { CardBrand } from '../../domain/payments/card.ts'
import type {
  ChallengeWindow,
  MessageVersion,
  MethodCompletion,
  ResultStatus,
  TransStatus,
} from '../../domain/three-ds/trans-status.ts'
import type { MerchantAccount, Mode } from '../merchants/merchant-directory.ts'
import type { CustomerDetails, Expiry, PostalAddress } from '../payments/payment-command.ts'
import type { Recurring } from './three-ds-request.ts'

/** The 3DS Server's way to the Directory Servers. Nothing here throws for what they do. */
export interface ThreeDsServer {
  /** Whether accounts of the mode can be authenticated at all: a Directory Server is set up. */
  isSetUp(mode: Mode): boolean
  /** From the cache of card ranges; null: the card takes no part in 3-D Secure. */
  findRange(mode: Mode, pan: CardNumber): CardRange | null
  /** Distinct method URLs of all ranges that a number with these first digits can be in. */
  methodUrls(mode: Mode, leadingDigits: string): readonly string[]
  /** Sends the AReq and waits for its answer. The messages are journalled. */
  authenticate(question: AuthenticationQuestion): Promise<AuthenticationReply>
  /**
   * Reports to the Directory Server that its answer cannot be used: Erro with this code and element
   * names.
   */
  refuse(
    question: Pick<AuthenticationQuestion, 'serverTransId' | 'account' | 'pan' | 'version'>,
    errorCode: string,
    detail: string,
  ): Promise<void>
}

export interface CardRange {
  /** The highest version that we, the Directory Server and the issuer share; null: none. */
  readonly version: MessageVersion | null
  readonly methodUrl: string | null
}

/**
 * An AReq of the browser channel, in the gateway's words; the adapter maps, shortens and leaves
 * out.
 */
export interface AuthenticationQuestion {
  /** threeDSServerTransID. */
  readonly serverTransId: string
  readonly version: MessageVersion
  readonly account: MerchantAccount
  readonly pan: CardNumber
  readonly expiry: Expiry | null
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly at: Date
  readonly methodCompletion: MethodCompletion
  /** threeDSRequestorChallengeInd; null leaves it out. */
  readonly challengePreference: string | null
  readonly recurring: Recurring | null
  readonly browser: Browser
  readonly customer: CustomerDetails
  readonly billing: PostalAddress
  readonly shipping: PostalAddress
}

/**
 * The browser as the AReq describes it: what the merchant sent, filled up with what the page found.
 */
export interface Browser {
  readonly acceptHeader: string
  readonly userAgent: string
  readonly language: string
  readonly ip: string
  readonly javascriptEnabled: boolean
  /** Null: not known. With all four null, 2.2.0 says that there is no JavaScript. */
  readonly javaEnabled: boolean | null
  readonly colorDepth: number | null
  readonly screenHeight: number | null
  readonly screenWidth: number | null
  /** Signed minutes, positive west of UTC. */
  readonly timeZone: number | null
}

export type AuthenticationReply =
  | {
      readonly kind: 'answered'
      readonly status: TransStatus
      readonly reason: string
      /** '' if none was given. */
      readonly eci: string
      readonly cavv: Secret | null
      readonly dsTransId: string
      readonly acsTransId: string
      /** With C only: https, without credentials. */
      readonly acsUrl: string
      readonly cardholderInfo: string
    }
  /** No usable answer. A late one is ignored. */
  | {
      readonly kind: 'unavailable'
      /** An error code of the protocol, ours or theirs: 402, 405, 201, 203, 301 ... */
      readonly cause: string
      /** For operators: who said what. Never a card number. */
      readonly detail: string
    }

/** The content of an RReq, checked for form; a repeat has the same `digest`. */
export interface ChallengeResult {
  /**
   * The mode of the Directory Server that brought it: a result from that of test accounts is none
   * of a live payment.
   */
  readonly mode: Mode
  /** Cards that this Directory Server knows about; null: all. */
  readonly brands: readonly CardBrand[] | null
  readonly serverTransId: string
  readonly dsTransId: string
  readonly acsTransId: string
  readonly version: string
  readonly messageCategory: string
  readonly status: ResultStatus
  readonly reason: string
  readonly eci: string
  readonly cavv: Secret | null
  readonly challengeCancel: string
  /** SHA-256 as hexadecimal text. */
  readonly digest: string
}

/**
 * Keeps the result of a challenge; nothing else decides about the payment. `stored` also for the
 * very same result once more. `unknown`: about no open challenge of these ids, or a contradiction
 * of what is stored; the sender gets Erro 301.
 */
export type ReceiveResult = (
  result: ChallengeResult,
) => Promise<
  | 'stored'
  | 'unknown'
  | { readonly kind: 'invalid'; readonly errorCode: '201' | '203'; readonly detail: string }
>

/** The first message to the issuer's page. */
export interface ChallengeRequest {
  readonly serverTransId: string
  readonly acsTransId: string
  readonly acsUrl: string
  readonly version: MessageVersion
  readonly window: ChallengeWindow
}
