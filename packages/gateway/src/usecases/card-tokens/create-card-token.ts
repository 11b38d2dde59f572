import type { Clock } from '../../base/clock.ts'
import type { Secret } from '../../base/secret.ts'
import type { CardNumber } from '../../domain/payments/card-number.ts'
import { type CardBrand } from '../../domain/payments/card.ts'
import type { CardVault } from '../vault/card-vault.ts'
import type { CardTokenStore, SecurityCodeSeal, TokenOwner } from './card-token-store.ts'

export interface CreateCardTokenDeps {
  readonly store: CardTokenStore
  readonly vault: CardVault
  readonly codes: SecurityCodeSeal
  /** The machine's. */
  readonly clock: Clock
  readonly nextId: () => bigint | Promise<bigint>
  /** An unguessable token, 40 upper-case hexadecimal digits, and its SHA-256. */
  readonly newToken: () => { readonly token: Secret; readonly hash: string }
}

export interface CardTokenRequest {
  readonly site: TokenOwner
  readonly pan: CardNumber
  readonly cvv: Secret | null
  readonly uniqueId: string
  /** By the machine's clock. */
  readonly requestedAt: Date
}

export type CardTokenResult =
  | { readonly kind: 'made'; readonly token: Secret; readonly brand: CardBrand | null }
  /** The site has sent this unique id a moment ago. */
  | { readonly kind: 'repeated' }

export type CreateCardToken = (request: CardTokenRequest) => Promise<CardTokenResult>

const TOKEN_LIFE_MS = 24 * 60 * 60_000
/**
 * Fifteen minutes are allowed; the rest is for the job that erases what was not used. They are the
 * machine's: no clock of a site makes them longer.
 */
const CODE_LIFE_MS = 14 * 60_000

/** Puts a card under a token of one use, and its security code for a quarter of an hour at most. */
export function createCreateCardToken(deps: CreateCardTokenDeps): CreateCardToken {
  return async ({ site, pan, cvv, uniqueId, requestedAt }) => {
    const now = site.clock.now()
    const id = await deps.nextId()
    const { token, hash } = deps.newToken()
    const code =
      cvv === null
        ? null
        : {
            ciphertext: await deps.codes.seal(cvv, token, id),
            expiresAt: new Date(deps.clock.now().getTime() + CODE_LIFE_MS),
          }
    const inserted = await deps.store.insert({
      id,
      hash,
      site,
      ...(await deps.vault.seal(pan, { kind: 'card token', id }, site.merchantId)),
      createdAt: now,
      expiresAt: new Date(now.getTime() + TOKEN_LIFE_MS),
      code,
      uniqueId,
      requestedAt,
    })
    return inserted ? { kind: 'made', token, brand: pan.brand } : { kind: 'repeated' }
  }
}
