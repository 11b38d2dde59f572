import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { BatchCloser, CloseOutcome } from '../../../usecases/books/batches.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'

interface Closed {
  /** Null while it is open. */
  readonly closed_at: Date | null
  readonly closed_by: string
}

type CutOff =
  | Exclude<CloseOutcome, { kind: 'closed' }>
  | { readonly kind: 'closed'; readonly nextId: bigint }

/**
 * The cut-off: the batch takes nothing more, and the account's next one is open. Payments wait for
 * the lock of the open batch. So nothing under it takes time. The sums are
 * computed later. The audit entry may have to wait for others, and comes before the lock.
 */
export async function cutOff(
  pool: pg.Pool,
  merchantId: bigint,
  batchId: bigint,
  by: BatchCloser,
): Promise<CutOff> {
  const attempt = async (): Promise<CutOff> => {
    const { outcome } = await inTransaction(pool, AUDITED, async (client) => {
      const outcome = await cutOffIn(client, merchantId, batchId, by)
      return { ok: outcome.kind === 'closed', outcome }
    })
    return outcome
  }
  const first = await attempt()
  if (first.kind !== 'empty') return first
  // A credit that is being written holds the batch, and the first attempt did not see it. Once the
  // lock was granted, it can be read. Nothing is read under the lock, which holds up all payments.
  await inTransaction(pool, AUDITED, (client) => lockBatch(client, batchId))
  return attempt()
}

async function cutOffIn(
  client: pg.ClientBase,
  merchantId: bigint,
  batchId: bigint,
  by: BatchCloser,
): Promise<CutOff> {
  const { rows } = await client.query<Closed & { account_id: string; holds: boolean }>(
    `select b.merchant_account_id as account_id, b.closed_at, b.closed_by,
            ${HOLDS_SOMETHING} as holds
       from batches b where b.id = $1 and b.merchant_id = $2`,
    [batchId, merchantId],
  )
  const [found] = rows
  if (found === undefined) return { kind: 'unknown' }
  if (found.closed_at !== null) return closedBefore(found.closed_at, found.closed_by)
  if (!found.holds) return { kind: 'empty' }
  const nextId = await takeBatchId(client)
  await appendAudit(client, [
    {
      ...by,
      operation: 'batch.closed',
      object: `batch ${batchId}`,
      merchantId,
      result: 'done',
      details: { account: found.account_id, next: nextId },
    },
  ])
  // The lock first, in a statement of its own: what the next ones read has then been committed by
  // the conclusions that held it.
  const batch = await lockBatch(client, batchId)
  if (batch.closed_at !== null) return closedBefore(batch.closed_at, batch.closed_by)
  await client.query(
    `update batches set closed_at = now(), closed_by = $2, agreement = 'closing' where id = $1`,
    [batchId, by.actor],
  )
  await client.query(
    'insert into batches (id, merchant_id, merchant_account_id) values ($1, $2, $3)',
    [nextId, merchantId, found.account_id],
  )
  return { kind: 'closed', nextId: BigInt(nextId) }
}

async function lockBatch(client: pg.ClientBase, batchId: bigint): Promise<Closed> {
  const { rows } = await client.query<Closed>(
    'select closed_at, closed_by from batches where id = $1 for update',
    [batchId],
  )
  const [batch] = rows
  invariant(batch !== undefined, 'a batch was deleted')
  return batch
}

function closedBefore(closedAt: Date, closedBy: string): CutOff {
  return { kind: 'closed_before', closedAt, closedBy }
}

async function takeBatchId(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ id: string }>(`select nextval('batch_ids') as id`)
  const [row] = rows
  invariant(row !== undefined, 'a sequence gave no batch id')
  return row.id
}

/** Whether batch `b` holds anything that does not wait for the bank's answer. */
const HOLDS_SOMETHING = `exists (
  select from transactions t
   where t.batch_id = b.id and t.kind in ('sale', 'capture', 'refund') and t.state = 'approved'
     and not exists (
       select from advices a
        where a.transaction_id = t.id and a.kind <> 'reversal' and a.state = 'queued'))`

const MOVED_AT_ONCE = 1_000

/**
 * Moves the captures and refunds of a closed batch without an answer of the bank to the account's
 * open batch. An advice whose answer is being stored is left alone: it has its answer then.
 */
export async function moveUnanswered(pool: pg.Pool, batchId: bigint): Promise<void> {
  for (;;) {
    const moved = await inTransaction(pool, null, (client) => moveSome(client, batchId))
    if (moved < MOVED_AT_ONCE) return
  }
}

async function moveSome(client: pg.ClientBase, batchId: bigint): Promise<number> {
  // Held against its own cut-off, so that nothing comes into a batch whose sums are fixed.
  const { rows: next } = await client.query<{ id: string }>(
    `select n.id from batches n
      where n.closed_at is null
        and n.merchant_account_id = (select b.merchant_account_id from batches b where b.id = $1)
      for share`,
    [batchId],
  )
  const [open] = next
  // Another cut-off has just closed it: the next run finds the one behind.
  if (open === undefined) return 0
  const { rows } = await client.query<{ id: string; transaction_id: string }>(
    `select id, transaction_id from advices
      where batch_id = $1 and state = 'queued'
      order by id limit $2 for update skip locked`,
    [batchId, MOVED_AT_ONCE],
  )
  if (rows.length === 0) return 0
  await client.query('update transactions set batch_id = $2 where id = any($1::bigint[])', [
    rows.map((row) => row.transaction_id),
    open.id,
  ])
  await client.query(
    // The bank may have counted one that was sent: its answer has to come before the agreement.
    `update advices
        set batch_id = $2,
            left_batch_id = case when tries > 0 then coalesce(left_batch_id, batch_id)
                                 else left_batch_id end
      where id = any($1::bigint[])`,
    [rows.map((row) => row.id), open.id],
  )
  return rows.length
}
