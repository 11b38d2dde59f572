import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { createPasswordMemory } from './adapters/credentials/password-memory.ts'
import { hashPassword } from './adapters/credentials/password-hash.ts'
import { createAdjustmentStore } from './adapters/postgres/adjustment-store.ts'
import { createAdviceStore } from './adapters/postgres/advice-store.ts'
import { isDatabaseAway, openDatabase } from './adapters/postgres/database.ts'
import { createDirectory } from './adapters/postgres/directory.ts'
import { LaneFullError } from './adapters/postgres/group-lane.ts'
import { createIds } from './adapters/postgres/id-blocks.ts'
import { createLoginFailures } from './adapters/postgres/login-failures.ts'
import { assertSchemaKnown, readMigrations } from './adapters/postgres/migrate.ts'
import { createOpenWork } from './adapters/postgres/open-work.ts'
import { createOrderReader } from './adapters/postgres/order-reader.ts'
import { createPaymentStore } from './adapters/postgres/payment-store.ts'
import { createRequestLogStore } from './adapters/postgres/request-log-store.ts'
import { createIso8583Processor } from './adapters/processor-iso8583/processor.ts'
import { createCardVault } from './adapters/vault/card-vault.ts'
import { loadDataKeys } from './adapters/vault/data-keys.ts'
import { createLocalKeyWrapper } from './adapters/vault/key-wrapper.ts'
import { systemClock, type Clock } from './base/clock.ts'
import { invariant } from './base/invariant.ts'
import { Secret } from './base/secret.ts'
import type { ChangePorts } from './broken-rules.ts'
import type { GatewayConfig } from './config.ts'
import { readCertificate } from './http/certificate.ts'
import { createRequestRate } from './http/request-rate.ts'
import { createHttpServers } from './http/server.ts'
import { startWorker, type Worker } from './jobs/worker.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { createAdjustOrder } from './usecases/adjust-order.ts'
import { createAuthenticate } from './usecases/authenticate.ts'
import { deliverAdvices } from './usecases/deliver-advices.ts'
import { releaseAuthorizations } from './usecases/release-authorizations.ts'
import { resolveTransactions } from './usecases/resolve-transactions.ts'
import { createTakePayment } from './usecases/take-payment.ts'

export interface GatewayOptions {
  readonly config: GatewayConfig
  readonly databaseUrl: string
  /** Whether this process does the jobs too. */
  readonly runJobs: boolean
  readonly logger: FastifyBaseLogger
  readonly clock?: Clock
  /** For the torture run, which breaks a rule to see that it is missed. */
  readonly changePorts?: ChangePorts
}

export interface Gateway {
  /** Plain HTTP first. */
  readonly addresses: readonly string[]
  /** Finishes open requests and what they queued, then lets go of everything. */
  stop(): Promise<void>
}

const WAIT_FOR_CLAIM_MS = 25_000
const LOOK_AT_CLAIM_EVERY_MS = 50
const RESOLVE_MARGIN_MS = 30_000
/** With the bank's time-out this stays below the time in which a merchant is answered. */
const TRY_DATABASE_TIMES = 16
const TRY_DATABASE_EVERY_MS = 250

