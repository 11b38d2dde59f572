import { CardNumber } from '../../packages/gateway/src/domain/payments/card-number.ts'
import type { Processor } from '../../packages/gateway/src/usecases/banks/processor.ts'
import {
  agreeBatches,
  type AgreementStore,
} from '../../packages/gateway/src/usecases/books/batch-agreement.ts'
import {
  createAdjustNamedOrder,
  type AdjustNamedOrder,
} from '../../packages/gateway/src/usecases/payments/adjust-named-order.ts'
import { createAdjustOrder } from '../../packages/gateway/src/usecases/payments/adjust-order.ts'
import type { AdjustmentStore } from '../../packages/gateway/src/usecases/payments/adjustment-store.ts'
import type { AdviceStore } from '../../packages/gateway/src/usecases/payments/advice-store.ts'
import { createAdviceDelivery } from '../../packages/gateway/src/usecases/payments/deliver-advices.ts'
import type { IdempotencyKeyStore } from '../../packages/gateway/src/usecases/payments/idempotency-key.ts'
import { CommitUnknownError } from '../../packages/gateway/src/usecases/payments/learn-truth.ts'
import type { TakePayment } from '../../packages/gateway/src/usecases/payments/payment-command.ts'
import type { PaymentStore } from '../../packages/gateway/src/usecases/payments/payment-store.ts'
import { releaseAuthorizations } from '../../packages/gateway/src/usecases/payments/release-authorizations.ts'
import { resolveTransactions } from '../../packages/gateway/src/usecases/payments/resolve-transactions.ts'
import { createTakePayment } from '../../packages/gateway/src/usecases/payments/take-payment.ts'
import type { CardVault } from '../../packages/gateway/src/usecases/vault/card-vault.ts'
import { DatabaseAwayError } from './database.ts'
import { PAN } from './merchant.ts'
import { NO_MEMBERSHIPS, NO_REBILLS } from './no-memberships.ts'
import { NO_THREE_DS } from './no-three-ds.ts'
import type { Owner } from './scheduler.ts'
import { viewOf } from './transaction-views.ts'
import type { World } from './world.ts'

/** Everything durable or remote that the use cases of one process use. */
export interface Ports {
  readonly payments: PaymentStore
  readonly adjustments: AdjustmentStore
  readonly keys: IdempotencyKeyStore
  readonly advices: AdviceStore
  readonly processor: Processor
  readonly batches: AgreementStore
}

const BANK_TIMEOUT_MS = 25_000
const RESOLVE_AFTER_MS = BANK_TIMEOUT_MS + 30_000
const WAIT_FOR_CLAIM_MS = 25_000
const LOOK_AT_CLAIM_EVERY_MS = 2_500

/**
 * One gateway process: the real use cases, wired to this world as gateway.ts wires them to its own.
 */
export class GatewayProcess implements Owner {
  readonly name: string
  alive = true
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustNamedOrder
  /** The cut-off as a command makes it; null if the batch holds nothing to close. */
  readonly closeBatch: () => Promise<bigint | null>
  readonly #wake: () => void

