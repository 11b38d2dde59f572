import type { Role } from '@tollgate/portal-contract/rights'
import type { Result } from '../../../base/refusal.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import {
  decideDifference,
  type DifferenceOperation,
  type HeldDifference,
} from '../domain/difference-changes.ts'
import type { Actor, DifferenceChange } from './recon.ts'

/** A difference that is held until the commit. */
export interface LockedDifference extends HeldDifference {
  readonly orderId: string
  /** The e-mail address of its owner; null for none. */
  readonly owner: string | null
}

/** Locks, reads and writes of a change of a difference, in one transaction. */
export interface DifferenceTx extends AuditedTx {
  lockDifference(merchantId: bigint, id: bigint): Promise<LockedDifference | null>
  /** Null if the merchant has no such active user. */
  readRole(merchantId: bigint, portalUserId: bigint): Promise<Role | null>
  /** Writes the operation with its note, and returns the e-mail address of the new owner. */
  writeChange(
    id: bigint,
    change: {
      readonly what: DifferenceOperation
      readonly portalUserId: bigint
      readonly ownerId: bigint | null
      readonly note: string
    },
  ): Promise<string | null>
}

/** A user's operation on a difference, decided under its lock and on record with it. */
export type ChangeDifference = (
  merchantId: bigint,
  id: bigint,
  change: DifferenceChange,
  by: Actor,
) => Promise<Result>

export function createChangeDifference(transact: Transact<DifferenceTx>): ChangeDifference {
  return (merchantId, id, change, by) =>
    transact(async (tx) => {
      const { what, note } = change
      const held = await tx.lockDifference(merchantId, id)
      const ownerId = what === 'taken' ? by.portalUserId : change.ownerId
      const role =
        what === 'handed' && ownerId !== null ? await tx.readRole(merchantId, ownerId) : null
      const refusal = decideDifference(change, held, role)
      if (refusal !== null) return refusal
      const after = await tx.writeChange(id, { what, portalUserId: by.portalUserId, ownerId, note })
      const details = { what, order: held?.orderId ?? null, before: held?.owner ?? null, after }
      await tx.audit([
        {
          actor: by.actor,
          address: by.address,
          operation: 'recon.difference_changed',
          object: `difference ${id}`,
          merchantId,
          result: 'done',
          details,
        },
      ])
      return { ok: true }
    })
}
