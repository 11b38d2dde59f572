import { createHash } from 'node:crypto'
import { createCardTokenStore } from '../adapters/postgres/card-tokens/card-token-store.ts'
import { createTokenSites } from '../adapters/postgres/card-tokens/token-sites.ts'
import { expiringCardTokens } from '../adapters/postgres/clocks/site-clock-due.ts'
import { newCardToken } from '../adapters/vault/new-card-token.ts'
import { tokenKeyBinding } from '../adapters/vault/secret-seal.ts'
import { systemClock } from '../base/clock.ts'
import { BROWSER_FILES_FOLDER, readBrowserFiles } from '../http/hosted-field/browser-files.ts'
import { hostedField } from '../http/hosted-field/hosted-field.ts'
import { httpPlugin } from '../http/servers/http-plugin.ts'
import { tokenService, type TokenServiceDeps } from '../http/tokens/token-service.ts'
import { LONG_IDLE_EVERY_MS } from '../jobs/worker.ts'
import {
  createCreateCardToken,
  type CreateCardToken,
} from '../usecases/card-tokens/create-card-token.ts'
import type { TokenSite } from '../usecases/card-tokens/token-site.ts'
import {
  createCardTokens,
  type CardTokenDigits,
  type CardTokens,
  type WaitingCodes,
} from '../usecases/card-tokens/use-card-token.ts'
import { dueCardTokens } from '../usecases/clocks/due-card-tokens.ts'
import type { DueSource } from '../usecases/clocks/due-source.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'
import type { VaultParts } from './vault.ts'

export interface CardTokenParts extends Part {
  readonly createCardToken: CreateCardToken
  readonly cardTokens: CardTokens & CardTokenDigits & { readonly waitingCodes: WaitingCodes }
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
  /** Tokens that expire by clocks of test sites. */
  readonly due: DueSource
}

/** The dependencies that the token service shares with other addresses. */
export interface TokenAddress {
  readonly formAddress: Pick<TokenServiceDeps, 'nextRequestId' | 'logRequest' | 'clock' | 'whyUrl'>
  readonly allowSite: TokenServiceDeps['allowTokenRequest']
}

const ERASE_EVERY_MS = 15_000

/** Cards under tokens: made by the token service, used by payments. */
export function wireCardTokens(
  { database, clock, ids, metrics, monotonicMs, siteClocks }: Foundation,
  { codes, vault, seal }: Pick<VaultParts, 'codes' | 'vault' | 'seal'>,
  { formAddress, allowSite }: TokenAddress,
): CardTokenParts {
  const store = createCardTokenStore(database.byKey)
  const findTokenSite = createTokenSites(
    database.pool,
    async (sealed, siteId) => {
      return seal.open(sealed, tokenKeyBinding(siteId))
    },
    siteClocks,
    monotonicMs,
  )
  const createCardToken = createCreateCardToken({
    store,
    vault,
    codes,
    clock,
    nextId: () => ids.next('cardToken'),
    newToken: newCardToken,
  })
  return {
    cardTokens: createCardTokens({ store, vault, codes, clock, digest }),
    createCardToken,
    findTokenSite,
    commonRoutes: [
      httpPlugin(tokenService, {
        ...formAddress,
        machineClock: systemClock,
        findTokenSite,
        createCardToken,
        allowTokenRequest: allowSite,
        isUnavailable,
      }),
      httpPlugin(hostedField, {
        browserFiles: readBrowserFiles(BROWSER_FILES_FOLDER),
        findTokenSite,
        isUnavailable,
        countPageViolation: metrics.countPageViolation,
      }),
    ],
    due: dueCardTokens(expiringCardTokens(database.pool), ({ id }, until) =>
      store.eraseExpiredAt(id, until),
    ),
    jobs: [
      {
        name: 'erase card tokens',
        everyMs: ERASE_EVERY_MS,
        idleEveryMs: LONG_IDLE_EVERY_MS,
        run: () => store.eraseExpired(clock.now(), systemClock.now()),
      },
    ],
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
