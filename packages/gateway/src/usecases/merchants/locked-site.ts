import type { Result } from '../../base/refusal.ts'
import { noSuchSite } from '../../domain/merchants/refused-site.ts'
import type { AuditOperation, AuditAuthor, AuditEntry } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The statements that every change of a site may run in its transaction. */
export interface LockedSiteTx extends AuditedTx {
  /** Holds the site until the commit and gives its merchant; null for no such site. */
  lockSite(siteId: bigint): Promise<bigint | null>
}

/** The audit entry of a completed operation on the locked site. */
export type SiteEntry = (
  operation: AuditOperation,
  details: NonNullable<AuditEntry['details']>,
) => AuditEntry

/** Holds the site while `work` reads, decides and writes. A refusal must have written nothing. */
export function onLockedSite<Tx extends LockedSiteTx, Done>(
  transact: Transact<Tx>,
  siteId: bigint,
  by: AuditAuthor,
  work: (tx: Tx, entry: SiteEntry) => Promise<Result<Done>>,
): Promise<Result<Done>> {
  return transact(async (tx) => {
    const merchantId = await tx.lockSite(siteId)
    if (merchantId === null) return noSuchSite(siteId)
    const object = `site ${siteId}`
    return work(tx, (operation, details) => {
      return { ...by, operation, object, merchantId, result: 'done', details }
    })
  })
}
