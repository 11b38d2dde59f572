import { createCardTokenStore } from '../adapters/postgres/card-tokens/card-token-store.ts'
import { createTokenSites } from '../adapters/postgres/card-tokens/token-sites.ts'
import { expiringCardTokens } from '../adapters/postgres/clocks/site-clock-due.ts'
import { newCardToken } from '../adapters/vault/new-card-token.ts'
import { tokenKeyBinding } from '../adapters/vault/secret-seal.ts'
import { createSecurityCodeSeal } from '../adapters/vault/security-code-seal.ts'
import { systemClock } from '../base/clock.ts'
import {
  createCreateCardToken,
  type CreateCardToken,
} from '../usecases/card-tokens/create-card-token.ts'
import type { TokenSite } from '../usecases/card-tokens/token-site.ts'
import {
  createCardTokens,
  type CardTokenDigits,
  type CardTokens,
} from '../usecases/card-tokens/use-card-token.ts'
import { dueCardTokens } from '../usecases/clocks/due-card-tokens.ts'
import type { DueSource } from '../usecases/clocks/due-source.ts'
import type { Foundation } from './foundation.ts'
import type { VaultParts } from './vault.ts'

export interface CardTokenParts {
  readonly createCardToken: CreateCardToken
  readonly cardTokens: CardTokens & CardTokenDigits
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
  readonly dueTokens: DueSource
  /** True when there may be more to erase. */
  readonly eraseExpired: () => Promise<boolean>
}

/** Cards under tokens: made by the token service, used by payments. */
export function wireCardTokens(
  { database, clock, ids, monotonicMs, siteClocks }: Foundation,
  { keys, vault, seal }: VaultParts,
  digest: (text: string) => string,
): CardTokenParts {
  const store = createCardTokenStore(database.pool)
  const codes = createSecurityCodeSeal(keys)
  return {
    createCardToken: createCreateCardToken({
      store,
      vault,
      codes,
      clock,
      nextId: () => ids.next('cardToken'),
      newToken: newCardToken,
    }),
    cardTokens: createCardTokens({ store, vault, codes, clock, digest }),
    findTokenSite: createTokenSites(
      database.pool,
      async (sealed, siteId) => {
        await seal.prepare(sealed)
        return seal.open(sealed, tokenKeyBinding(siteId))
      },
      siteClocks,
      monotonicMs,
    ),
    dueTokens: dueCardTokens(expiringCardTokens(database.pool), ({ id }, until) =>
      store.eraseExpiredAt(id, until),
    ),
    eraseExpired: () => store.eraseExpired(clock.now(), systemClock.now()),
  }
}
