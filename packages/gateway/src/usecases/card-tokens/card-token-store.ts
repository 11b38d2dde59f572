import type { Secret } from '../../base/secret.ts'
import type { SiteInTime } from '../merchants/merchant-directory.ts'
import type { SealedPan } from '../payments/payment-store.ts'

/**
 * A site as far as its tokens care: they are bound to site, merchant and mode, and grow old by its
 * clock.
 */
export interface TokenOwner extends SiteInTime {
  readonly merchantId: bigint
}

export interface NewCardToken {
  readonly id: bigint
  /** SHA-256 of the token as hexadecimal text. */
  readonly hash: string
  readonly site: TokenOwner
  readonly sealed: SealedPan
  readonly fingerprint: string
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Null when no security code came along. */
  readonly code: SealedCode | null
  /** The client's own id of its request, and when it came by the machine's clock. */
  readonly uniqueId: string
  readonly requestedAt: Date
}

/** A token of the requesting site, in any state. */
export interface FoundCardToken {
  readonly id: bigint
  readonly fingerprint: string
  /** Neither used nor expired when it was looked at; `take` has the last word. */
  readonly usable: boolean
  readonly holdsCode: boolean
  readonly usedAt: Date | null
  /** The order reference of the payment that took it, where a repeat is to be answered; else ''. */
  readonly usedFor: string
}

export interface CardTokenStore {
  /** False when the site has sent this unique id a moment ago; nothing is written then. */
  insert(token: NewCardToken): Promise<boolean>
  /**
   * Null for an unknown token, and likewise for one of another site, merchant or mode.
   * `machineTime`: a security code is kept by it too, since a site's clock may stand still.
   */
  find(hash: string, site: TokenOwner, machineTime: Date): Promise<FoundCardToken | null>
  /** The sealed number of a token that is still good, which stays good; null when it is not. */
  peek(id: bigint, now: Date): Promise<Uint8Array | null>
  /**
   * Uses it up and gives what it held; null when it was used up or has expired. Of any number of
   * callers at once, on any node, one gets the card.
   */
  take(id: bigint, usedFor: string, now: Date, machineTime: Date): Promise<TakenCardToken | null>
  /**
   * The sealed code of a used token whose payment awaits its final call. Null when there was none,
   * when it has expired, or when the payment has ended. It stays until the payment ends.
   */
  findWaitingCode(id: bigint, now: Date, machineTime: Date): Promise<Uint8Array | null>
}

/** The sealed content of a token that was used up. */
export interface TakenCardToken {
  readonly ciphertext: Uint8Array
  readonly code: SealedCode | null
}

/** A sealed security code, and the end of its life by the machine's clock. */
export interface SealedCode {
  readonly ciphertext: Uint8Array
  readonly expiresAt: Date
}

/** Seals security codes so that they open with the token alone, which is kept nowhere. */
export interface SecurityCodeSeal {
  seal(code: Secret, token: Secret, tokenId: bigint): Promise<Uint8Array>
  /** Null when its data key was destroyed. */
  open(ciphertext: Uint8Array, token: Secret, tokenId: bigint): Promise<Secret | null>
}
