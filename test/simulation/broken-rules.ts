import type { AuthorizationRequest } from '../../packages/gateway/src/usecases/banks/processor.ts'
import { KeyTakenError } from '../../packages/gateway/src/usecases/payments/idempotency-key.ts'
import type { PaymentIntent } from '../../packages/gateway/src/usecases/payments/payment-store.ts'
import { keyOf } from './bank.ts'
import type { Ports } from './gateway-process.ts'
import type { Owner } from './scheduler.ts'
import { viewOf } from './transaction-views.ts'
import { FINE } from './weather.ts'
import type { World, WorldOptions } from './world.ts'

export interface Breach {
  /** The failure that the simulation must report. */
  readonly shows: RegExp
  readonly options: Partial<Omit<WorldOptions, 'seed'>>
}

const BATCHES_DIFFER = /^Batch \d+ is differing|^Transaction \d+ is in batch \d+, and at the bank/
const BOOKS_DIFFER = /^Order \d+ \(\w+\) has \d+ \w+, but the bank has \d+\.$/

/**
 * Each rule that keeps both books equal, left out. If a simulation found nothing without a rule,
 * its success with all rules would prove nothing.
 */
export const BREACHES: Readonly<Record<string, Breach>> = {
  'the intent is durable before the bank is asked': {
    shows: /^The bank has an order \S+ that the gateway does not know\.$/,
    options: { breakRule: intendLate },
  },
  'the reversal of an unknown outcome is queued in the same write': {
    shows: BOOKS_DIFFER,
    options: { breakRule: queueLater },
  },
  'an advice is repeated until it is acknowledged': {
    shows: BOOKS_DIFFER,
    options: { breakRule: sendOnce },
  },
  'the bank remembers a reversal that came before its original': {
    shows: BOOKS_DIFFER,
    options: { bank: { tombstones: false } },
  },
  'the bank answers repeats from memory': {
    shows: BOOKS_DIFFER,
    options: { bank: { memory: false } },
  },
  'a late approval does not cancel a queued reversal': {
    shows: BOOKS_DIFFER,
    options: { lateApproval: cancelReversal },
  },
  'advices of one order reach the bank in their sequence': {
    shows: /^Order \d+ queued the advices/,
    options: { breakRule: sendAnyFirst },
  },
  'an adjustment is decided under the lock of its order': {
    shows: /would break orders_no_more_captured_than_authorized/,
    options: { breakRule: decideUnlocked },
  },
  'a declined payment keeps its reference': {
    shows: /^Transaction \d+ repeats \d+, which had just been declined\.$/,
    options: { breakRule: freeDeclined },
  },
  'a key is written with its adjustment': {
    shows: /^\d+ requests of the key key-\S+ became transactions\.$/,
    options: { breakRule: keyLater },
  },
  'a key is written with its payment': {
    shows: /^\d+ requests of the key pay-\S+ became transactions\.$/,
    options: { breakRule: keyAfterPayment },
  },
  'a batch waits for the answers about captures that moved out of it': {
    shows: BATCHES_DIFFER,
    options: { breakRule: agreeEarly },
  },
  'an answer about the earlier batch acknowledges nothing': {
    shows: BATCHES_DIFFER,
    // An answer that is under way while its advice moves is rare in weather with all faults.
    options: { breakRule: acknowledgeAnyBatch, weather: { ...FINE, slow: 30, linkLost: 10 } },
  },
  'a late copy of a message moves nothing back into an earlier batch': {
    shows: BATCHES_DIFFER,
    options: { bank: { laterBatchesOnly: false } },
  },
  'a repeat of an advice is the same message': {
    shows: BOOKS_DIFFER,
    options: { breakRule: renumberRepeats },
  },
}

/**
 * Rule 1: the intent is kept in memory instead of written first, and written with the outcome. Not
 * where it claims a reference, because two claims would break another invariant.
 */
function intendLate(world: World, ports: Ports, owner: Owner): Ports {
  const kept = new Map<bigint, PaymentIntent>()
  const { payments } = ports
  return {
    ...ports,
    payments: {
      ...payments,
      async intend(intent) {
        if (intent.claim !== null) return payments.intend(intent)
        kept.set(intent.transactionId, intent)
        return true
      },
      conclude: (conclusion) =>
        world.database.step(owner, 'intend and conclude', () => {
          const intent = kept.get(conclusion.transactionId)
          kept.delete(conclusion.transactionId)
          if (intent !== undefined) world.store.intend(intent)
          return world.store.conclude(conclusion)
        }),
    },
  }
}

/** Rule 2: the outcome in one write, its consequences in the next. */
function queueLater({ database, store }: World, ports: Ports, owner: Owner): Ports {
  return {
    ...ports,
    payments: {
      ...ports.payments,
      async conclude(conclusion) {
        const { advice } = conclusion
        const concluded = await database.step(owner, 'conclude alone', () =>
          store.conclude({ ...conclusion, advice: null }),
        )
        if (concluded === null || advice === null) return concluded
        await database.step(owner, 'queue alone', () =>
          store.applyPlan(conclusion.orderId, {
            transaction: null,
            capturedDelta: 0n,
            voidedDelta: 0n,
            refundedDelta: 0n,
            reversedWhole: false,
            releases: false,
            lines: [],
            captureVoids: [],
            advices: [advice],
            at: conclusion.at,
          }),
        )
        return concluded
      },
    },
  }
}

