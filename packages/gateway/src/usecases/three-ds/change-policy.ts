import type { Result } from '../../base/refusal.ts'
import { decidePolicy, type ThreeDsPolicy } from '../../domain/three-ds/policy.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import { onLockedSite, type LockedSiteTx } from '../merchants/locked-site.ts'

/** The reads and writes of a change of a site's 3-D Secure settings, in one transaction. */
export interface ThreeDsPolicyTx extends LockedSiteTx {
  readPolicy(siteId: bigint): Promise<ThreeDsPolicy>
  writePolicy(siteId: bigint, policy: ThreeDsPolicy): Promise<void>
}

/**
 * Changes the settings that are named and leaves the rest; the audit log has both states.
 * `seen`: the settings that the caller was shown; null for a caller who was shown none.
 */
export type ChangeThreeDsPolicy = (
  siteId: bigint,
  changes: Partial<ThreeDsPolicy>,
  seen: ThreeDsPolicy | null,
  by: AuditAuthor,
) => Promise<Result<{ readonly policy: ThreeDsPolicy }>>

/** Decides a change under the lock of the site, and writes the audit entry with it. */
export function createChangeThreeDsPolicy(
  transact: Transact<ThreeDsPolicyTx>,
): ChangeThreeDsPolicy {
  return (siteId, changes, seen, by) =>
    onLockedSite(transact, siteId, by, async (tx, entry) => {
      const before = await tx.readPolicy(siteId)
      const decided = decidePolicy(siteId, before, changes, seen)
      if (!decided.ok) return decided
      await tx.writePolicy(siteId, decided.policy)
      const details = { before: JSON.stringify(before), after: JSON.stringify(decided.policy) }
      await tx.audit([entry('site.three_ds_set', details)])
      return decided
    })
}
