import { expiringOrders } from '../adapters/postgres/clocks/site-clock-due.ts'
import { createExpiringOrders } from '../adapters/postgres/events/expiring-orders.ts'
import { createRebillHistories } from '../adapters/postgres/memberships/rebill-histories.ts'
import {
  createAccountVolumes,
  sweepAccountVolumes,
} from '../adapters/postgres/payments/account-volume-store.ts'
import { createAdjustmentStore } from '../adapters/postgres/payments/adjustment-store.ts'
import { createIdempotencyKeys } from '../adapters/postgres/payments/idempotency-keys.ts'
import { createOpenWork } from '../adapters/postgres/payments/open-work.ts'
import { createOrderEvents } from '../adapters/postgres/payments/order-events.ts'
import { createOrderReader } from '../adapters/postgres/payments/order-reader.ts'
import { findReferenced } from '../adapters/postgres/payments/reference-claims.ts'
import type { FairTurns } from '../http/payment/fair-turns.ts'
import type { PmtServiceDeps } from '../http/payment/pmt-service.ts'
import type { Job } from '../jobs/worker.ts'
import type { VelocityRules } from '../usecases/card-testing/velocity-rules.ts'
import type { CardTokens } from '../usecases/card-tokens/use-card-token.ts'
import { dueAuthorizations } from '../usecases/clocks/due-orders.ts'
import type { DueSource } from '../usecases/clocks/due-source.ts'
import type { MembershipSales } from '../usecases/memberships/sold-memberships.ts'
import type { SiteInTime } from '../usecases/merchants/merchant-directory.ts'
import {
  createAdjustNamedOrder,
  type AdjustNamedOrderDeps,
} from '../usecases/payments/adjust-named-order.ts'
import { createAdjustOrder } from '../usecases/payments/adjust-order.ts'
import type { AdjustOrder } from '../usecases/payments/adjustment-command.ts'
import { createAdviceDelivery } from '../usecases/payments/deliver-advices.ts'
import type { TakePayment } from '../usecases/payments/payment-command.ts'
import {
  releaseAuthorizations,
  releaseOrders,
} from '../usecases/payments/release-authorizations.ts'
import { resolveTransactions } from '../usecases/payments/resolve-transactions.ts'
import { createTakePayment } from '../usecases/payments/take-payment.ts'
import type { ThreeDsDeps } from '../usecases/three-ds/three-ds-deps.ts'
import type { CardVault } from '../usecases/vault/card-vault.ts'
import { NUMBER_EVENTS } from './events.ts'
import { pause, type Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import type { GatewayPorts } from './ports.ts'
import type { Traces } from './traces.ts'
import { lendWhileAuthenticating } from './turns.ts'

const WAIT_FOR_CLAIM_MS = 25_000
const LOOK_AT_CLAIM_EVERY_MS = 50
/** Advices are taken by the hundred rather than as they come. */
const GATHER_ADVICES_MS = 20
const RESOLVE_MARGIN_MS = 30_000
const DELIVER = 'deliver advices'
/** Each step that queues or ends an advice has made a fact too. */
const OF_ADVICES = [DELIVER, NUMBER_EVENTS]

/** The dependencies of payments. */
export interface PaymentNeeds {
  readonly ports: GatewayPorts
  readonly vault: CardVault
  readonly keyedDigest: (text: string) => string
  readonly cardTesting: VelocityRules
  readonly threeDs: ThreeDsDeps
  readonly cardTokens: CardTokens
  readonly memberships: MembershipSales
  /** A card has another expiry: what waits for it is tried again. */
  readonly cardRenewed: (cardId: bigint, at: Date) => Promise<void>
  /** A payment that waits lends its turn. */
  readonly turns: Pick<FairTurns<bigint>, 'lend'>
  readonly traces: Pick<Traces, 'payments'>
  /** Has a job look at once. */
  readonly wake: (job: string) => void
}

export interface Payments extends Part {
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustOrder
  /** Orders as the payment address reads, updates and adjusts them. */
  readonly orders: Pick<PmtServiceDeps, 'adjustOrder' | 'readOrder' | 'updateOrder'>
  /** Authorizations that expire by clocks of test sites. */
  readonly due: DueSource
  /** Releases one that has expired by the site's clock. */
  readonly releaseExpired: (site: SiteInTime, orderId: bigint) => Promise<void>
}

/** Stores whose statements reach their rows by key. */
function storesByKey({ byKey }: Foundation['database']) {
  return {
    keys: createIdempotencyKeys(byKey),
    rebills: createRebillHistories(byKey),
    volumes: createAccountVolumes(byKey),
  }
}

/** Payments, adjustments of orders, and the advices that follow from both. */
export function wirePayments(foundation: Foundation, given: PaymentNeeds): Payments {
  const needs = given.traces.payments(given)
  const { clock, config, database, ids, logger, monotonicMs, siteClocks } = foundation
  const { advices, payments, processor } = needs.ports
  const { bankTimeoutMs } = config
  const lentPause = (ms: number): Promise<void> => needs.turns.lend(() => pause(ms))
  const adviceQueued = (): void => OF_ADVICES.forEach((job) => needs.wake(job))
  const reader = createOrderReader(database.byKey, processor.retrievalReference)
  const adjustments = createAdjustmentStore(database, reader)
  const work = createOpenWork(database.pool)
  const shared = { clock, nextId: ids.next, adviceQueued }
  const release = { ...shared, store: adjustments }
  const delivery = createAdviceDelivery({
    store: advices,
    processor,
    clock,
    bankTimeoutMs,
    onDisagreement: (advice, responseCode) =>
      logger.error(
        { advice: advice.id.toString(), kind: advice.request.kind, responseCode },
        'the bank refused an advice: the books differ for this order',
      ),
    onAcknowledged: adviceQueued,
    recorded: needs.recorded,
  })
  const { findTransaction } = reader
  const adjustOrder = createAdjustOrder({ ...release, findTransaction, monotonicMs, pause })
  return {
    takePayment: createTakePayment({
      ...shared,
      cardTesting: needs.cardTesting,
      threeDs: lendWhileAuthenticating(needs.threeDs, needs.turns),
      store: payments,
      processor,
      vault: needs.vault,
      digest: needs.keyedDigest,
      tokens: needs.cardTokens,
      memberships: needs.memberships,
      ...storesByKey(database),
      cardRenewed: needs.cardRenewed,
      findTransaction,
      awaitClaim: async (waitedMs) => {
        await lentPause(LOOK_AT_CLAIM_EVERY_MS)
        return waitedMs < WAIT_FOR_CLAIM_MS
      },
      monotonicMs,
      pause: lentPause,
      bankTimeoutMs,
    }),
    adjustOrder,
    orders: orderActions(foundation, needs, adjustOrder, findTransaction),
    ...dueOf(database.pool, release),
    jobs: [
      {
        name: 'resolve transactions',
        everyMs: 5_000,
        async run() {
          await work.forgetConcluded()
          return resolveTransactions({
            ...shared,
            siteClocks,
            findOpen: work.findOpenTransactions,
            conclude: payments.conclude,
            olderThanMs: bankTimeoutMs + RESOLVE_MARGIN_MS,
          })
        },
      },
      releaseJob(work, release),
      sweepVolumes(database),
      { name: DELIVER, everyMs: 250, restMs: GATHER_ADVICES_MS, run: delivery.run },
    ],
    async stop() {
      await delivery.idle()
      await Promise.all([payments.idle(), adjustments.idle()])
    },
  }
}

function releaseJob(
  work: ReturnType<typeof createOpenWork>,
  release: Omit<Parameters<typeof releaseAuthorizations>[0], 'findExpired'>,
): Job {
  return {
    name: 'release authorizations',
    everyMs: 1_000,
    run: () => releaseAuthorizations({ ...release, findExpired: work.findExpiredOrders }),
  }
}

function sweepVolumes({ pool }: Foundation['database']) {
  return {
    name: 'sweep account volumes',
    everyMs: 3_600_000,
    run: () => sweepAccountVolumes(pool),
  }
}

/** Authorizations are announced before they are released. */
function dueOf(
  pool: Foundation['database']['pool'],
  release: Parameters<typeof dueAuthorizations>[1],
): Pick<Payments, 'due' | 'releaseExpired'> {
  return {
    due: dueAuthorizations(expiringOrders(pool), release, createExpiringOrders(pool)),
    releaseExpired: (site, orderId) => releaseOrders(release, [{ site, orderId }]),
  }
}

/** The order actions of merchants' programs. */
function orderActions(
  { database: { byKey: pool } }: Foundation,
  { ports, keyedDigest: digest }: Pick<PaymentNeeds, 'ports' | 'keyedDigest'>,
  adjustOrder: AdjustOrder,
  findTransaction: AdjustNamedOrderDeps['findTransaction'],
): Payments['orders'] {
  const keys = createIdempotencyKeys(pool)
  return {
    ...createOrderEvents(pool, ports.processor.retrievalReference),
    adjustOrder: createAdjustNamedOrder({
      adjustOrder,
      keys,
      digest,
      findTransaction,
      findReferenced: (site, reference) => findReferenced(pool, site, reference),
    }),
  }
}