  constructor(name: string, world: World) {
    this.name = name
    const { database, store } = world
    const clock = { now: () => world.time() }
    const nextId = (): bigint | Promise<bigint> =>
      world.idsRunOut() ? database.step(this, 'reserve ids', () => world.nextId()) : world.nextId()
    const patience = {
      monotonicMs: () => world.time().getTime(),
      pause: (ms: number) => world.scheduler.pause(this, ms),
    }
    const findTransaction = (id: bigint) =>
      database.step(this, 'find transaction', () => {
        const row = store.transactions.get(id)
        return row === undefined ? null : viewOf(row)
      })
    const adviceQueued = (): void => this.#wake()
    const ports = world.breakRule(portsOf(this, world), this)
    const takePayment = createTakePayment({
      store: ports.payments,
      processor: ports.processor,
      cardTesting: { screen: () => Promise.resolve(null), endedLater: () => undefined },
      threeDs: NO_THREE_DS,
      memberships: NO_MEMBERSHIPS,
      rebills: NO_REBILLS,
      volumes: { reserve: async () => true, release: async () => undefined },
      cardRenewed: async () => undefined,
      vault: VAULT,
      tokens: { find: async () => null, take: async () => null },
      clock,
      nextId,
      digest: (text) => text,
      findTransaction,
      keys: ports.keys,
      awaitClaim: async (waitedMs) => {
        await world.scheduler.pause(this, LOOK_AT_CLAIM_EVERY_MS)
        return waitedMs < WAIT_FOR_CLAIM_MS
      },
      adviceQueued,
      ...patience,
      bankTimeoutMs: BANK_TIMEOUT_MS,
    })
    this.takePayment = (command) => takePayment({ ...command, site: { ...command.site, clock } })
    const adjustOrder = createAdjustNamedOrder({
      adjustOrder: createAdjustOrder({
        store: ports.adjustments,
        clock,
        nextId,
        adviceQueued,
        findTransaction,
        ...patience,
      }),
      keys: ports.keys,
      findReferenced: notSimulated,
      digest: (text) => text,
      findTransaction,
    })

    this.adjustOrder = (command) => adjustOrder({ ...command, site: { ...command.site, clock } })

    const shared = { clock, nextId, adviceQueued }
    const delivery = createAdviceDelivery({
      recorded: null,
      store: ports.advices,
      processor: ports.processor,
      clock,
      bankTimeoutMs: BANK_TIMEOUT_MS,
      onDisagreement: ({ request }, code) =>
        world.faults.push(
          `The bank answered ${code} to the ${request.kind} number ${request.sequence} of an order.`,
        ),
      onAcknowledged: adviceQueued,
    })
    this.#wake = this.#repeat(world, 1_000, {
      isDue: () => store.dueAdvices(world.time()).length > 0,
      run: delivery.run,
    })
    this.#repeat(world, 5_000, {
      isDue: () =>
        store.findOpen(new Date(world.time().getTime() - RESOLVE_AFTER_MS), 1).length > 0,
      run: () =>
        resolveTransactions({
          ...shared,
          siteClocks: { of: async () => clock },
          findOpen: (before, limit) =>
            database.step(this, 'find open transactions', () => store.findOpen(before, limit)),
          conclude: ports.payments.conclude,
          olderThanMs: RESOLVE_AFTER_MS,
        }),
    })
    this.closeBatch = async () => {
      const closed = await database.cutOff(this)
      if (closed !== null) await ports.batches.moveUnanswered(closed)
      return closed
    }
    this.#repeat(world, 1_000, {
      isDue: () => store.batches.hasWork(world.time()).isDue,
      run: () =>
        agreeBatches({
          store: ports.batches,
          processor: world.network.batchPortOf(this),
          clock,
          nextMessage: nextId,
          bankTimeoutMs: BANK_TIMEOUT_MS,
          actor: name,
          onDiffering: () => undefined,
        }),
    })
    this.#repeat(world, 5_000, {
      isDue: () => store.findExpired(world.time(), 1).length > 0,
      run: () =>
        releaseAuthorizations({
          ...shared,
          findExpired: (now, limit) =>
            database.step(this, 'find expired orders', () => store.findExpired(now, limit)),
          store: ports.adjustments,
        }),
    })
  }

  /**
   * A job's loop, as the worker has it: one run at a time, and the next at once if more may be due.
   * A run with nothing due is left out, because it would read and change nothing.
   */
  #repeat(
    { scheduler }: World,
    everyMs: number,
    job: { readonly isDue: () => boolean; readonly run: () => Promise<boolean> },
  ): () => void {
    let runs = false
    let woken = false
    const look = (): void => {
      if (runs) return
      woken = false
      if (!job.isDue()) return
      runs = true
      scheduler.resumed = true
      const ended = (more: boolean): void => {
        runs = false
        if (more || woken) wake()
      }
      // A job that fails is tried again at its next turn.
      job.run().then(ended, () => ended(false))
    }
    const wake = (): void => {
      if (woken) return
      woken = true
      scheduler.after(1, this, look)
    }
    const tick = (): void => {
      look()
      scheduler.after(everyMs, this, tick, true)
    }
    scheduler.after(everyMs, this, tick, true)
    return wake
  }
}

