import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { expiringAuthentications } from '../adapters/postgres/clocks/site-clock-due.ts'
import { createAuthenticationStore } from '../adapters/postgres/three-ds/three-ds-authentications.ts'
import { createSimulatedIssuer } from '../adapters/three-ds-server/simulated-issuer.ts'
import { cavvBinding } from '../adapters/vault/secret-seal.ts'
import type { AccessDeps } from '../http/payment/admit.ts'
import type { FormAddressDeps } from '../http/payment/form-address.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import { httpPlugin } from '../http/servers/http-plugin.ts'
import { prepareService } from '../http/three-ds/prepare-service.ts'
import { simulatedIssuerPages } from '../http/three-ds/simulated-issuer-pages.ts'
import { STEP_UP_PATH, threeDsPages } from '../http/three-ds/three-ds-pages.ts'
import type {
  CardTokenDigits,
  CardTokens,
  WaitingCodes,
} from '../usecases/card-tokens/use-card-token.ts'
import { dueAuthentications } from '../usecases/clocks/due-authentications.ts'
import type { DueSource } from '../usecases/clocks/due-source.ts'
import { challengeRequestText, encodeText } from '../usecases/three-ds/challenge-messages.ts'
import { expireAuthentications } from '../usecases/three-ds/expire-authentications.ts'
import { createReceiveResult } from '../usecases/three-ds/receive-result.ts'
import type { CavvSeal, ThreeDsDeps, ThreeDsNotice } from '../usecases/three-ds/three-ds-deps.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { wireThreeDsPages } from './three-ds-pages.ts'
import { simulatorFolder, wireThreeDsServer } from './three-ds-server.ts'
import type { VaultParts } from './vault.ts'

export interface ThreeDsParts extends Part {
  /** The dependencies of payments. */
  readonly payments: ThreeDsDeps
  /** Authentications that expire by clocks of test sites. */
  readonly due: DueSource
  /** Opens the address that takes results; before payments are served. */
  start(): Promise<void>
  /** Takes no more results, and writes what is left of the journal. */
  stop(): Promise<void>
}

const EXPIRE_EVERY_MS = 5_000
const EXPIRED_AT_ONCE = 64
const TOKEN_ID_BYTES = 16
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 3-D Secure, put together: the 3DS Server, the pages for browsers, and the payments. */
export function wireThreeDs(
  foundation: Foundation,
  vaultParts: Pick<VaultParts, 'seal' | 'vault'>,
  cardTokens: CardTokens & CardTokenDigits & { readonly waitingCodes: WaitingCodes },
  address: Omit<FormAddressDeps & AccessDeps, 'isReady'>,
): ThreeDsParts {
  const { clock, config, database, logger, siteClocks } = foundation
  const serverParts = wireThreeDsServer(foundation)
  const { server } = serverParts
  const pages = wireThreeDsPages(foundation, vaultParts, cardTokens, server)
  const folder = config.mode === 'production' ? null : simulatorFolder(config)
  const simulatedIssuer = folder === null ? null : createSimulatedIssuer(folder)
  const store = createAuthenticationStore(database)
  const cavvs = sealCavvs(vaultParts)
  const notice = (what: ThreeDsNotice): void => {
    if (what.kind === 'contradicted')
      logger.error(what, '3-D Secure: issuer and browser contradict each other')
    else if (what.kind === 'skipped') {
      logger.warn(
        { ...what, siteId: what.siteId.toString() },
        '3-D Secure: skipped because browser data is missing',
      )
    } else if (what.kind === 'response_absent')
      logger.info(what, '3-D Secure: a final call without REQUEST_PARES')
    else logger.warn(what, '3-D Secure')
  }
  return {
    payments: {
      server,
      tokens: pages.tokens,
      store,
      cavvs,
      waitingCodes: cardTokens.waitingCodes,
      newServerTransId: randomUUID,
      newProcTransId: () =>
        Array.from({ length: 20 }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
      newTokenId: () => randomBytes(TOKEN_ID_BYTES).toString('base64url'),
      encodeChallenge: (request) => encodeText(challengeRequestText(request)),
      stepUpUrl: `${config.publicUrl}${STEP_UP_PATH}`,
      notice,
    },
    routes: [
      programPlugin(config.publicUrl, prepareService, { ...address, ...pages.http }),
      httpPlugin(threeDsPages, {
        ...pages.http,
        simulatedIssuer,
        isUnavailable: address.isUnavailable,
      }),
      ...(simulatedIssuer === null
        ? []
        : [httpPlugin(simulatedIssuerPages, { ...pages.http, simulatedIssuer })]),
    ],
    jobs: [
      ...serverParts.jobs,
      ...pages.jobs,
      {
        name: 'expire 3-D Secure payments',
        everyMs: EXPIRE_EVERY_MS,
        run: () => expireAuthentications({ store, clock }),
      },
    ],
    due: dueAuthentications(
      expiringAuthentications(database.pool),
      ({ id }, until) => store.findExpiredAt(id, until, EXPIRED_AT_ONCE),
      store,
    ),
    followers: serverParts.followers,
    async start() {
      const started = await serverParts.start(
        createReceiveResult({ store, cavvs, clock, siteClocks, notice }),
      )
      if (started !== null)
        logger.info({ results: started.resultsUrl }, '3-D Secure: listening for challenge results')
    },
    async stop() {
      await serverParts.stop()
      await store.idle()
    },
  }
}

function sealCavvs({ seal }: Pick<VaultParts, 'seal'>): CavvSeal {
  return {
    seal: (cavv, serverTransId) => seal.seal(cavv, cavvBinding(serverTransId)),
    async open(ciphertext, serverTransId) {
      return seal.open(ciphertext, cavvBinding(serverTransId))
    },
  }
}
