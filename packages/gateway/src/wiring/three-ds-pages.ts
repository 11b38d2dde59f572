import { randomBytes, randomUUID } from 'node:crypto'
import { findSiteOfAccount } from '../adapters/postgres/merchants/site-of-account.ts'
import { createSavedCards } from '../adapters/postgres/payments/saved-cards.ts'
import { createChallengeStore } from '../adapters/postgres/three-ds/three-ds-challenge-store.ts'
import { createCollectionStore } from '../adapters/postgres/three-ds/three-ds-collection-store.ts'
import { createThreeDsKeyStore } from '../adapters/postgres/three-ds/three-ds-key-store.ts'
import {
  createSigningKeys,
  GOOD_AFTER_ROTATION_MS,
} from '../adapters/three-ds-tokens/signing-keys.ts'
import { createThreeDsTokens } from '../adapters/three-ds-tokens/three-ds-tokens.ts'
import { threeDsKeyBinding } from '../adapters/vault/secret-seal.ts'
import { readThreeDsPages, THREE_DS_PAGES_FOLDER } from '../http/three-ds/page-files.ts'
import type { PrepareServiceDeps } from '../http/three-ds/prepare-service.ts'
import { METHOD_NOTIFY_PATH, type ThreeDsPagesDeps } from '../http/three-ds/three-ds-pages.ts'
import type { Job } from '../jobs/worker.ts'
import type { CardTokenDigits, CardTokens } from '../usecases/card-tokens/use-card-token.ts'
import { createChallengePages } from '../usecases/three-ds/challenge-pages.ts'
import { createCollectBrowser } from '../usecases/three-ds/collect-browser.ts'
import { createPrepareCollection } from '../usecases/three-ds/prepare-collection.ts'
import type { ThreeDsServer } from '../usecases/three-ds/three-ds-server.ts'
import type { ThreeDsTokens } from '../usecases/three-ds/three-ds-tokens.ts'
import type { Foundation } from './foundation.ts'
import type { VaultParts } from './vault.ts'

export interface ThreeDsPagesParts {
  /** Signs and verifies what travels by way of browsers and shops. */
  readonly tokens: ThreeDsTokens
  /** For the HTTP servers. */
  readonly http: Pick<PrepareServiceDeps, 'prepareCollection' | 'findSiteOfAccount' | 'publicUrl'> &
    Pick<ThreeDsPagesDeps, 'collectBrowser' | 'challengePages' | 'writeThreeDsPage'>
  readonly jobs: readonly Job[]
}

const HANDLE_BYTES = 16
const FORGET_EVERY_MS = 60_000
/** Collections are of no use once they have expired; a day more helps to examine a complaint. */
const FORGET_AFTER_MS = 86_400_000

/** 3dsrequest.cfm, and the pages of 3-D Secure. */
export function wireThreeDsPages(
  { clock, config, database, monotonicMs, siteClocks }: Foundation,
  { seal, vault }: Pick<VaultParts, 'seal' | 'vault'>,
  cardTokens: CardTokens & CardTokenDigits,
  server: ThreeDsServer,
): ThreeDsPagesParts {
  const { byKey, pool } = database
  const keyStore = createThreeDsKeyStore(pool, {
    seal: (key, kid) => seal.seal(key, threeDsKeyBinding(kid)),
    async open(ciphertext, kid) {
      return seal.open(ciphertext, threeDsKeyBinding(kid))
    },
  })
  const tokens = createThreeDsTokens(
    createSigningKeys({ store: keyStore, clock, monotonicMs }),
    clock,
  )
  const collections = createCollectionStore(byKey)
  const newHandle = (): string => randomBytes(HANDLE_BYTES).toString('base64url')
  return {
    tokens,
    http: {
      prepareCollection: createPrepareCollection({
        collections,
        savedCards: createSavedCards(byKey),
        vault,
        cardTokens,
        tokens,
        server,
        newHandle,
        newTransId: randomUUID,
      }),
      findSiteOfAccount: (merchantId, accountId) => findSiteOfAccount(pool, merchantId, accountId),
      publicUrl: config.publicUrl,
      collectBrowser: createCollectBrowser({
        collections,
        tokens,
        clock,
        newHandle,
        methodNotificationUrl: `${config.publicUrl}${METHOD_NOTIFY_PATH}`,
      }),
      challengePages: createChallengePages({
        challenges: createChallengeStore(byKey),
        tokens,
        clock,
        siteClocks,
        newHandle,
      }),
      writeThreeDsPage: readThreeDsPages(THREE_DS_PAGES_FOLDER),
    },
    jobs: [
      {
        name: 'forget 3-D Secure collections',
        everyMs: FORGET_EVERY_MS,
        async run() {
          const now = clock.now().getTime()
          await keyStore.forget(new Date(now - GOOD_AFTER_ROTATION_MS))
          return collections.forget(new Date(now - FORGET_AFTER_MS))
        },
      },
    ],
  }
}
