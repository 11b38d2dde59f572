import { isTimeZone } from '@tollgate/kernel/time-zone'
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { hashPassword, matchPassword } from '../../adapters/credentials/password-hash.ts'
import { generatePassword, passwordFaults } from '../../adapters/credentials/password-rules.ts'
import { readCardTestingFile } from '../../adapters/operator-files/card-testing-file.ts'
import {
  cardTestingTransact,
  createCardTestingReader,
} from '../../adapters/postgres/card-testing/card-testing-admin.ts'
import { createTokenKeyStore } from '../../adapters/postgres/card-tokens/token-key-store.ts'
import { allowedAddresses } from '../../adapters/postgres/logins/allowed-addresses.ts'
import { createApiUserStore } from '../../adapters/postgres/logins/api-user-store.ts'
import { createSiteMailStore } from '../../adapters/postgres/mail/site-mail-store.ts'
import { catalogueTransact } from '../../adapters/postgres/memberships/catalogue-store.ts'
import { siteSettingsTransact } from '../../adapters/postgres/merchants/site-settings-store.ts'
import { timeZoneTransact } from '../../adapters/postgres/merchants/time-zone-store.ts'
import { threeDsPolicyTransact } from '../../adapters/postgres/three-ds/three-ds-admin.ts'
import { newSiteTokenKey } from '../../adapters/vault/new-card-token.ts'
import { tokenKeyBinding, type SecretSeal } from '../../adapters/vault/secret-seal.ts'
import type { Secret } from '../../base/secret.ts'
import type { GatewayConfig } from '../../config/config.ts'
import { createChangeCardTesting } from '../../usecases/card-testing/change-rules.ts'
import { createTokenKeys } from '../../usecases/card-tokens/change-token-keys.ts'
import { createApiUserAdmin, readNetworks } from '../../usecases/logins/change-api-users.ts'
import { createChangeCatalogue } from '../../usecases/memberships/change-catalogue.ts'
import { createChangeSiteSettings } from '../../usecases/merchants/change-site-settings.ts'
import { createChangeTimeZone } from '../../usecases/merchants/change-time-zone.ts'
import { createChangeThreeDsPolicy } from '../../usecases/three-ds/change-policy.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { apiUserRoutes } from './routes/api-user-routes.ts'
import { goLiveRoutes } from './routes/go-live-routes.ts'
import { mailRoutes } from './routes/mail-routes.ts'
import { merchantRoutes } from './routes/merchant-routes.ts'
import { siteRoutes, type SiteSettingsDeps } from './routes/site-routes.ts'
import { createLiveRequestStore } from './store/live-requests.ts'
import { createSettingsReader } from './store/settings-reader.ts'
import { createGoingLive } from './usecases/going-live.ts'
import { createSiteMailPages } from './usecases/site-mail.ts'

interface SettingsParts extends Pick<SiteSettingsDeps, 'originFaults' | 'hostFaults'> {
  readonly config: Pick<GatewayConfig, 'apiUserIdleDays' | 'bundledBank' | 'mode' | 'smtp'>
  readonly database: { readonly pool: pg.Pool }
  /** Seals the token keys that are made here. */
  readonly seal: SecretSeal
  /** Whether a token key is one that README.md publishes. */
  readonly isPublishedTokenKey: (key: Secret, siteId: bigint) => boolean
}

/**
 * Sites, what takes them live, and API users: through the ports that the operator's commands use.
 */
export function wireSettings(parts: SettingsParts): readonly PortalRoute[] {
  const { database, config, seal, isPublishedTokenKey, originFaults, hostFaults } = parts
  const { pool } = database
  const reader = createSettingsReader(pool)
  const idleDays = config.apiUserIdleDays
  const apiUsers = createApiUserStore(pool, idleDays)
  const tokenKeys = createTokenKeys(createTokenKeyStore(pool))
  const liveRequests = createLiveRequestStore({
    pool,
    idleDays,
    hasBundledBank: config.bundledBank !== 'off',
    async isPublishedKey(stored, siteId) {
      return isPublishedTokenKey(await seal.open(stored, tokenKeyBinding(siteId)), siteId)
    },
  })
  const goingLive = createGoingLive(liveRequests, (text) =>
    createHash('sha256').update(text).digest('hex'),
  )
  return [
    ...siteRoutes({
      reader,
      changeSettings: createChangeSiteSettings(siteSettingsTransact(pool)),
      changeThreeDs: createChangeThreeDsPolicy(threeDsPolicyTransact(pool)),
      setCatalogue: createChangeCatalogue(catalogueTransact(pool)).setMode,
      cardTesting: {
        ...createCardTestingReader(pool),
        ...createChangeCardTesting(cardTestingTransact(pool)),
      },
      readRules: (draft) => readCardTestingFile(JSON.stringify(draft)),
      async makeTokenKey(siteId, by) {
        const key = newSiteTokenKey()
        const added = await tokenKeys.add(siteId, await seal.seal(key, tokenKeyBinding(siteId)), by)
        return added.ok ? { ...added, key } : added
      },
      retireTokenKey: tokenKeys.retire,
      setTokenOrigins: tokenKeys.setOrigins,
      originFaults,
      hostFaults,
    }),
    ...mailRoutes({
      hasSite: reader.hasSite,
      pages: createSiteMailPages(createSiteMailStore(pool), deliveryOf(config)),
    }),
    ...merchantRoutes({ changeTimeZone: createChangeTimeZone(timeZoneTransact(pool), isTimeZone) }),
    ...goLiveRoutes({ goingLive, hasSite: reader.hasSite }),
    ...apiUserRoutes({
      reader,
      idleDays,
      usersFor: ({ by, portalUserId }) =>
        createApiUserAdmin({
          store: apiUsers,
          by,
          portalUserId,
          generatePassword,
          passwordFaults,
          hashPassword,
          matchPassword,
        }),
      async readNetworks(wanted) {
        const read = await readNetworks(apiUsers, wanted)
        return read.ok ? { ...read, isAllowedFrom: allowedAddresses(read.networks) } : read
      },
    }),
  ]
}

/** The way of mails, as the job that sends them takes it. */
function deliveryOf({ mode, smtp }: SettingsParts['config']): 'sent' | 'caught' | 'off' {
  if (smtp !== null) return 'sent'
  return mode === 'sandbox' ? 'caught' : 'off'
}
