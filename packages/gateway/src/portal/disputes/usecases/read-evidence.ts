import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { DisputeReader } from '../../../usecases/disputes/dispute-views.ts'

type Found = Awaited<ReturnType<DisputeReader['readFile']>>

export interface ReadEvidence {
  readonly reader: Pick<DisputeReader, 'readFile'>
  readonly transact: Transact<AuditedTx>
}

/**
 * The content of a file of evidence of a merchant, or null. It is returned once the audit log has
 * the reading.
 */
export async function readEvidence(
  { reader, transact }: ReadEvidence,
  file: { readonly merchantId: bigint; readonly disputeId: bigint; readonly fileId: bigint },
  by: AuditAuthor,
): Promise<Found> {
  const { disputeId, fileId, merchantId } = file
  const found = await reader.readFile(disputeId, fileId, merchantId)
  if (found === null) return null
  const object = `dispute ${disputeId}`
  const details = { file: fileId.toString() }
  await transact(({ audit }) =>
    audit([
      { ...by, operation: 'dispute.evidence_read', object, merchantId, result: 'done', details },
    ]),
  )
  return found
}
