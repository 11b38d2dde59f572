import type { FastifyBaseLogger } from 'fastify'
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { createGatewayMetrics, type GatewayMetrics } from '../adapters/metrics/gateway-metrics.ts'
import { createAuditLog } from '../adapters/postgres/audit/audit-log.ts'
import { readAuditHead } from '../adapters/postgres/audit/audit-reader.ts'
import { createRequestLogStore } from '../adapters/postgres/audit/request-log-store.ts'
import { expiringOrders } from '../adapters/postgres/clocks/site-clock-due.ts'
import { createSiteClocks } from '../adapters/postgres/clocks/site-clock-memory.ts'
import { awaitDatabase } from '../adapters/postgres/connection/await-database.ts'
import { createDatabaseState } from '../adapters/postgres/connection/database-state.ts'
import { isDatabaseAway, openDatabase } from '../adapters/postgres/connection/database.ts'
import { LaneFullError } from '../adapters/postgres/connection/group-lane.ts'
import { createIds } from '../adapters/postgres/connection/id-blocks.ts'
import { assertSchemaKnown, readMigrations } from '../adapters/postgres/connection/migrate.ts'
import { createMembershipStore } from '../adapters/postgres/memberships/membership-store.ts'
import { createMembershipSales } from '../adapters/postgres/memberships/product-store.ts'
import { createRebillHistories } from '../adapters/postgres/memberships/rebill-histories.ts'
import { createAdjustmentStore } from '../adapters/postgres/payments/adjustment-store.ts'
import { createAdviceStore } from '../adapters/postgres/payments/advice-store.ts'
import { createOrderReader } from '../adapters/postgres/payments/order-reader.ts'
import { createPaymentStore } from '../adapters/postgres/payments/payment-store.ts'
import { KeysOutOfDateError } from '../adapters/vault/key-ring.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import type { GatewayConfig } from '../config/config.ts'
import { BROWSER_FILES_FOLDER, readBrowserFiles } from '../http/hosted-field/browser-files.ts'
import { hostedField } from '../http/hosted-field/hosted-field.ts'
import { ACTION_NAMES } from '../http/payment/actions.ts'
import { pmtService } from '../http/payment/pmt-service.ts'
import { clockService } from '../http/sandbox/clock-service.ts'
import { watchCertificate } from '../http/servers/certificate-watch.ts'
import { connectionsThatFit, openFileLimit } from '../http/servers/connection-room.ts'
import { healthService } from '../http/servers/health.ts'
import { HTTP_LIMITS, type HttpLimits } from '../http/servers/http-limits.ts'
import { httpPlugin } from '../http/servers/http-plugin.ts'
import { createRequestRate } from '../http/servers/request-rate.ts'
import { createHttpServers } from '../http/servers/server.ts'
import { PREPARE_ACTION, prepareService } from '../http/three-ds/prepare-service.ts'
import { threeDsPages } from '../http/three-ds/three-ds-pages.ts'
import { TOKEN_ACTION, tokenService } from '../http/tokens/token-service.ts'
import { startWorker, type Job, type Worker } from '../jobs/worker.ts'
import { batchJobs } from '../portal/batches/routes/batches-routes.ts'
import { homeJobs } from '../portal/home/wire.ts'
import { wireActs } from '../portal/order/wire.ts'
import { reconJobs } from '../portal/reconciliation/routes/reconciliation-routes.ts'
import type { PortalRoute } from '../portal/shell/portal-route.ts'
import { portalService } from '../portal/shell/portal-service.ts'
import { formatHead } from '../usecases/audit/audit-chain.ts'
import { createAuditServing } from '../usecases/audit/audit-serving.ts'
import type { RequestLogEntry } from '../usecases/audit/request-log.ts'
import type { LinkStateView } from '../usecases/banks/processor-links.ts'
import { dueAuthorizations } from '../usecases/clocks/due-orders.ts'
import { LoginsBusyError } from '../usecases/logins/attempts-under-way.ts'
import { createChangeMembership } from '../usecases/memberships/change-membership.ts'
import { createAdjustOrder } from '../usecases/payments/adjust-order.ts'
import { createAdviceDelivery } from '../usecases/payments/deliver-advices.ts'
import { createTakePayment } from '../usecases/payments/take-payment.ts'
import { wireBanks } from './banks.ts'
import type { ChangePorts } from './broken-rules.ts'
import { wireCardTesting } from './card-testing.ts'
import { wireCardTokens } from './card-tokens.ts'
import { pause, type Foundation } from './foundation.ts'
import { startJobs } from './jobs.ts'
import { wireLogins } from './logins.ts'
import { retryWithNewExpiry, wireMemberships, wireRenewalStore } from './memberships.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { wirePortal } from './portal.ts'
import { wireRequestVolume } from './request-volume.ts'
import { wireSiteClocks } from './site-clocks.ts'
import { wireThreeDs } from './three-ds.ts'
import { wireVault } from './vault.ts'

