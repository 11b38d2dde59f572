import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { LinkClient } from '@tollgate/iso8583'
import type { FastifyBaseLogger } from 'fastify'
import { createGatewayMetrics, type GatewayMetrics } from './adapters/metrics/gateway-metrics.ts'
import { createLoginJournal } from './adapters/credentials/login-journal.ts'
import { hashPassword, matchPassword } from './adapters/credentials/password-hash.ts'
import { createPasswordMemory } from './adapters/credentials/password-memory.ts'
import { createVerificationTurns } from './adapters/credentials/verification-turns.ts'
import { createAdjustmentStore } from './adapters/postgres/adjustment-store.ts'
import { createAdviceStore } from './adapters/postgres/advice-store.ts'
import { addressToCount } from './adapters/postgres/allowed-addresses.ts'
import { appendAudit, createAuditLog } from './adapters/postgres/audit-log.ts'
import { readAuditHead } from './adapters/postgres/audit-reader.ts'
import { awaitDatabase } from './adapters/postgres/await-database.ts'
import { createCardTestingStore } from './adapters/postgres/card-testing-store.ts'
import { isDatabaseAway, openDatabase } from './adapters/postgres/database.ts'
import { createCardTokenStore } from './adapters/postgres/card-token-store.ts'
import { createDatabaseState } from './adapters/postgres/database-state.ts'
import { createDirectory } from './adapters/postgres/directory.ts'
import { LaneFullError } from './adapters/postgres/group-lane.ts'
import { createIds } from './adapters/postgres/id-blocks.ts'
import { keepLateAnswer } from './adapters/postgres/late-answer-store.ts'
import { createLoginAttempts } from './adapters/postgres/login-failures.ts'
import { noteLoginUse } from './adapters/postgres/login-use.ts'
import { assertSchemaKnown, readMigrations } from './adapters/postgres/migrate.ts'
import { createOpenWork } from './adapters/postgres/open-work.ts'
import { createOrderReader } from './adapters/postgres/order-reader.ts'
import { createPaymentStore } from './adapters/postgres/payment-store.ts'
import { createProcessorLinkStore } from './adapters/postgres/processor-link-store.ts'
import { createRequestLogStore } from './adapters/postgres/request-log-store.ts'
import { createTokenSites } from './adapters/postgres/token-sites.ts'
import { createIso8583Processor } from './adapters/processor-iso8583/processor.ts'
import { createProcessorLinks } from './adapters/processor-iso8583/processor-links.ts'
import { createCardVault } from './adapters/vault/card-vault.ts'
import { openKeyEncryptingKeys } from './adapters/vault/key-encrypting-keys.ts'
import { KeysOutOfDateError, openKeyRing } from './adapters/vault/key-ring.ts'
import { newCardToken } from './adapters/vault/new-card-token.ts'
import { createReencryption } from './adapters/vault/reencryption.ts'
import { createSecretSeal, linkKeyBinding, tokenKeyBinding } from './adapters/vault/secret-seal.ts'
import { createSecurityCodeSeal } from './adapters/vault/security-code-seal.ts'
import { createSubjectDigest } from './adapters/vault/subject-digest.ts'
import { systemClock, type Clock } from './base/clock.ts'
import { Secret } from './base/secret.ts'
import type { ChangePorts } from './broken-rules.ts'
import type { GatewayConfig } from './config.ts'
import { watchCertificate } from './http/certificate-watch.ts'
import { connectionsThatFit, openFileLimit } from './http/connection-room.ts'
import { HTTP_LIMITS, type HttpLimits } from './http/http-limits.ts'
import { ACTION_NAMES } from './http/payment/actions.ts'
import { BROWSER_FILES_FOLDER, readBrowserFiles } from './http/hosted-field/browser-files.ts'
import { createRequestRate } from './http/request-rate.ts'
import { createHttpServers } from './http/server.ts'
import { TOKEN_ACTION } from './http/tokens/token-service.ts'
import { startWorker, type Job, type Worker } from './jobs/worker.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { createAdjustOrder } from './usecases/adjust-order.ts'
import { formatHead } from './usecases/audit-chain.ts'
import { createAuditServing } from './usecases/audit-serving.ts'
import { LoginsBusyError } from './usecases/attempts-under-way.ts'
import { createAuthenticate } from './usecases/authenticate.ts'
import { createCreateCardToken } from './usecases/create-card-token.ts'
import { createCardTestingDefence } from './usecases/card-testing-defence.ts'
import { createCardTestingReport } from './usecases/card-testing-report.ts'
import type { LinkStateView } from './usecases/processor-links.ts'
import { createAdviceDelivery } from './usecases/deliver-advices.ts'
import type { LateAnswer } from './usecases/late-answer.ts'
import { reencrypt } from './usecases/reencrypt.ts'
import { releaseAuthorizations } from './usecases/release-authorizations.ts'
import { resolveTransactions } from './usecases/resolve-transactions.ts'
import { createTakePayment } from './usecases/take-payment.ts'
import { createCardTokens } from './usecases/use-card-token.ts'

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
  /** Finishes open requests and what they queued, then lets go of everything. */
  stop(): Promise<void>
}