async function waitForDatabase(waitedTimes: number): Promise<boolean> {
  if (waitedTimes >= TRY_DATABASE_TIMES) return false
  await pause(TRY_DATABASE_EVERY_MS)
  return true
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Wires everything and starts serving; the database must have been prepared. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, logger, runJobs } = options
  const clock = options.clock ?? systemClock
  const monotonicMs = (): number => performance.now()
  const database = openDatabase(options.databaseUrl, (error) =>
    logger.warn({ error: error.message }, 'a database connection was lost'),
  )
  await assertSchemaKnown(database.pool, (await readMigrations(MIGRATIONS_FOLDER)).length)

  invariant(config.vaultKey !== null, 'the gateway was started without a vault key')
  const wrapper = createLocalKeyWrapper(Buffer.from(config.vaultKey.reveal(), 'base64'))
  const vault = createCardVault(await loadDataKeys(database.pool, wrapper))
  const ids = createIds(database.pool)
  const directory = createDirectory(database.pool, monotonicMs)
  const { changePorts = (ports) => ports } = options
  const { advices, payments, processor } = changePorts({
    advices: createAdviceStore(database.pool, vault),
    payments: createPaymentStore(database),
    processor: createIso8583Processor({
      ...config.bank,
      acquirerId: '414000',
      onStateChange: (state) => logger.info({ state }, 'bank link'),
      onUnmatched: () => logger.warn('an answer of the bank came for no open request'),
    }),
  })
  processor.link.start()

  let worker: Worker | null = null
  const adviceQueued = (): void => worker?.wake('deliver advices')
  const reader = createOrderReader(database.pool, processor.retrievalReference)
  const adjustments = createAdjustmentStore(database, reader, clock)
  const requests = createRequestLogStore(database, (error) =>
    logger.warn({ error: String(error) }, 'a request could not be kept in the request log'),
  )
  const takePayment = createTakePayment({
    store: payments,
    processor,
    vault,
    clock,
    nextId: ids.next,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    findTransaction: reader.findTransaction,
    awaitClaim: async (waitedMs) => {
      await pause(LOOK_AT_CLAIM_EVERY_MS)
      return waitedMs < WAIT_FOR_CLAIM_MS
    },
    adviceQueued,
    waitForDatabase,
    bankTimeoutMs: config.bankTimeoutMs,
  })
  const adjustOrder = createAdjustOrder({
    store: adjustments,
    clock,
    nextId: ids.next,
    adviceQueued,
    findTransaction: reader.findTransaction,
    waitForDatabase,
  })
  const authenticate = createAuthenticate({
    findUser: directory.findUser,
    findSite: directory.findSite,
    passwordMatches: createPasswordMemory(monotonicMs),
    decoyHash: await hashPassword(new Secret('a password that nobody has')),
    failures: createLoginFailures(database.pool, config.loginFailureLimit, monotonicMs),
  })
  const { tls } = config
  const servers = createHttpServers({
    http: config.http,
    https: tls === null ? null : { ...tls, certificate: readCertificate(tls.certFile, tls.keyFile) },
    trustedProxies: config.trustProxy,
    logger,
    deps: {
      authenticate,
      takePayment,
      adjustOrder,
      readOrder: reader.readOrder,
      updateOrder: reader.updateOrder,
      nextRequestId: () => ids.next('request'),
      logRequest: requests.log,
      clock,
      allowRequest: createRequestRate(config.requestRate, monotonicMs),
      isReady: () => true,
      isUnavailable: (error) => error instanceof LaneFullError || isDatabaseAway(error),
    },
  })

  if (runJobs) {
    const work = createOpenWork(database.pool)
    const shared = { clock, nextId: ids.next, adviceQueued }
    worker = startWorker(
      [
        {
          name: 'deliver advices',
          everyMs: 250,
          run: () =>
            deliverAdvices({
              store: advices,
              processor,
              clock,
              bankTimeoutMs: config.bankTimeoutMs,
              onDisagreement: (advice, responseCode) =>
                logger.error(
                  { advice: advice.id.toString(), kind: advice.request.kind, responseCode },
                  'the bank refused an advice: its books and ours differ for this order',
                ),
            }),
        },
        {
          name: 'resolve transactions',
          everyMs: 5_000,
          run: () =>
            resolveTransactions({
              ...shared,
              findOpen: work.findOpenTransactions,
              conclude: payments.conclude,
              olderThanMs: config.bankTimeoutMs + RESOLVE_MARGIN_MS,
            }),
        },
        {
          name: 'release authorizations',
          everyMs: 1_000,
          run: () =>
            releaseAuthorizations({
              ...shared,
              findExpired: work.findExpiredOrders,
              store: adjustments,
            }),
        },
      ],
      (job, error) => logger.error({ job, error: String(error) }, 'a job failed and will run again'),
    )
  }

  async function stop(): Promise<void> {
    await servers.close()
    await worker?.stop()
    await processor.link.stop()
    await Promise.all([payments.idle(), adjustments.idle(), requests.idle()])
    await database.close()
  }

  try {
    await processor.link.whenUp()
    return { addresses: await servers.listen(), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