export interface GatewayOptions {
  readonly config: GatewayConfig
  readonly databaseUrl: string
  /** Whether this process does the jobs too. */
  readonly runJobs: boolean
  readonly logger: FastifyBaseLogger
  readonly clock?: Clock
  /** For the torture run, which breaks a rule to see that it is missed. */
  readonly changePorts?: ChangePorts
  /** For tests that want time-outs shorter than they are. */
  readonly httpLimits?: Partial<HttpLimits>
}

export interface Gateway {
  /** Plain HTTP first. */
  readonly addresses: readonly string[]
  readonly metrics: GatewayMetrics
  /** The bundled bank first, then every processor link in use. */
  linkStates(): LinkStateView[]
  /** 48 secret bytes that seal TLS session tickets, the same for every worker. */
  useTicketKeys(keys: Buffer): void
  /** What the portal's API answers, for whoever wants to ask all of it. */
  readonly portalRoutes: readonly PortalRoute[]
  /** Finishes open requests and what they queued, then lets go of everything. */
  stop(): Promise<void>
}

const WAIT_FOR_CLAIM_MS = 25_000
const LOOK_AT_CLAIM_EVERY_MS = 50
/** Counters whose window is over are of no use, and do no harm. */
const PURGE_EVERY_MS = 60_000
/** Advices are taken by the hundred rather than as they come. */
const GATHER_ADVICES_MS = 20
const ERASE_TOKENS_EVERY_MS = 15_000
const REENCRYPT_EVERY_MS = 3_000
/** How long a change of the processor links may take to be seen by every process. */
const READ_LINKS_EVERY_MS = 2_000
/** The same for data keys; what is under an unknown one makes a process look at once. */
const READ_KEYS_EVERY_MS = 2_000
/** How long a renewed certificate may take to be seen. */
const READ_CERTIFICATE_EVERY_MS = 2_000
/**
 * How much of the audit log could at most be rewritten without a head noted in the program's log.
 */
const NOTE_AUDIT_HEAD_EVERY_MS = 3_600_000
const TIDY_LOGINS_EVERY_MS = 60_000
/** What somebody did in the portal while a process died is known after a while. */
const RECOVER_ACTS_EVERY_MS = 30_000
/** Requests of unknown senders that a process keeps in the request log. */
const STRANGERS_KEPT = { perSecond: 1, burst: 1_000 }

/** Whether an error means that nothing was accepted, and that trying again may help. */
function isUnavailable(error: unknown): boolean {
  return (
    error instanceof LaneFullError ||
    error instanceof LoginsBusyError ||
    error instanceof KeysOutOfDateError ||
    isDatabaseAway(error)
  )
}

/** What every process does for itself, over and over. */
function follow(name: string, everyMs: number, look: () => Promise<void>): Job {
  return { name, everyMs, run: () => look().then(() => false) }
}