const WAIT_FOR_CLAIM_MS = 25_000
const LOOK_AT_CLAIM_EVERY_MS = 50
const RESOLVE_MARGIN_MS = 30_000
/** A gateway without its bank still captures, credits, voids and tells; so it starts. */
const WAIT_FOR_BANK_MS = 5_000
/** Counters whose window is over are of no use, and do no harm. */
const PURGE_EVERY_MS = 60_000
/** How long a change of the processor links may take to be seen by every process. */
const READ_LINKS_EVERY_MS = 2_000
/** How much of the audit log could at most be rewritten without a head noted in the program's log. */
const NOTE_AUDIT_HEAD_EVERY_MS = 3_600_000
/** Requests of unknown senders that a process keeps in the request log. */
const STRANGERS_KEPT = { perSecond: 1, burst: 1_000 }
const TIDY_LOGINS_EVERY_MS = 60_000
/** How long a renewed certificate may take to be seen. */
const READ_CERTIFICATE_EVERY_MS = 2_000
/** The same for data keys; what is under an unknown one makes a process look at once. */
const READ_KEYS_EVERY_MS = 2_000
const REENCRYPT_EVERY_MS = 3_000

async function isUpWithin(link: LinkClient, limitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), limitMs)
  const isUp = await Promise.race([link.whenUp().then(() => true), late])
  clearTimeout(timer)
  return isUp
}

