import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { EventData } from '../../../domain/events/event.ts'
import { recordFacts, wholeFact } from '../events/outbox.ts'

/** Records a fact of a batch that the caller has locked, with `data` beside its ids. */
export async function recordBatchFact(
  client: pg.ClientBase,
  type: 'batch.closed' | 'batch.agreed' | 'batch.differs',
  batchId: bigint,
  data: EventData,
): Promise<void> {
  const { rows } = await client.query<{
    merchant_id: string
    account_id: string
    mode: 'test' | 'live'
    closed_at: Date
  }>(
    `select b.merchant_id, b.merchant_account_id as account_id, a.mode, b.closed_at
       from batches b join merchant_accounts a on a.id = b.merchant_account_id where b.id = $1`,
    [batchId],
  )
  const [batch] = rows
  invariant(batch !== undefined, 'a batch was deleted')
  await recordFacts(client, [
    wholeFact(type, BigInt(batch.merchant_id), batchId, {
      mode: batch.mode,
      origin: type === 'batch.closed' ? 'GATEWAY' : 'BANK',
      data: {
        batch_id: batchId.toString(),
        merchant_account_id: batch.account_id,
        closed_at: batch.closed_at.toISOString(),
        ...data,
      },
    }),
  ])
}
