import { hashPassword, matchPassword } from '../adapters/credentials/password-hash.ts'
import { generatePassword, passwordFaults } from '../adapters/credentials/password-rules.ts'
import { readProductFile } from '../adapters/operator-files/product-file.ts'
import { linkTransact, listLinks } from '../adapters/postgres/banks/link-admin.ts'
import { createTokenKeyStore } from '../adapters/postgres/card-tokens/token-key-store.ts'
import { announceActivity } from '../adapters/postgres/connection/activity-channel.ts'
import { addressOf, type ClusterMemory } from '../adapters/postgres/connection/cluster-memory.ts'
import { openDatabase } from '../adapters/postgres/connection/database.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { assertSchemaFits } from '../adapters/postgres/connection/schema-fit.ts'
import { createApiUserStore } from '../adapters/postgres/logins/api-user-store.ts'
import {
  catalogueTransact,
  listProducts,
} from '../adapters/postgres/memberships/catalogue-store.ts'
import {
  readThreeDsPolicy,
  threeDsPolicyTransact,
} from '../adapters/postgres/three-ds/three-ds-admin.ts'
import type { KekSettings } from '../adapters/vault/key-encrypting-keys.ts'
import { newSiteTokenKey } from '../adapters/vault/new-card-token.ts'
import { linkKeyBinding, tokenKeyBinding } from '../adapters/vault/secret-seal.ts'
import { systemClock } from '../base/clock.ts'
import { refused, type Result } from '../base/refusal.ts'
import { Secret } from '../base/secret.ts'
import { readLinkFile } from '../config/link-file.ts'
import { pemsIn } from '../config/pem-files.ts'
import type { RetentionDays } from '../domain/retention/retention-kinds.ts'
import type { ThreeDsPolicy } from '../domain/three-ds/policy.ts'
import { createPutLink, sealLink } from '../usecases/banks/put-link.ts'
import { createTokenKeys } from '../usecases/card-tokens/change-token-keys.ts'
import type { ApiUserAdmin } from '../usecases/logins/api-users.ts'
import { createApiUserAdmin } from '../usecases/logins/change-api-users.ts'
import { createChangeCatalogue } from '../usecases/memberships/change-catalogue.ts'
import type { ProductSummary } from '../usecases/memberships/product-operator.ts'
import type { LinkSummary, TokenKeySummary } from '../usecases/merchants/operator.ts'
import { createChangeThreeDsPolicy } from '../usecases/three-ds/change-policy.ts'
import { createFeeOperator, type FeeOperator } from './fees.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { operatorActor } from './operator-actor.ts'
import { createBatchOperator, type BatchOperator } from './operator-batches.ts'
import { createCardTestingOperator, type CardTestingOperator } from './operator-card-testing.ts'
import { createClockOperator, type ClockOperator } from './operator-clocks.ts'
import { createMerchantPlaces, type MerchantPlaces } from './operator-merchants.ts'
import { createMoneyOperator, type MoneyOperator } from './operator-money.ts'
import { createOperatorsOperator, type OperatorsOperator } from './operator-operators.ts'
import { hostFaults, originFaults } from './operator-origins.ts'
import { createOutwardOperator, type OutwardOperator } from './operator-outwards.ts'
import { createPortalUsersOperator, type PortalUsersOperator } from './operator-portal-users.ts'
import { openEvidenceSeal, openSeal } from './operator-seal.ts'
import { createRetentionOperator, type RetentionOperator } from './retention.ts'
import type { OutwardSettings } from './webhooks.ts'

