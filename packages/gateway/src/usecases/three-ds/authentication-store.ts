import type { CardBrand } from '../../domain/payments/card.ts'
import { isFinal } from '../../domain/states.ts'
import {
  AUTHENTICATION_STATES,
  type AuthenticationState,
} from '../../domain/three-ds/authentication-states.ts'
import type {
  MethodCompletion,
  ChallengeWindow,
  MessageVersion,
  ResultStatus,
  TransStatus,
} from '../../domain/three-ds/trans-status.ts'
import type { SealedCode } from '../card-tokens/card-token-store.ts'
import type { ClaimsOfPayment } from '../memberships/membership-claim.ts'
import type { Mode } from '../merchants/merchant-directory.ts'
import type { NewKeyHolder } from '../payments/idempotency-key.ts'
import type { Expiry } from '../payments/payment-command.ts'
import type { MessageIdentity, PaymentIntent } from '../payments/payment-store.ts'
import type { CollectedBrowser } from './collected-browser.ts'

/** Data of the customer's browser, from before the payment. */
export interface Collection {
  readonly reference: string
  readonly siteId: bigint
  readonly mode: Mode
  readonly merchantAccountId: bigint
  readonly leadingDigits: string
  readonly serverTransId: string
  readonly state: 'set_up' | 'collecting' | 'collected' | 'used'
  readonly browser: CollectedBrowser | null
  readonly methodUrl: string | null
  readonly methodState: 'none' | 'running' | 'completed' | 'failed'
  readonly expiresAt: Date
}

export type { AuthenticationState }
export type OpenState = Exclude<AuthenticationState, 'consumed' | 'failed' | 'expired'>

/** An authentication that is about to be asked for; what else there is to know is in the intent. */
export interface NewAuthentication {
  readonly serverTransId: string
  readonly procTransId: string
  readonly userId: bigint
  /** DDC_REFERENCEID. */
  readonly reference: string
  /** Hexadecimal. */
  readonly fingerprint: string
  readonly expiry: Expiry | null
  readonly linesDigest: string
  /** The card token that the payment used; null for any other card. */
  readonly cardTokenId: bigint | null
  readonly returnUrl: string
  readonly window: ChallengeWindow
  /** Null if the issuer is not asked. */
  readonly version: MessageVersion | null
  readonly methodCompletion: MethodCompletion | null
  readonly expiresAt: Date
}

/** The facts from the answer to the AReq, or from the lack of one. */
export interface AnswerFacts {
  readonly status: TransStatus
  readonly reason: string
  /** Why there is no better status; '' where the issuer gave it. */
  readonly cause: string
  /** '' if unknown. */
  readonly dsTransId: string
  readonly acsTransId: string
  readonly cardholderInfo: string
}

/** The end of an authentication, and the result for its payment. */
export interface AuthenticationEnd {
  readonly serverTransId: string
  /** Only from these; the first end is final. */
  readonly from: readonly OpenState[]
  /** P3DS_RESPONSE and P3DS_ECI from now on. */
  readonly response: string
  readonly eci: string
  /** Null leaves what is known of the answer. */
  readonly answer: AnswerFacts | null
  /** Digest of the request that decided, hexadecimal; null where none did. */
  readonly finalDigest: string | null
  readonly at: Date
}

export interface StoredAuthentication {
  readonly serverTransId: string
  readonly procTransId: string
  readonly transactionId: bigint
  readonly orderId: bigint
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly merchantAccountId: bigint
  readonly userId: bigint
  readonly state: AuthenticationState
  readonly fingerprint: string
  /** The customer and the card that the order was started with. */
  readonly customerId: bigint
  readonly paymentMethodId: bigint
  readonly brand: CardBrand | null
  /** The card token that it was under; null for any other card. */
  readonly cardTokenId: bigint | null
  readonly expiry: Expiry | null
  readonly amountMinor: bigint
  readonly currency: string
  readonly kind: 'authorization' | 'sale'
  readonly orderReference: string
  readonly linesDigest: string
  readonly version: string
  readonly transStatus: TransStatus | null
  readonly dsTransId: string
  readonly acsTransId: string
  /** Whether the customer was challenged: only then does a merchant know the id. */
  readonly challenged: boolean
  readonly cresStatus: '' | 'Y' | 'N' | 'erro' | 'unreadable'
  readonly resultStatus: ResultStatus | null
  readonly resultDigest: string | null
  readonly eci: string
  /** Sealed. */
  readonly cavv: Uint8Array | null
  readonly finalDigest: string | null
  readonly expiresAt: Date
  /** The words of a test that the first request sent for the test bank; null: none. */
  readonly bankTest: string | null
  /** Ids of the order's lines, in their sequence. */
  readonly lineIds: readonly bigint[]
}