const VAULT: CardVault = {
  seal: async () => ({ sealed: { ciphertext: '', dataKeyId: 1 }, fingerprint: 'card' }),
  isReadable: () => true,
  reveal: async () => new CardNumber(PAN),
}

function notSimulated(): never {
  throw new Error('Customers, saved cards, logins and orders by reference are not simulated.')
}

function portsOf(owner: GatewayProcess, { database, network, store, lateApproval }: World): Ports {
  return {
    payments: {
      async intend(intent) {
        try {
          return await database.step(owner, 'intend', () => store.intend(intent))
        } catch (error) {
          if (!(error instanceof DatabaseAwayError) || error.nothingWritten) throw error
          throw new CommitUnknownError(error)
        }
      },
      conclude: (conclusion) => database.step(owner, 'conclude', () => store.conclude(conclusion)),
      findClaim: (site, reference) =>
        database.step(owner, 'find claim', () => store.findClaim(site.id, reference)),
      findSavedCard: notSimulated,
      findCustomerOfLogin: notSimulated,
      claimLogin: notSimulated,
      releaseLogin: notSimulated,
    },
    adjustments: {
      adjust: (site, orderId, plan, key) => database.adjust(owner, site.id, orderId, plan, key),
      async waitForLock(site, orderId) {
        await database.adjust(owner, site.id, orderId, () => Promise.resolve(null), null)
      },
    },
    keys: {
      findKey: (_site, key) => database.step(owner, 'find key', () => store.keys.get(key) ?? null),
      takeKey: ({ key, transactionId }) =>
        database.step(owner, 'take key', () => store.takeKey(key, transactionId)),
    },
    advices: {
      take: ({ free }, now, until) =>
        database.step(owner, 'take advices', () => store.take(free, now, until)),
      acknowledge: (id, responseCode, at, batchId) =>
        database.step(owner, 'acknowledge advice', () =>
          store.acknowledge(id, responseCode, at, batchId),
        ),
      postpone: (id, nextTryAt) =>
        database.step(owner, 'postpone advice', () => store.postpone(id, nextTryAt)),
    },
    processor: network.portOf(owner, (request) => lateApproval(request, owner)),
    batches: batchesOf(owner, database, store.batches),
  }
}

function batchesOf(
  owner: GatewayProcess,
  database: World['database'],
  batches: World['store']['batches'],
): AgreementStore {
  const step = <Result>(name: string, take: () => Result): Promise<Result> =>
    database.step(owner, name, take)
  return {
    findClosing: () => step('find closing batches', () => batches.findClosing()),
    moveUnanswered: (id) => step('move unanswered', () => batches.moveUnanswered(id)),
    count: (id) => step('count batch', () => batches.count(id)),
    fix: (id, content, messages) => step('fix batch', () => batches.fix(id, content, messages)),
    takeTotals: (_limit, now, until) => step('take totals', () => batches.takeTotals(now, until)),
    postponeTotals: ({ request }, at) =>
      step('postpone totals', () => batches.postponeTotals(request.batchId, at)),
    answerTotals: ({ request }, { inBalance }) =>
      step('answer totals', () => batches.answerTotals(request.batchId, inBalance)),
    takeComparison: (now, until) =>
      step('take comparison', () => batches.takeComparison(now, until)),
    readOwnDetail: (id) => step('read own detail', () => batches.readOwnDetail(id)),
    finishComparison: (id, differences) =>
      step('finish comparison', () => batches.finishComparison(id, differences)),
  }
}