export { Secret }
export { nameOperator } from './operator-actor.ts'
export { defaultCardTestingFile } from './operator-card-testing.ts'
export type { ClockView } from './operator-clocks.ts'
export { planLines } from '../domain/fees/plan-text.ts'
export type { FeeSum } from './fees.ts'
export * from './operator-merchants.ts'
export * from './operator-outwards.ts'
export type { BatchAgreementView, BatchView } from '../usecases/books/batches.ts'
export type { PortalUsersOperator, PortalUserLink } from './operator-portal-users.ts'
export type { OperatorSummary } from './operator-operators.ts'
export type { PortalUserSummary } from '../portal/users/usecases/portal-users.ts'
export type { ApiUserAdmin, ApiUserSummary, MadePassword } from '../usecases/logins/api-users.ts'
export type { ProductSummary } from '../usecases/memberships/product-operator.ts'
export type { Result } from '../base/refusal.ts'
export { RETENTION_KINDS, RETENTION_KIND_NAMES } from '../domain/retention/retention-kinds.ts'
export type { DueNow, OfEachKind, RetentionOperator } from './retention.ts'
export * from './operator-money.ts'
export type { LinkSummary, TokenKeySummary } from '../usecases/merchants/operator.ts'
export type { ReplayResult } from '../domain/card-testing/card-testing-replay.ts'
export type { ThreeDsPolicy } from '../domain/three-ds/policy.ts'
export { isReturnHost } from '../http/payment/return-url.ts'
export type { CardTestingSetting } from '../domain/card-testing/rules-change.ts'
export type { CardTestingView } from '../usecases/card-testing/card-testing-operator.ts'

/** The command line's operations for an operator, on the database that the gateways use. */
export interface Operator extends MerchantPlaces, MoneyOperator, OutwardOperator {
  listLinks(): Promise<LinkSummary[]>
  /** Makes or changes a link; files that the text names are sought from `folder` on. */
  putLink(
    text: string,
    folder: string,
  ): Promise<
    Result<{ readonly name: string; readonly created: boolean; readonly warnings: string[] }>
  >
  describeTokenKeys(siteId: number): Promise<Result<{ readonly summary: TokenKeySummary }>>
  /** The key is returned this once; an older one works on until it is retired. */
  makeTokenKey(
    siteId: number,
  ): Promise<Result<{ readonly key: Secret; readonly previousWorks: boolean }>>
  retireTokenKey(siteId: number): Promise<Result<object>>
  setTokenOrigins(siteId: number, origins: readonly string[]): Promise<Result<object>>
  readonly cardTesting: CardTestingOperator
  readonly products: {
    /** Null for no such site. */
    list(siteId: bigint): Promise<{
      readonly catalogue: 'open' | 'strict'
      readonly products: readonly ProductSummary[]
    } | null>
    /** Adds the products of a file's text, all or none. */
    add(siteId: bigint, text: string): Promise<Result<object>>
    setActive(siteId: bigint, productId: string, active: boolean): Promise<Result<object>>
    setCatalogue(siteId: bigint, catalogue: 'open' | 'strict'): Promise<Result<object>>
  }
  /** The 3-D Secure settings of a site; null where there is no such site. */
  readonly threeDs: {
    show(siteId: bigint): Promise<ThreeDsPolicy | null>
    set(
      siteId: bigint,
      changes: Partial<ThreeDsPolicy>,
    ): Promise<Result<{ readonly policy: ThreeDsPolicy }>>
  }
  /** Batches of merchant accounts. */
  readonly batches: BatchOperator
  /** The operator's prices for merchants. */
  readonly fees: FeeOperator
  /** Clocks of test sites. */
  readonly clocks: ClockOperator
  readonly users: ApiUserAdmin
  /** The users of the portal. */
  readonly portalUsers: PortalUsersOperator
  /** The operators of the console. */
  readonly operators: OperatorsOperator
  /** The erasure of data after some days. */
  readonly retention: RetentionOperator
  /** Announces the end, so idle gateways apply what the command changed. */
  close(): Promise<void>
}

/** The part of the configuration that the commands need. */
export type OperatorOptions = KekSettings &
  Partial<OutwardSettings> & {
    readonly databaseUrl: Secret
    /** The node's memory of the database's servers; none where it is left out. */
    readonly cluster?: ClusterMemory
    /** 0, never, where it is left out. */
    readonly apiUserIdleDays?: number
    /** The portal's address for portal users' browsers; for links to it. */
    readonly portalUrl?: string
    /** The console's address for operators' browsers; empty where there is none. */
    readonly consoleUrl?: string
    readonly portal?: { readonly idleDays: number }
    /** Everything is kept where it is left out. */
    readonly retention?: RetentionDays
  }

