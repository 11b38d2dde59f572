import type { Secret } from '../../base/secret.ts'
import type { WaitingCodes } from '../card-tokens/use-card-token.ts'
import type { AuthenticationStore, SealedCavv } from './authentication-store.ts'
import type { ChallengeRequest, ThreeDsServer } from './three-ds-server.ts'
import type { ThreeDsTokens } from './three-ds-tokens.ts'

/** Keeps a CAVV unreadable until its payment takes it. */
export interface CavvSeal {
  seal(cavv: Secret, serverTransId: string): Promise<SealedCavv>
  open(ciphertext: Uint8Array, serverTransId: string): Promise<Secret>
}

/** An event for readers of the program's log. Never card data. */
export type ThreeDsNotice =
  | { readonly kind: 'skipped'; readonly siteId: bigint; readonly missing: readonly string[] }
  | {
      readonly kind: 'unavailable'
      readonly serverTransId: string
      readonly cause: string
      readonly detail: string
    }
  | { readonly kind: 'answer_refused'; readonly serverTransId: string; readonly element: string }
  | { readonly kind: 'contradicted'; readonly serverTransId: string; readonly what: string }
  | { readonly kind: 'mismatch'; readonly serverTransId: string; readonly what: string }
  | { readonly kind: 'response_absent'; readonly serverTransId: string }

/** The dependencies of payments with 3-D Secure, beside those of every payment. */
export interface ThreeDsDeps {
  readonly server: ThreeDsServer
  readonly tokens: ThreeDsTokens
  readonly store: AuthenticationStore
  readonly cavvs: CavvSeal
  readonly waitingCodes: WaitingCodes
  /** A UUID. */
  readonly newServerTransId: () => string
  /** 20 letters and digits. */
  readonly newProcTransId: () => string
  /** A jti: 128 random bits. */
  readonly newTokenId: () => string
  /** Base64url of the CReq. */
  readonly encodeChallenge: (request: ChallengeRequest) => string
  /** P3DS_ACS_URL. */
  readonly stepUpUrl: string
  readonly notice: (notice: ThreeDsNotice) => void
}

/** How long after the ARes, and again after the RReq, a payment may be finished. */
export const PENDING_MS = 30 * 60_000
/** Longer than a Directory Server may take to answer, all tries together. */
export const ASKING_MS = 5 * 60_000
