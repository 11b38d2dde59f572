import type { Result } from '../../base/refusal.ts'
import { faultsRefusal, type DeliveryFault } from '../../domain/webhooks/delivery-faults.ts'
import { noSuchEndpoint } from '../../domain/webhooks/endpoint-draft.ts'
import { liveSiteRefusal } from '../../domain/webhooks/receiver-answer.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import { onLockedSite, type LockedSiteTx } from '../merchants/locked-site.ts'

/** The faults of an endpoint as they are shown. */
export interface EndpointFaults {
  readonly endpointId: bigint
  readonly url: string
  readonly faults: readonly DeliveryFault[]
}

/** The locks, reads and writes of a change of faults. */
export interface FaultTx extends LockedSiteTx {
  readMode(siteId: bigint): Promise<'test' | 'live'>
  /** False for no such endpoint of the site. */
  setFaults(siteId: bigint, id: bigint, faults: readonly DeliveryFault[]): Promise<boolean>
}

export interface FaultStore {
  readonly transact: Transact<FaultTx>
  /** Every endpoint of the site, also those without a fault. */
  list(siteId: bigint): Promise<readonly EndpointFaults[]>
}

/** Replaces the faults of an endpoint of a test site. */
export type SetFaults = (
  siteId: bigint,
  id: bigint,
  faults: readonly DeliveryFault[],
  by: AuditAuthor,
) => Promise<Result>

export function createSetFaults({ transact }: Pick<FaultStore, 'transact'>): SetFaults {
  return (siteId, id, faults, by) =>
    onLockedSite<FaultTx, object>(transact, siteId, by, async (tx, entry) => {
      const refusal = liveSiteRefusal(siteId, await tx.readMode(siteId)) ?? faultsRefusal(faults)
      if (refusal !== null) return refusal
      if (!(await tx.setFaults(siteId, id, faults))) return noSuchEndpoint(id)
      const kinds = faults.map(({ kind }) => kind).join(' ')
      await tx.audit([entry('site.webhook_faults_set', { endpoint: Number(id), faults: kinds })])
      return { ok: true }
    })
}