/** The key-encrypting key is opened only where a secret is to be sealed. */
export async function openOperator(options: OperatorOptions): Promise<Operator> {
  const { databaseUrl, apiUserIdleDays = 0, portalUrl = '', portal, retention } = options
  // The query that needs a broken connection reports the cause.
  const database = openDatabase(addressOf(databaseUrl.reveal(), options.cluster), () => undefined)
  const { pool } = database
  try {
    await assertSchemaFits(pool, (await readMigrations(MIGRATIONS_FOLDER)).length)
  } catch (error) {
    await database.close()
    throw error
  }
  const by = { actor: operatorActor() }
  const catalogue = createChangeCatalogue(catalogueTransact(pool))
  const tokenKeys = createTokenKeys(createTokenKeyStore(pool))
  return {
    ...createMerchantPlaces(pool, by),
    listLinks: () => listLinks(pool),
    async putLink(text, folder) {
      const read = readLinkFile(text, pemsIn(folder), systemClock.now())
      if (!read.ok) return read
      const { link, warnings } = read
      const seal = await openSeal(pool, options)
      const sealed = await sealLink(link, (key, name) => seal.seal(key, linkKeyBinding(name)))
      const put = await createPutLink(linkTransact(pool))(sealed, by)
      if (!put.ok) return put
      return { ok: true, name: link.name, created: put.created, warnings: [...warnings] }
    },
    describeTokenKeys: (siteId) => tokenKeys.describe(BigInt(siteId)),
    async makeTokenKey(siteId) {
      const key = newSiteTokenKey()
      const seal = await openSeal(pool, options)
      const sealed = await seal.seal(key, tokenKeyBinding(BigInt(siteId)))
      const added = await tokenKeys.add(BigInt(siteId), sealed, by)
      return added.ok ? { ...added, key } : added
    },
    retireTokenKey: (siteId) => tokenKeys.retire(BigInt(siteId), by),
    async setTokenOrigins(siteId, origins) {
      const faults = originFaults(origins)
      if (faults.length > 0) return refused('invalid', faults)
      return tokenKeys.setOrigins(BigInt(siteId), origins, null, by)
    },
    cardTesting: createCardTestingOperator(pool, by),
    products: {
      list: (siteId) => listProducts(pool, siteId),
      async add(siteId, text) {
        const read = readProductFile(text)
        return read.ok ? catalogue.add(siteId, read.products, by) : read
      },
      setActive: (siteId, productId, active) => catalogue.setActive(siteId, productId, active, by),
      setCatalogue: (siteId, mode) => catalogue.setMode(siteId, mode, null, by),
    },
    threeDs: {
      show: (siteId) => readThreeDsPolicy(pool, siteId),
      async set(siteId, changes) {
        const faults = hostFaults(changes.returnHosts ?? [])
        if (faults.length > 0) return refused('invalid', faults)
        return createChangeThreeDsPolicy(threeDsPolicyTransact(pool))(siteId, changes, null, by)
      },
    },
    batches: createBatchOperator(pool),
    fees: createFeeOperator(pool),
    ...createMoneyOperator(database, pool, by.actor, () => openEvidenceSeal(pool, options)),
    clocks: createClockOperator(database),
    users: createApiUserAdmin({
      store: createApiUserStore(pool, apiUserIdleDays),
      by,
      portalUserId: null,
      generatePassword,
      passwordFaults,
      hashPassword,
      matchPassword,
    }),
    ...createOutwardOperator(pool, by, options, () => openSeal(pool, options)),
    portalUsers: createPortalUsersOperator(pool, portalUrl, portal?.idleDays ?? 0),
    operators: createOperatorsOperator(pool, options.consoleUrl ?? '', portal?.idleDays ?? 0),
    retention: createRetentionOperator(pool, retention),
    close: () => announceActivity(pool).then(() => database.close()),
  }
}