/** Wires everything and starts serving; the database must have been prepared. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, logger } = options
  const foundation = await layFoundation(options)
  const { database, audit, ids, metrics, clock, monotonicMs, actor } = foundation
  const serving = createAuditServing({
    actor,
    append: audit.append,
    readHead: () => readAuditHead(database.pool),
    onHead: (head) => logger.info({ auditHead: formatHead(head) }, 'audit log'),
    onTrouble: (sentence, error) => logger.error({ error: String(error) }, sentence),
  })
  const vaultParts = await wireVault(foundation)
  const { keys, vault, seal, keyedDigest } = vaultParts
  const banks = wireBanks(foundation, seal)
  const { changePorts = (ports) => ports } = options
  const renewalStore = wireRenewalStore(foundation)
  const {
    advices,
    payments,
    processor,
    renewals: watchedRenewals,
  } = changePorts({
    renewals: renewalStore,
    advices: createAdviceStore(database.lane('advices'), vault, (advice, error) =>
      logger.error({ advice, error: String(error) }, 'an advice can not be sent: it stays queued'),
    ),
    payments: createPaymentStore(database),
    processor: metrics.watch(banks.processor),
  })

  let worker: Worker | null = null
  const adviceQueued = (): void => worker?.wake('deliver advices')
  const reader = createOrderReader(database.pool, processor.retrievalReference)
  const adjustments = createAdjustmentStore(database, reader)
  const requests = createRequestLogStore(database, (error) => {
    metrics.countLostLogEntry()
    logger.warn({ error: String(error) }, 'a request could not be kept in the request log')
  })
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
  const tokens = wireCardTokens(foundation, vaultParts, digest)
  const threeDs = wireThreeDs(foundation, vaultParts, tokens.cardTokens)
  const cardTesting = wireCardTesting(foundation, keyedDigest)
  const memberships = createMembershipSales(database.pool)
  const takePayment = createTakePayment({
    cardTesting: cardTesting.defence,
    threeDs: threeDs.payments,
    store: payments,
    processor,
    vault,
    clock,
    nextId: ids.next,
    digest: keyedDigest,
    tokens: tokens.cardTokens,
    memberships,
    rebills: createRebillHistories(database.pool),
    cardRenewed: retryWithNewExpiry(foundation, watchedRenewals),
    findTransaction: reader.findTransaction,
    awaitClaim: async (waitedMs) => {
      await pause(LOOK_AT_CLAIM_EVERY_MS)
      return waitedMs < WAIT_FOR_CLAIM_MS
    },
    adviceQueued,
    monotonicMs,
    pause,
    bankTimeoutMs: config.bankTimeoutMs,
  })
  const changeMembership = createChangeMembership({
    store: createMembershipStore(database.pool),
    products: memberships,
    cards: payments,
    vault,
    monotonicMs,
    pause,
  })
  const adjustOrder = createAdjustOrder({
    store: adjustments,
    clock,
    nextId: ids.next,
    adviceQueued,
    findTransaction: reader.findTransaction,
    monotonicMs,
    pause,
  })
  const renewals = wireMemberships(foundation, {
    takePayment,
    adjustOrder,
    store: watchedRenewals,
  })
  const siteClocks = wireSiteClocks(
    foundation,
    [
      dueAuthorizations(expiringOrders(database.pool), {
        store: adjustments,
        clock,
        nextId: ids.next,
        adviceQueued,
      }),
      tokens.dueTokens,
      threeDs.dueAuthentications,
      renewals.due,
    ],
    (job) => worker?.wake(job),
  )
  const logins = await wireLogins(foundation, keyedDigest)
  const volume = wireRequestVolume(foundation)
  const keepsStranger = createRequestRate(STRANGERS_KEPT, monotonicMs)
  const { tls } = config
  const certificates =
    tls === null
      ? null
      : await watchCertificate({
          files: tls,
          clock,
          logger,
          onChange: (certificate) => servers.useCertificate(certificate),
        })
  const connections = connectionsThatFit(config.maxConnections, openFileLimit())
  if (connections < config.maxConnections) {
    logger.warn(
      { asked: config.maxConnections, connections },
      'the limit of open files leaves room for fewer connections than MAX_CONNECTIONS',
    )
  }
  const portalUses = {
    takePayment,
    adjustOrder,
    changeMembership,
    logRequest: requests.log,
    findTokenSite: tokens.findTokenSite,
    clockUses: siteClocks.http,
    linkStates: banks.linkStates,
    seal,
  }
  const portal = wirePortal(foundation, vaultParts, portalUses)
  const databaseState = createDatabaseState(database.pool, monotonicMs)
  const access = {
    authenticate: logins.authenticate,
    allowRequest: (userId: bigint) => volume.allow(`user ${userId}`),
  }
  const formAddress = {
    nextRequestId: () => ids.next('request'),
    logRequest: (entry: RequestLogEntry): void => {
      metrics.countRequest(entry)
      // A flood from nobody that we know must not fill the disk.
      if (entry.merchantId !== null || keepsStranger('')) requests.log(entry)
    },
    clock,
    isUnavailable,
  }
  const servers = createHttpServers({
    http: config.http,
    https: tls && certificates && { ...tls, certificate: certificates.certificate },
    trustedProxies: config.trustProxy,
    logger,
    httpsOnly: config.mode === 'production',
    limits: {
      ...HTTP_LIMITS,
      connections,
      connectionsPerAddress: config.maxConnectionsPerAddress,
      ...options.httpLimits,
    },
    plugins: [
      httpPlugin(pmtService, {
        ...access,
        ...formAddress,
        takePayment,
        adjustOrder,
        changeMembership,
        readOrder: reader.readOrder,
        updateOrder: reader.updateOrder,
      }),
      httpPlugin(tokenService, {
        ...formAddress,
        machineClock: systemClock,
        findTokenSite: tokens.findTokenSite,
        createCardToken: tokens.createCardToken,
        allowTokenRequest: (siteId) => volume.allow(`site ${siteId}`),
      }),
      httpPlugin(healthService, {
        health: async () => ({ database: await databaseState(), bankLink: banks.bankState() }),
      }),
      httpPlugin(hostedField, {
        browserFiles: readBrowserFiles(BROWSER_FILES_FOLDER),
        findTokenSite: tokens.findTokenSite,
        isUnavailable,
        countPageViolation: metrics.countPageViolation,
      }),
      httpPlugin(prepareService, { ...access, ...formAddress, ...threeDs.http }),
      httpPlugin(threeDsPages, { ...threeDs.http, isUnavailable }),
      httpPlugin(clockService, { ...access, ...siteClocks.http, isUnavailable }),
      httpPlugin(portalService, { ...portal.http, isUnavailable }),
    ],
  })

  metrics.watchConnections(servers.connections)
  if (certificates !== null) metrics.watchCertificate(() => certificates.validTo)

  const delivery = createAdviceDelivery({
    store: advices,
    processor,
    clock,
    bankTimeoutMs: config.bankTimeoutMs,
    onDisagreement: (advice, responseCode) =>
      logger.error(
        { advice: advice.id.toString(), kind: advice.request.kind, responseCode },
        'the bank refused an advice: its books and ours differ for this order',
      ),
    onAcknowledged: adviceQueued,
  })

  if (options.runJobs) {
    worker = startJobs(foundation, {
      payments,
      adjustments,
      adviceQueued,
      others: [
        { name: 'deliver advices', everyMs: 250, restMs: GATHER_ADVICES_MS, run: delivery.run },
        { name: 'erase card tokens', everyMs: ERASE_TOKENS_EVERY_MS, run: tokens.eraseExpired },
        { name: 're-encrypt cards', everyMs: REENCRYPT_EVERY_MS, run: vaultParts.reencrypt },
        { name: 'purge card testing', everyMs: PURGE_EVERY_MS, run: cardTesting.counters.purge },
        ...volume.jobs,
        ...renewals.jobs,
        ...threeDs.jobs,
        ...siteClocks.jobs,
        ...batchJobs(foundation),
        ...homeJobs(foundation),
        ...reconJobs(foundation, options.databaseUrl),
      ],
    })
  }

  let followers: Worker | null = null

  async function stop(): Promise<void> {
    // The jobs take on nothing new; what they leave waits in the database for whoever runs next.
    await Promise.all([servers.close(), worker?.stop(), followers?.stop(), siteClocks.stop()])
    await threeDs.stop()
    await banks.stop()
    await delivery.idle()
    await logins.finish()
    const stores = [
      payments,
      adjustments,
      requests,
      cardTesting.counters,
      volume,
      renewalStore,
      portal,
    ]
    await Promise.all(stores.map((store) => store.idle()))
    await serving.stopped()
    await audit.idle()
    await keys.leave().catch(() => undefined)
    await database.close()
  }

  try {
    await banks.connect()
    await serving.started()
    await threeDs.start()
    followers = startWorker(
      [
        follow('processor links', READ_LINKS_EVERY_MS, banks.readLinks),
        follow('data keys', READ_KEYS_EVERY_MS, keys.refresh),
        follow('logins', TIDY_LOGINS_EVERY_MS, logins.tidy),
        follow('portal', TIDY_LOGINS_EVERY_MS, portal.tidy),
        ...(certificates === null
          ? []
          : [follow('certificate', READ_CERTIFICATE_EVERY_MS, certificates.look)]),
        ...threeDs.followers,
        follow(
          'acts of people',
          RECOVER_ACTS_EVERY_MS,
          wireActs(foundation, portalUses).recoverForgotten,
        ),
        follow('audit log', NOTE_AUDIT_HEAD_EVERY_MS, serving.noteHead),
      ],
      (what, error) => logger.error({ what, error: String(error) }, 'a job of this process failed'),
    )
    return {
      addresses: await servers.listen(),
      metrics,
      linkStates: banks.linkStates,
      useTicketKeys: servers.useTicketKeys,
      portalRoutes: portal.http.portal.routes,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Waits for the database, and makes what every part leans on. */
async function layFoundation(options: GatewayOptions): Promise<Foundation> {
  const { config, logger } = options
  const monotonicMs = (): number => performance.now()
  const database = openDatabase(options.databaseUrl, (error) =>
    logger.warn({ error: error.message }, 'a database connection was lost'),
  )
  await awaitDatabase({
    ask: () => database.pool.query('select 1'),
    limitMs: config.databaseWaitMs,
    monotonicMs,
    pause,
    onWaiting: (reason, waitedS) =>
      logger.warn({ reason, waitedS }, 'waiting for the database at DATABASE_URL'),
  })
  await assertSchemaKnown(database.pool, (await readMigrations(MIGRATIONS_FOLDER)).length)

  const clock = options.clock ?? systemClock
  const processName = `${hostname()}:${process.pid}`
  return {
    config,
    logger,
    database,
    audit: createAuditLog(database),
    ids: createIds(database.pool),
    metrics: createGatewayMetrics([...ACTION_NAMES, TOKEN_ACTION, PREPARE_ACTION]),
    clock,
    siteClocks: createSiteClocks(database.pool, clock, monotonicMs),
    monotonicMs,
    processName,
    actor: `gateway:${processName}`,
  }
}