/** Rule 3: a request without an answer counts as done. */
function sendOnce(_: World, ports: Ports): Ports {
  const { advices } = ports
  return {
    ...ports,
    advices: { ...advices, postpone: (id) => advices.acknowledge(id, '00', new Date(0), null) },
  }
}

/** Rule 6: a late approval wins over the reversal that waits. */
function cancelReversal(
  { database, store }: World,
  request: AuthorizationRequest,
  owner: Owner,
): void {
  const key = keyOf(request.message)
  const step = database.step(owner, 'cancel reversal', () => {
    for (const row of store.queued) {
      if (row.reason !== 'unknown_outcome' || keyOf(row.original) !== key) continue
      row.state = 'acknowledged'
      store.queued.delete(row)
    }
  })
  // No caller awaits it: a failure leaves the reversal where it is.
  step.catch(() => undefined)
}

/** A rule beyond the six: sends any advice that is due, without regard to those before it. */
function sendAnyFirst({ database, store }: World, ports: Ports, owner: Owner): Ports {
  return {
    ...ports,
    advices: {
      ...ports.advices,
      take: ({ free }, now, until) =>
        database.step(owner, 'take any advices', () => store.take(free, now, until, true)),
    },
  }
}

/** Decides without a lock, so the rows may have changed when the decision is written. */
function decideUnlocked(world: World, ports: Ports, owner: Owner): Ports {
  const { database, store } = world
  return {
    ...ports,
    adjustments: {
      ...ports.adjustments,
      async adjust(site, orderId, plan, key) {
        const order = await database.step(owner, 'read unlocked', () =>
          store.readLocked(site.id, orderId, world.time()),
        )
        const decided = await plan(order)
        if (decided === null) return null
        return database.step(owner, 'write unlocked', () => {
          if (decided.transaction !== null && !store.takeKey(key, decided.transaction.id))
            throw new KeyTakenError()
          store.applyPlan(orderId, decided)
          const row = store.transactions.get(decided.transaction?.id ?? 0n)
          return row === undefined ? null : viewOf(row)
        })
      },
    },
  }
}

/** Asks the bank for its totals while it may still count what has moved. */
function agreeEarly({ database, store }: World, ports: Ports, owner: Owner): Ports {
  return {
    ...ports,
    batches: {
      ...ports.batches,
      count: (id) => database.step(owner, 'count early', () => store.batches.count(id, false)),
    },
  }
}

/** Takes the answer to any message of an advice as the answer to its last one. */
function acknowledgeAnyBatch(_: World, ports: Ports): Ports {
  const { advices } = ports
  return {
    ...ports,
    advices: { ...advices, acknowledge: (id, code, at) => advices.acknowledge(id, code, at, null) },
  }
}

/** The adjustment in one write, its key in the next. */
function keyLater({ database, store }: World, ports: Ports, owner: Owner): Ports {
  const { adjustments } = ports
  return {
    ...ports,
    adjustments: {
      ...adjustments,
      async adjust(site, orderId, plan, key) {
        const view = await adjustments.adjust(site, orderId, plan, null)
        if (view === null) return null
        await database.step(owner, 'take key alone', () => store.takeKey(key, view.transactionId))
        return view
      },
    },
  }
}

/** The payment in one write, its key in the next. */
function keyAfterPayment({ database, store }: World, ports: Ports, owner: Owner): Ports {
  const { payments } = ports
  return {
    ...ports,
    payments: {
      ...payments,
      async intend(intent) {
        const { key, transactionId } = intent
        const isWritten = await payments.intend({ ...intent, key: null })
        if (!isWritten || key === null) return isWritten
        await database.step(owner, 'take key alone', () => store.takeKey(key, transactionId))
        return true
      },
    },
  }
}

/** A declined payment gives its reference up at once, as a failed one does. */
function freeDeclined(_: World, ports: Ports): Ports {
  const { payments } = ports
  return {
    ...ports,
    payments: {
      ...payments,
      conclude: ({ claim, ...conclusion }) =>
        payments.conclude({
          ...conclusion,
          claim: claim?.after === 'declined' ? { ...claim, after: 'free' } : claim,
        }),
    },
  }
}

/** A repeat under a new number is a new message to the bank. */
function renumberRepeats(_: World, ports: Ports): Ports {
  const { processor } = ports
  let last = 1_000_000_000n
  return {
    ...ports,
    processor: {
      ...processor,
      deliver(advice, timeoutMs) {
        last += 1n
        const message = advice.repeat ? { ...advice.message, number: last } : advice.message
        return processor.deliver({ ...advice, message }, timeoutMs)
      },
    },
  }
}
