import type { Clock } from '../../base/clock.ts'
import type { Secret } from '../../base/secret.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import { revealedLeadingDigits } from '../three-ds/leading-digits.ts'
import { CardUnreadableError, type CardVault } from '../vault/card-vault.ts'
import type {
  CardTokenStore,
  FoundCardToken,
  SecurityCodeSeal,
  TokenOwner,
} from './card-token-store.ts'

export interface UseCardTokenDeps {
  readonly store: Pick<CardTokenStore, 'find' | 'findWaitingCode' | 'peek' | 'take'>
  readonly vault: CardVault
  readonly codes: SecurityCodeSeal
  /** The machine's. */
  readonly clock: Clock
  /** SHA-256 as hexadecimal text. */
  readonly digest: (text: string) => string
}

/**
 * The card of a token. The code is null when none was sent with the card, or when it has expired.
 */
export interface TokenCard {
  readonly pan: CardNumber
  readonly cvv: Secret | null
  /** The end of the code's life by the machine's clock; null without a code. */
  readonly cvvUntil: Date | null
}

/** The security codes of used tokens, between the two requests of a challenged payment. */
export interface WaitingCodes {
  /** Seals a code so that only the token opens it. Nothing is written. */
  seal(code: Secret, token: Secret, tokenId: bigint): Promise<Uint8Array>
  /** Null when it has expired, was lost, or cannot be decrypted any more. */
  read(tokenId: bigint, token: Secret, site: TokenOwner): Promise<Secret | null>
}

export interface CardTokens {
  /** Looks without using it up. Null for what is no token of this site, merchant and mode. */
  find(token: Secret, site: TokenOwner): Promise<FoundCardToken | null>
  /**
   * Uses the token up, durably, and returns its card. Null when another request used it first, when
   * it has expired, or when its data key was destroyed. `usedFor`: the order reference whose repeat
   * is answered, or ''.
   */
  take(
    found: FoundCardToken,
    token: Secret,
    site: TokenOwner,
    usedFor: string,
  ): Promise<TokenCard | null>
}

export interface CardTokenDigits {
  /**
   * The first six to eight digits of its number; the token stays good. Null when it
   * was used, has expired, or its data key was destroyed.
   */
  leadingDigits(found: FoundCardToken, site: TokenOwner): Promise<string | null>
}

/** The way from a token to its card, once. A caller that dies afterwards has lost the token. */
export function createCardTokens(
  deps: UseCardTokenDeps,
): CardTokens & CardTokenDigits & { readonly waitingCodes: WaitingCodes } {
  return {
    find: (token, site) => deps.store.find(deps.digest(token.reveal()), site, deps.clock.now()),
    async leadingDigits({ id }, { merchantId, clock }) {
      const ciphertext = await deps.store.peek(id, clock.now())
      if (ciphertext === null) return null
      return revealedLeadingDigits(deps.vault, ciphertext, { kind: 'card token', id }, merchantId)
    },
    async take({ id }, token, { merchantId, clock }, usedFor) {
      const ciphertext = await deps.store.peek(id, clock.now())
      if (ciphertext === null) return null
      const place = { kind: 'card token', id } as const
      try {
        // Before it is used up: a vault that is away must not cost the customer the token.
        const pan = await deps.vault.reveal(ciphertext, place, 'token use', merchantId)
        const taken = await deps.store.take(id, usedFor, clock.now(), deps.clock.now())
        if (taken === null) return null
        const { code } = taken
        return {
          pan,
          cvv: code === null ? null : await deps.codes.open(code.ciphertext, token, id),
          cvvUntil: code?.expiresAt ?? null,
        }
      } catch (error) {
        if (error instanceof CardUnreadableError) return null
        throw error
      }
    },
    waitingCodes: {
      seal: (code, token, tokenId) => deps.codes.seal(code, token, tokenId),
      async read(tokenId, token, { clock }) {
        const found = await deps.store.findWaitingCode(tokenId, clock.now(), deps.clock.now())
        return found === null ? null : deps.codes.open(found, token, tokenId)
      },
    },
  }
}