/** A challenge as the answer to the shop describes it. */
export interface OpenChallenge {
  readonly merchantAccountId: bigint
  /** DDC_REFERENCEID. */
  readonly reference: string
  readonly returnUrl: string
  /** jti of its step-up tokens: all of them open the one page. */
  readonly tokenId: string
  readonly acsUrl: string
  readonly serverTransId: string
  readonly acsTransId: string
  readonly version: MessageVersion
  readonly window: ChallengeWindow
  readonly procTransId: string
}

/** Whether its payment may still be decided on. */
export function isOpen({ state }: Pick<StoredAuthentication, 'state'>): boolean {
  return !isFinal(AUTHENTICATION_STATES, state)
}

export interface NewResult {
  readonly serverTransId: string
  readonly status: ResultStatus
  readonly reason: string
  readonly eci: string
  readonly cavv: SealedCavv | null
  readonly challengeCancel: string
  readonly digest: string
  /** Why the status is not what the issuer said; '' where it is. */
  readonly cause: string
  readonly at: Date
  readonly expiresAt: Date
}

export interface SealedCavv {
  readonly ciphertext: Uint8Array
  readonly dataKeyId: number
}

/** Keeps authentications, and the payments that wait for them. Every change is made once. */
export interface AuthenticationStore {
  findCollection(reference: string): Promise<Collection | null>
  /** False: it has served an AReq already. */
  takeCollection(reference: string): Promise<boolean>
  /**
   * Writes a pending intent and its authentication together. False: another payment has its
   * idempotency key, and nothing was written. May be repeated; throws as `intend` does.
   */
  begin(intent: PaymentIntent, authentication: NewAuthentication): Promise<boolean>
  /** From asking to challenge. False when it is not asking any more. May be repeated. */
  challenge(
    serverTransId: string,
    challenge: {
      readonly answer: AnswerFacts
      readonly acsUrl: string
      readonly stepUpTokenId: string
      readonly expiresAt: Date
      /** The security code of the payment's token, which waits for the final call; null: none. */
      readonly code: SealedCode | null
      /** The words of a test for the authorization that may follow; null: none. */
      readonly bankTest: string | null
    },
  ): Promise<boolean>
  /**
   * Takes the payment from pending to running, under a new message, and the authentication to
   * consumed, its CAVV and its waiting security code erased. `claimed`: another order has the
   * reference. `membership_taken`: the customer has a membership that it sells. `key_taken`:
   * another request has the idempotency key. Nothing was written then. `not_open`: another caller
   * was first. May be repeated.
   */
  consume(
    end: AuthenticationEnd,
    payment: ClaimsOfPayment & {
      readonly message: MessageIdentity
      /** The key of the call that decides; null: it has none, or it was written before. */
      readonly key: NewKeyHolder | null
    },
  ): Promise<'running' | 'claimed' | 'membership_taken' | 'key_taken' | 'not_open'>
  /**
   * Declines the payment without the bank, and erases what waited for it. False: another caller was
   * first. May be repeated.
   */
  decline(
    end: AuthenticationEnd,
    how: { readonly state: 'failed' | 'expired'; readonly serviceCode: number },
  ): Promise<boolean>
  findByProcTransId(procTransId: string): Promise<StoredAuthentication | null>
  findByServerTransId(serverTransId: string): Promise<StoredAuthentication | null>
  /** The challenge that a transaction waits for; null when it waits for none. */
  findChallenge(transactionId: bigint): Promise<OpenChallenge | null>
  /**
   * From challenge to result. False when it is not open any more, or a result is there. A security
   * code waits no longer if the result permits no payment.
   */
  keepResult(result: NewResult): Promise<boolean>
  /** How many there are with this one; null when the authentication is not open. */
  countMismatch(serverTransId: string): Promise<number | null>
  /** Open and past their time, the oldest first. */
  findExpired(now: Date, limit: number): Promise<readonly StoredAuthentication[]>
  /** The same of one site with a clock of its own; `findExpired` finds none of those. */
  findExpiredAt(siteId: bigint, now: Date, limit: number): Promise<readonly StoredAuthentication[]>
}