/** What every process does for itself, over and over. */
function follow(name: string, everyMs: number, look: () => Promise<void>): Job {
  return { name, everyMs, run: () => look().then(() => false) }
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
  await awaitDatabase({
    ask: () => database.pool.query('select 1'),
    limitMs: config.databaseWaitMs,
    monotonicMs,
    pause,
    onWaiting: (reason, waitedS) =>
      logger.warn({ reason, waitedS }, 'waiting for the database at DATABASE_URL'),
  })
  await assertSchemaKnown(database.pool, (await readMigrations(MIGRATIONS_FOLDER)).length)

  const processName = `${hostname()}:${process.pid}`
  const keys = await openKeyRing({
    database: database.pool,
    keks: await openKeyEncryptingKeys(config),
    // Containers on one host may have its name and the same process ids.
    worker: `${processName}:${randomBytes(3).toString('hex')}`,
    monotonicMs,
    onTrouble: (trouble) => logger.error({ trouble }, 'a data key could not be loaded; the others are in use'),
  })
  const audit = createAuditLog(database)
  const actor = `gateway:${processName}`
  const serving = createAuditServing({
    actor,
    append: audit.append,
    readHead: () => readAuditHead(database.pool),
    onHead: (head) => logger.info({ auditHead: formatHead(head) }, 'audit log'),
    onTrouble: (sentence, error) => logger.error({ error: String(error) }, sentence),
  })
  const vault = createCardVault({
    keys,
    audit,
    actor,
    onUnreadable: ({ kind, id }, error) =>
      logger.error({ kind, id: id.toString(), error: error.message }, 'a card can not be read'),
  })
  const seal = createSecretSeal(keys)
  const ids = createIds(database.pool)
  const databaseState = createDatabaseState(database.pool, monotonicMs)
  const directory = createDirectory(database.pool, monotonicMs, config.apiUserIdleDays)
  const metrics = createGatewayMetrics([...ACTION_NAMES, TOKEN_ACTION])
  const onLateAnswer = (answer: LateAnswer): void => {
    metrics.countLateAnswer()
    logger.warn({ mti: answer.mti }, 'an answer of the bank came for no open request')
    keepLateAnswer(database.pool, answer, clock.now()).catch((error: unknown) =>
      logger.warn({ error: String(error) }, 'a late answer of the bank could not be kept'),
    )
  }
  const bank = createIso8583Processor({
    ...config.bank,
    acquirerId: config.bankInstitutionId,
    onStateChange: (state) => logger.info({ state }, 'bank link'),
    onLateAnswer,
  })
  bank.link.start()
  const links = createProcessorLinks({
    bank,
    openKey: (sealed, name) => seal.open(sealed, linkKeyBinding(name)),
    onStateChange: (link, state, lastError) =>
      logger[state === 'up' ? 'info' : 'error']({ link, state, lastError }, 'processor link'),
    onLateAnswer,
  })
  metrics.watchLinks(links.linkStates)
  const { changePorts = (ports) => ports } = options
  const { advices, payments, processor } = changePorts({
    advices: createAdviceStore(database.pool, vault, (advice, error) =>
      logger.error({ advice, error: String(error) }, 'an advice can not be sent: it stays queued'),
    ),
    payments: createPaymentStore(database),
    processor: metrics.watch(links),
  })
  const linkStore = createProcessorLinkStore(database.pool, processName)
  let reportedLinks = false
  const readLinks = async (): Promise<void> => {
    const inUse = await linkStore.findLinksInUse()
    for (const { tls } of inUse) if (tls?.client) await seal.prepare(tls.client.sealedKey)
    await links.use(inUse)
    const states = links.linkStates()
    // Without a link there is nothing to report, but the last report to take back.
    if (states.length > 1 || reportedLinks) await linkStore.reportStates(states)
    reportedLinks = states.length > 1
  }

  let worker: Worker | null = null
  const adviceQueued = (): void => worker?.wake('deliver advices')
  const reader = createOrderReader(database.pool, processor.retrievalReference)
  const adjustments = createAdjustmentStore(database, reader, clock)
  const requests = createRequestLogStore(database, (error) => {
    metrics.countLostLogEntry()
    logger.warn({ error: String(error) }, 'a request could not be kept in the request log')
  })
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex')
  const cardTokenStore = createCardTokenStore(database.pool)
  const codes = createSecurityCodeSeal(keys)
  const createCardToken = createCreateCardToken({
    store: cardTokenStore,
    vault,
    codes,
    clock,
    nextId: () => ids.next('cardToken'),
    newToken: newCardToken,
  })
  const cardTokens = createCardTokens({ store: cardTokenStore, vault, codes, clock, digest })
  const cardTesting = createCardTestingStore(database, (error) =>
    logger.warn({ error: String(error) }, 'a decline or a hit of the card-testing rules was not counted'),
  )
  const reportCardTesting = createCardTestingReport({
    monotonicMs,
    tell: (siteId, refused, payments, rules) =>
      logger.warn(
        { site: siteId.toString(), mode: refused ? 'enforce' : 'watch', payments, rules },
        refused ? 'card testing: payments are refused' : 'card testing: payments would be refused',
      ),
  })
  const keyedDigest = createSubjectDigest(vault)
  const takePayment = createTakePayment({
    cardTesting: createCardTestingDefence({
      store: cardTesting,
      digest: keyedDigest,
      onHit: (siteId, refused, rules) => {
        metrics.countCardTestingHit(siteId, refused)
        reportCardTesting(siteId, refused, rules)
      },
    }),
    store: payments,
    processor,
    vault,
    clock,
    nextId: ids.next,
    digest: keyedDigest,
    tokens: cardTokens,
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
  const adjustOrder = createAdjustOrder({
    store: adjustments,
    clock,
    nextId: ids.next,
    adviceQueued,
    findTransaction: reader.findTransaction,
    monotonicMs,
    pause,
  })
  const attempts = createLoginAttempts(
    { pool: database.pool, lane: database.lane('logins', { durable: false }), digest: keyedDigest },
    config.loginFailureLimit,
    monotonicMs,
  )
  const journal = createLoginJournal({
    audit,
    process: `gateway:${hostname()}:${process.pid}`,
    monotonicMs,
    digest: keyedDigest,
    onLost: (error) => logger.error({ error: String(error) }, 'a failed login could not be audited'),
  })
  const turns = createVerificationTurns()
  const authenticate = createAuthenticate({
    directory,
    memory: createPasswordMemory(monotonicMs),
    attempts,
    journal,
    enter: (address) => turns(addressToCount(address)),
    matchPassword,
    decoyHash: await hashPassword(new Secret('a password that nobody has')),
    noteUse: (user, password) => noteLoginUse(database.pool, user, password),
    pause,
  })
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
    deps: {
      authenticate,
      takePayment,
      adjustOrder,
      readOrder: reader.readOrder,
      updateOrder: reader.updateOrder,
      nextRequestId: () => ids.next('request'),
      logRequest: (entry) => {
        metrics.countRequest(entry)
        // A flood from nobody that we know must not fill the disk.
        if (entry.merchantId !== null || keepsStranger('')) requests.log(entry)
      },
      clock,
      machineClock: systemClock,
      allowRequest: createRequestRate(config.requestRate, monotonicMs),
      findTokenSite: createTokenSites(
        database.pool,
        async (sealed, siteId) => {
          await seal.prepare(sealed)
          return seal.open(sealed, tokenKeyBinding(siteId))
        },
        monotonicMs,
      ),
      createCardToken,
      allowTokenRequest: createRequestRate(config.requestRate, monotonicMs),
      isReady: () => true,
      health: async () => ({ database: await databaseState(), bankLink: bank.link.state() }),
      browserFiles: readBrowserFiles(BROWSER_FILES_FOLDER),
      countPageViolation: metrics.countPageViolation,
      isUnavailable: (error) =>
        error instanceof LaneFullError ||
        error instanceof LoginsBusyError ||
        error instanceof KeysOutOfDateError ||
        isDatabaseAway(error),
    },
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

  if (runJobs) {
    const work = createOpenWork(database.pool)
    const reencryption = createReencryption({ pool: database.pool, keys, actor, record: appendAudit })
    metrics.watchQueue(() => work.readQueueState(clock.now()))
    const shared = { clock, nextId: ids.next, adviceQueued }
    worker = startWorker(
      [
        {
          name: 'deliver advices',
          everyMs: 250,
          run: delivery.run,
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
          name: 'erase card tokens',
          everyMs: 15_000,
          run: () => cardTokenStore.eraseExpired(clock.now(), systemClock.now()),
        },
        {
          name: 're-encrypt cards',
          everyMs: REENCRYPT_EVERY_MS,
          run: () =>
            reencrypt({ reencryption, monotonicMs, pause, onMoved: metrics.countReencrypted }),
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
        { name: 'purge card testing', everyMs: PURGE_EVERY_MS, run: cardTesting.purge },
      ],
      (job, error) => {
        metrics.countJobFailure(job)
        logger.error({ job, error: String(error) }, 'a job failed and will run again')
      },
    )
  }

  const tidyLogins = async (): Promise<void> => {
    await journal.enterLeftOut()
    await attempts.forgetOld()
  }
  let followers: Worker | null = null

  async function stop(): Promise<void> {
    // The jobs take on nothing new; what they leave waits in the database for whoever runs next.
    await Promise.all([servers.close(), worker?.stop(), followers?.stop()])
    await Promise.all([bank.link.stop(), links.stop()])
    await delivery.idle()
    await journal.enterLeftOut().catch(() => undefined)
    const stores = [payments, adjustments, requests, cardTesting]
    await Promise.all(stores.map((store) => store.idle()))
    await serving.stopped()
    await audit.idle()
    await keys.leave().catch(() => undefined)
    await database.close()
  }

  try {
    const [isUp] = await Promise.all([isUpWithin(bank.link, WAIT_FOR_BANK_MS), readLinks()])
    if (!isUp) {
      logger.warn(
        { host: config.bank.host, port: config.bank.port },
        'the bank is not reached yet: payments fail with SERVICE 530 until it is',
      )
    }
    await serving.started()
    followers = startWorker(
      [
        follow('processor links', READ_LINKS_EVERY_MS, readLinks),
        follow('data keys', READ_KEYS_EVERY_MS, keys.refresh),
        follow('logins', TIDY_LOGINS_EVERY_MS, tidyLogins),
        ...(certificates === null
          ? []
          : [follow('certificate', READ_CERTIFICATE_EVERY_MS, certificates.look)]),
        follow('audit log', NOTE_AUDIT_HEAD_EVERY_MS, serving.noteHead),
      ],
      (what, error) => logger.error({ what, error: String(error) }, 'a job of this process failed'),
    )
    return {
      addresses: await servers.listen(),
      metrics,
      linkStates: links.linkStates,
      useTicketKeys: servers.useTicketKeys,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
