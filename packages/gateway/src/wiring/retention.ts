import type { Pool } from 'pg'
import { createRetentionCounter } from '../adapters/metrics/retention-counter.ts'
import { createCustomerErasureStore } from '../adapters/postgres/retention/customer-erasure.ts'
import { createRetentionStore } from '../adapters/postgres/retention/retention-store.ts'
import { systemClock } from '../base/clock.ts'
import type { Result } from '../base/refusal.ts'
import { RETENTION_KIND_NAMES, type RetentionDays } from '../domain/retention/retention-kinds.ts'
import { createEraseCustomer } from '../usecases/retention/erase-customer.ts'
import {
  countDue,
  createEraseDue,
  eraseNow,
  type DueNow,
  type OfEachKind,
  type RetentionCounts,
} from '../usecases/retention/erase-due.ts'
import { pause, type Foundation } from './foundation.ts'
import { operatorActor } from './operator-actor.ts'
import type { Part } from './part.ts'

export type { DueNow, OfEachKind } from '../usecases/retention/erase-due.ts'

/** Passes are a day apart; a process that took over a pass goes on with it without a wait. */
const LOOK_EVERY_MS = 600_000

/** Erases data whose days of retention are over. */
export function wireRetention(foundation: Foundation): Part {
  const { config, database, clock, actor, metrics, monotonicMs } = foundation
  const deps = {
    store: createRetentionStore(database.pool),
    clock,
    days: config.retention,
    actor,
    monotonicMs,
    pause,
    onErased: createRetentionCounter(metrics.registry),
  }
  return {
    jobs: [{ name: 'erase old data', everyMs: LOOK_EVERY_MS, run: createEraseDue(deps) }],
  }
}

/** An operator's operations on the retention of data. */
export interface RetentionOperator {
  /** The rows of each kind that would go now; null for a kind that is kept without end. */
  countDue(): Promise<OfEachKind<DueNow>>
  /** Erases them without a wait for the next pass, and returns how many went. */
  eraseNow(): Promise<RetentionCounts>
  eraseCustomer(customerId: bigint): Promise<Result<{ readonly cards: number }>>
}

/** Keeps everything without end where no days are given. */
export function createRetentionOperator(
  pool: Pool,
  days: RetentionDays | undefined,
): RetentionOperator {
  const none = Object.fromEntries(RETENTION_KIND_NAMES.map((kind) => [kind, 0])) as RetentionDays
  const actor = operatorActor()
  const erase = createEraseCustomer({
    store: createCustomerErasureStore(pool),
    clock: systemClock,
  })
  const deps = {
    store: createRetentionStore(pool),
    clock: systemClock,
    days: days ?? none,
    actor,
  }
  return {
    countDue: () => countDue(deps),
    eraseNow: () => eraseNow(deps),
    eraseCustomer: (customerId) => erase(customerId, { merchantId: null, actor }),
  }
}
