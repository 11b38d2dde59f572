import type { MessageVersion, ChallengeWindow } from '../../domain/three-ds/trans-status.ts'
import type { Mode } from '../merchants/merchant-directory.ts'

/** The result of a final CRes, or that it was none. */
export type BroughtBack = 'Y' | 'N' | 'erro' | 'unreadable'

/** A payment whose customer the issuer wants to see, as far as the pages need it. */
export interface Challenge {
  readonly serverTransId: string
  readonly acsTransId: string
  readonly acsUrl: string
  readonly version: MessageVersion
  readonly window: ChallengeWindow
  readonly siteId: bigint
  readonly mode: Mode
  readonly merchantAccountId: bigint
  /** DDC_REFERENCEID. */
  readonly reference: string
  /** P3DS_PROCTRANSID. */
  readonly procTransId: string
  readonly returnUrl: string
  /** MD: what the shop wants back as it is. */
  readonly merchantData: string
  /** `open`: its end is not known yet. */
  readonly state: 'open' | 'over'
  readonly pageHandle: string
  readonly sessionHandle: string
  readonly startedAt: Date | null
  readonly returnedAt: Date | null
  readonly resultAt: Date | null
  readonly expiresAt: Date
}

/** Challenges, as their pages see them. Nothing that is written here decides about a payment. */
export interface ChallengeStore {
  /** By the jti of its step-up token; null for an unknown one. */
  find(tokenId: string): Promise<Challenge | null>
  /**
   * The one start that there is: of all loads of the page, one gets the challenge back and sends
   * the CReq, which is journalled. Null for all others.
   */
  start(
    tokenId: string,
    start: {
      readonly pageHandle: string
      readonly sessionHandle: string
      readonly merchantData: string
      readonly request: string
      readonly at: Date
    },
  ): Promise<Challenge | null>
  findByPage(pageHandle: string): Promise<Challenge | null>
  findBySession(sessionHandle: string): Promise<Challenge | null>
  /**
   * Keeps what the browser brought, and the message itself in the journal; the first to come is
   * kept.
   */
  keepReturn(
    sessionHandle: string,
    brought: BroughtBack,
    message: string | null,
    at: Date,
  ): Promise<void>
}
