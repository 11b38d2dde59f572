import {
  AggregatorRegistry,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client'
import type { RequestLogEntry } from '../../usecases/audit/request-log.ts'
import type { LinkStateView } from '../../usecases/banks/processor-links.ts'
import type { QueueState } from '../../usecases/books/queue-state.ts'
import { BANK_BUCKETS, createBankMetrics, type WatchProcessor } from './bank-metrics.ts'
import { createPoolMetrics } from './database-metrics.ts'
import { createLinkMetrics } from './link-metrics.ts'
import { trafficMetrics, type TrafficMetrics } from './traffic-metrics.ts'

/**
 * The counters of one process. None holds card data, and no label holds a merchant's input.
 */
export interface GatewayMetrics extends TrafficMetrics {
  readonly registry: Registry
  countRequest(entry: RequestLogEntry): void
  readonly watch: WatchProcessor
  countLateAnswer(): void
  countLostLogEntry(): void
  countJobFailures(job: string, count: number): void
  countCardTestingHit(siteId: bigint, refused: boolean): void
  /** @param directive of the policy of the page with the card fields. */
  countPageViolation(directive: string): void
  /** Stored numbers and secrets that were moved to the active data key. */
  countReencrypted(count: number): void
  /** Reads the links' states whenever the metrics are asked for. */
  watchLinks(read: () => readonly LinkStateView[]): void
  /** Counts connections to the database whenever the metrics are asked for. */
  readonly watchPools: ReturnType<typeof createPoolMetrics>
  /** Reads the queue whenever the metrics are asked for. */
  watchQueue(read: () => Promise<QueueState>): void
  /** Reads the end of the certificate in use whenever the metrics are asked for. */
  watchCertificate(read: () => Date): void
  countLostThreeDsMessage(): void
  countRenewal(outcome: string): void
  /** Reads how late the latest renewal is whenever the metrics are asked for; seconds. */
  watchRenewals(read: () => Promise<number>): void
  readonly threeDs: ThreeDsCounters
}

/** The counters of 3-D Secure. */
export interface ThreeDsCounters {
  /** @param outcome a status of the protocol, or `unavailable`. */
  countAuthentication(mode: string, outcome: string, seconds: number): void
  countResult(outcome: string): void
  countAlarm(): void
  /** Reads the age of the card ranges whenever the metrics are asked for. */
  watchRanges(
    read: () => readonly { readonly directory: string; readonly ageSeconds: number }[],
  ): void
}

const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** @param actions every REQUEST_ACTION there is; any other is counted as `other`. */
export function createGatewayMetrics(actions: readonly string[]): GatewayMetrics {
  const registry = new Registry()
  const registers = [registry]
  const known = new Set(actions)
  const watchPools = createPoolMetrics(registers)
  collectDefaultMetrics({ register: registry, prefix: 'tollgate_' })

  const renewals = new Counter({
    name: 'tollgate_renewals_total',
    help: 'Membership charges, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const requests = new Counter({
    name: 'tollgate_requests_total',
    help: 'Requests to the payment address, by action, transaction state and HTTP status.',
    labelNames: ['action', 'state', 'http_status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'tollgate_request_seconds',
    help: 'Time from a complete request to its answer.',
    labelNames: ['action'],
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const lateAnswers = new Counter({
    name: 'tollgate_bank_late_answers_total',
    help: 'Answers of the bank that arrived after the timeout.',
    registers,
  })
  const lostLogEntries = new Counter({
    name: 'tollgate_request_log_lost_total',
    help: 'Requests that could not be stored in the request log.',
    registers,
  })
  const jobFailures = new Counter({
    name: 'tollgate_job_failures_total',
    help: 'Failed runs of a job; it runs again.',
    labelNames: ['job'],
    registers,
  })
  const cardTestingHits = new Counter({
    name: 'tollgate_card_testing_hits_total',
    help: 'Payments that velocity rules refused, or would have refused (watched).',
    labelNames: ['site', 'outcome'],
    registers,
  })
  const pageViolations = new Counter({
    name: 'tollgate_card_page_violations_total',
    help: 'Content that browsers blocked in the card field page, by policy directive.',
    labelNames: ['directive'],
    registers,
  })
  const reencrypted = new Counter({
    name: 'tollgate_vault_reencrypted_total',
    help: 'Stored card numbers and secrets that were re-encrypted under the active data key.',
    registers,
  })
  const authentications = new Counter({
    name: 'tollgate_three_ds_authentications_total',
    help: 'AReqs by outcome: the status of the answer, or unavailable without a valid one.',
    labelNames: ['mode', 'outcome'],
    registers,
  })
  const authenticationSeconds = new Histogram({
    name: 'tollgate_three_ds_authentication_seconds',
    help: 'Time from an AReq to its answer or timeout.',
    labelNames: ['mode'],
    buckets: BANK_BUCKETS,
    registers,
  })
  const challengeResults = new Counter({
    name: 'tollgate_three_ds_results_total',
    help: 'Challenge results of Directory Servers: stored, refused, or failed here.',
    labelNames: ['outcome'],
    registers,
  })
  const threeDsAlarms = new Counter({
    name: 'tollgate_three_ds_alarms_total',
    help: '3-D Secure errors that need an operator; the log has each of them.',
    registers,
  })
  const lostThreeDsMessages = new Counter({
    name: 'tollgate_three_ds_messages_lost_total',
    help: '3-D Secure messages that could not be stored.',
    registers,
  })
  const links = createLinkMetrics(registers)
  let readQueue: (() => Promise<QueueState>) | null = null
  let reading: Promise<void> | null = null
  const lookAtTheQueue = (): Promise<void> | undefined => {
    if (readQueue === null) return
    // Every gauge asks at once, and one look serves them all.
    reading ??= readQueue()
      .then(setQueue, () => {
        // The previous value is out of date.
        for (const gauge of [advices, oldestAdvice, mostTries, running, oldestRunning])
          gauge.reset()
      })
      .finally(() => (reading = null))
    return reading
  }
  // One process looks at the queue, and the others say 0.
  const fromTheQueue = { aggregator: 'max', registers, collect: lookAtTheQueue } as const
  const advices = new Gauge({
    name: 'tollgate_advices_queued',
    help: 'Advices (captures, refunds, reversals) that the bank has not acknowledged.',
    labelNames: ['kind'],
    ...fromTheQueue,
  })
  const oldestAdvice = new Gauge({
    name: 'tollgate_advices_oldest_seconds',
    help: 'Age of the oldest queued advice, in seconds.',
    labelNames: ['kind'],
    ...fromTheQueue,
  })
  const mostTries = new Gauge({
    name: 'tollgate_advices_most_tries',
    help: 'Highest number of attempts among queued advices.',
    labelNames: ['kind'],
    ...fromTheQueue,
  })
  const running = new Gauge({
    name: 'tollgate_transactions_running',
    help: 'Transactions without an outcome.',
    ...fromTheQueue,
  })
  const oldestRunning = new Gauge({
    name: 'tollgate_transactions_running_oldest_seconds',
    help: 'Age of the oldest transaction without an outcome, in seconds.',
    ...fromTheQueue,
  })

  function setQueue(state: QueueState): void {
    for (const queue of state.advices) {
      advices.set({ kind: queue.kind }, queue.count)
      oldestAdvice.set({ kind: queue.kind }, queue.oldestSeconds)
      mostTries.set({ kind: queue.kind }, queue.mostTries)
    }
    running.set(state.running.count)
    oldestRunning.set(state.running.oldestSeconds)
  }

  return {
    registry,
    countRequest({ action, state, httpStatus, tookMs }) {
      const name = known.has(action) ? action : 'other'
      requests.inc({ action: name, state: state || 'none', http_status: httpStatus })
      requestSeconds.observe({ action: name }, tookMs / 1_000)
    },
    watch: createBankMetrics(registers, links.nameOf),
    countLateAnswer: () => lateAnswers.inc(),
    countLostLogEntry: () => lostLogEntries.inc(),
    countJobFailures: (job, count) => jobFailures.inc({ job }, count),
    countCardTestingHit: (siteId, refused) =>
      cardTestingHits.inc({ site: siteId.toString(), outcome: refused ? 'refused' : 'watched' }),
    countPageViolation: (directive) => pageViolations.inc({ directive }),
    countReencrypted: (count) => reencrypted.inc(count),
    watchLinks: links.watch,
    watchPools,
    watchQueue: (read) => {
      readQueue = read
    },
    watchCertificate: (read) => {
      void new Gauge({
        name: 'tollgate_certificate_expires_seconds',
        help: 'Expiry of the certificate in use, in seconds since 1970; the earliest of all workers.',
        aggregator: 'min',
        registers,
        collect() {
          this.set(Math.floor(read().getTime() / 1_000))
        },
      })
    },
    countLostThreeDsMessage: () => lostThreeDsMessages.inc(),
    countRenewal: (outcome) => renewals.inc({ outcome }),
    watchRenewals: (read) => {
      void new Gauge({
        name: 'tollgate_renewals_overdue_seconds',
        help: 'Age of the oldest overdue renewal, in seconds; sites on real time only.',
        aggregator: 'max',
        registers,
        async collect() {
          try {
            this.set(await read())
          } catch {
            // Unknown while the database is away: what was last seen would be taken for true.
            this.reset()
          }
        },
      })
    },
    threeDs: {
      countAuthentication(mode, outcome, seconds) {
        authentications.inc({ mode, outcome })
        authenticationSeconds.observe({ mode }, seconds)
      },
      countResult: (outcome) => challengeResults.inc({ outcome }),
      countAlarm: () => threeDsAlarms.inc(),
      watchRanges: (read) => {
        void new Gauge({
          name: 'tollgate_three_ds_ranges_age_seconds',
          help: 'Time since the card ranges were last confirmed; the oldest of all workers.',
          labelNames: ['directory'],
          aggregator: 'max',
          registers,
          collect() {
            this.reset()
            for (const { ageSeconds, directory } of read()) this.set({ directory }, ageSeconds)
          },
        })
      },
    },
    ...trafficMetrics(registers),
  }
}

/** Answers the supervisor, which adds up what its workers have counted. */
export function answerForMetrics({ registry }: GatewayMetrics): void {
  AggregatorRegistry.setRegistries(registry)
  // Its constructor is what listens for the supervisor's question.
  void new AggregatorRegistry()
}
