import type { Result } from '../../../base/refusal.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import { decideComparison } from '../domain/comparisons.ts'
import type { Actor } from './recon.ts'

/** The statements that start a comparison or change the daily hour, in one transaction. */
export interface ComparisonTx extends AuditedTx {
  /** Holds the merchant's comparisons and its daily hour until the commit. */
  lockComparisons(merchantId: bigint): Promise<void>
  /** The comparison that is waiting or running; null for none. */
  readUnfinished(merchantId: bigint): Promise<bigint | null>
  /** Adds a waiting comparison and returns its id. */
  addRun(merchantId: bigint, requestedBy: string): Promise<bigint>
  /** The hour in UTC, from 0 to 23; null for no daily comparison. */
  readDailyHour(merchantId: bigint): Promise<number | null>
  writeDailyHour(merchantId: bigint, hour: number | null): Promise<void>
}

export interface ChangeComparisons {
  /** Adds a comparison to the queue; a conflict while another one is unfinished. */
  start(merchantId: bigint, by: Actor): Promise<Result<{ readonly id: bigint }>>
  /** Sets the hour of the daily comparison in UTC, from 0 to 23; null ends it. */
  setDailyHour(merchantId: bigint, hour: number | null, by: Actor): Promise<void>
}

/** Decides under the lock of the merchant's comparisons, and writes the audit entry with it. */
export function createChangeComparisons(transact: Transact<ComparisonTx>): ChangeComparisons {
  return {
    start: (merchantId, by) =>
      transact(async (tx) => {
        await tx.lockComparisons(merchantId)
        const refusal = decideComparison(await tx.readUnfinished(merchantId))
        if (refusal !== null) return refusal
        const id = await tx.addRun(merchantId, by.actor)
        await tx.audit([entryOf(merchantId, by, `reconciliation ${id}`)])
        return { ok: true, id }
      }),

    setDailyHour: (merchantId, hour, by) =>
      transact(async (tx) => {
        await tx.lockComparisons(merchantId)
        const before = await tx.readDailyHour(merchantId)
        await tx.writeDailyHour(merchantId, hour)
        const entry = entryOf(merchantId, by, 'daily reconciliation')
        await tx.audit([{ ...entry, details: { before, after: hour } }])
      }),
  }
}

function entryOf(merchantId: bigint, { actor, address }: Actor, object: string): AuditEntry {
  return { actor, address, operation: 'recon.run_asked', object, merchantId, result: 'done' }
}
