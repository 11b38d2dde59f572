import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { BatchState } from '../../../domain/books/batch-states.ts'
import type {
  BatchAccount,
  BatchAction,
  Batches,
  BatchSum,
  BatchTransaction,
  BatchView,
} from '../../../usecases/books/batches.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { readAgreement } from './batch-agreement-reader.ts'
import { cutOff, moveUnanswered } from './batch-closing.ts'
import { countInSlices } from './batch-count.ts'
import { BATCH_SUMS, sumOf, type BatchSumRow } from './batch-sum-text.ts'

interface BatchRow {
  readonly id: string
  readonly account_id: string
  readonly mode: Mode
  readonly processor_name: string
  readonly opened_at: Date
  readonly closed_at: Date | null
  readonly closed_by: string
  readonly state: BatchState
}

/** The state of a batch `b`. */
const BATCH_STATE = `
  case when b.closed_at is null then 'open'
       when b.agreement = 'none' then 'closed' else b.agreement end`

const BATCH = `select b.id, b.merchant_account_id as account_id, a.mode, a.processor_name, b.opened_at, b.closed_at,
       b.closed_by, ${BATCH_STATE} as state
  from batches b join merchant_accounts a on a.id = b.merchant_account_id`

const SUM_ORDER = `order by currency, array_position(array['sale', 'capture', 'refund'], action), brand`

/** Batches in the database; their sums are kept once they are closed. */
export function createBatchStore(pool: pg.Pool): Batches {
  return {
    async list({ merchantId, siteId, accountId, state, before, limit }) {
      const { rows } = await pool.query<BatchRow>(
        `${BATCH}
          where b.merchant_id = $1 and ($2::bigint is null or b.id < $2)
            and ($3::bigint is null or b.merchant_account_id = $3)
            and ($4::bigint is null or b.merchant_account_id in
                 (select merchant_account_id from site_merchant_accounts where site_id = $4))
            and ($5::text is null or ($5 = 'open') = (b.closed_at is null))
          order by b.id desc limit $6`,
        [merchantId, before, accountId, siteId, state, limit],
      )
      return withSums(pool, rows)
    },
    async accounts(merchantId, siteId) {
      const { rows } = await pool.query<{
        id: string
        mode: Mode
        processor_name: string
        batch_cutoff: number | null
      }>(
        `select id, mode, processor_name, batch_cutoff from merchant_accounts
          where merchant_id = $1 and ($2::bigint is null or id in
                (select merchant_account_id from site_merchant_accounts where site_id = $2))
          order by id`,
        [merchantId, siteId],
      )
      return rows.map((row): BatchAccount => ({
        id: BigInt(row.id),
        mode: row.mode,
        processorName: row.processor_name,
        cutoffMinute: row.batch_cutoff,
      }))
    },
    read: (merchantId, batchId) => readBatch(pool, merchantId, batchId),
    agreement: (merchantId, batchId, limit) => readAgreement(pool, merchantId, batchId, limit),
    async transactions(merchantId, batchId, after, limit) {
      const { rows } = await pool.query<{
        id: string
        order_id: string
        reference: string
        kind: BatchAction
        currency: string
        value_minor: string
        voided_minor: string
        brand: string
        last4: string
        concluded_at: Date
      }>(
        `select t.id, t.order_id, o.reference, t.kind, o.currency, t.value_minor, t.voided_minor, p.brand,
                p.last4, t.concluded_at
           from transactions t
           join orders o on o.id = t.order_id
           join payment_methods p on p.id = o.payment_method_id
          where t.batch_id = $2 and t.merchant_id = $1 and t.id > $3
            and t.kind in ('sale', 'capture', 'refund') and t.state = 'approved'
          order by t.id limit $4`,
        [merchantId, batchId, after, limit],
      )
      return rows.map((row): BatchTransaction => ({
        id: BigInt(row.id),
        orderId: BigInt(row.order_id),
        orderReference: row.reference,
        action: row.kind,
        currency: row.currency,
        amountMinor: BigInt(row.value_minor),
        voidedMinor: BigInt(row.voided_minor),
        brand: row.brand,
        last4: row.last4,
        at: row.concluded_at,
      }))
    },
    async close(merchantId, batchId, by) {
      const cut = await cutOff(pool, merchantId, batchId, by)
      if (cut.kind !== 'closed') return cut
      // The job does the same should this process die here.
      await moveUnanswered(pool, batchId)
      const batch = await readBatch(pool, merchantId, batchId)
      invariant(batch !== null, 'a batch that was just closed is gone')
      return { kind: 'closed', batch, nextId: cut.nextId }
    },
    async setCutoff(merchantId, accountId, minute, by) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        const { rows } = await client.query<{ batch_cutoff: number | null }>(
          'select batch_cutoff from merchant_accounts where id = $1 and merchant_id = $2 for no key update',
          [accountId, merchantId],
        )
        const [account] = rows
        if (account === undefined) return { ok: false }
        await client.query('update merchant_accounts set batch_cutoff = $2 where id = $1', [
          accountId,
          minute,
        ])
        await appendAudit(client, [
          {
            ...by,
            operation: 'batch.cutoff_set',
            object: `merchant account ${accountId}`,
            merchantId,
            result: 'done',
            details: { before: account.batch_cutoff, after: minute },
          },
        ])
        return { ok: true }
      })
      return ok
    },
    async findDue(now) {
      const { rows } = await pool.query<{ merchant_id: string; id: string }>(
        `select b.merchant_id, b.id
           from merchant_accounts a
           join batches b on b.merchant_account_id = a.id and b.closed_at is null
          cross join lateral (
            select date_trunc('day', $1::timestamptz, 'UTC') + a.batch_cutoff * interval '1 minute' as today) c
          where a.batch_cutoff is not null
            and b.opened_at < case when c.today <= $1 then c.today else c.today - interval '1 day' end
            and exists (select from transactions t
                         where t.batch_id = b.id and t.kind in ('sale', 'capture', 'refund')
                           and t.state = 'approved')
          order by b.id`,
        [now],
      )
      return rows.map((row) => ({ merchantId: BigInt(row.merchant_id), batchId: BigInt(row.id) }))
    },
  }
}

async function readBatch(
  pool: pg.Pool,
  merchantId: bigint,
  batchId: bigint,
): Promise<BatchView | null> {
  const { rows } = await pool.query<BatchRow>(`${BATCH} where b.id = $1 and b.merchant_id = $2`, [
    batchId,
    merchantId,
  ])
  const [batch] = await withSums(pool, rows)
  return batch ?? null
}

/**
 * Closed batches have their sums kept from their count on. Before it they are counted in slices;
 * an open batch is counted at one moment.
 */
async function withSums(pool: pg.Pool, batches: readonly BatchRow[]): Promise<BatchView[]> {
  const ids = batches.map(({ id }) => id)
  const { rows: kept } = await pool.query<BatchSumRow>(
    `select * from batch_sums where batch_id = any($1::bigint[]) ${SUM_ORDER}`,
    [ids],
  )
  const withKept = new Set(kept.map((row) => row.batch_id))
  const open = batches.filter(({ closed_at: closedAt }) => closedAt === null).map(({ id }) => id)
  const { rows: current } =
    open.length === 0
      ? { rows: [] }
      : await pool.query<BatchSumRow>(`select * from (${BATCH_SUMS}) s ${SUM_ORDER}`, [open])
  const stored = Map.groupBy([...kept, ...current], (row) => row.batch_id)
  const views: BatchView[] = []
  for (const row of batches) {
    const isCounted = row.closed_at === null || withKept.has(row.id)
    const sums = isCounted
      ? (stored.get(row.id) ?? []).map(sumOf)
      : (await countInSlices(pool, BigInt(row.id))).sums
    views.push(viewOf(row, sums))
  }
  return views
}

function viewOf(row: BatchRow, sums: readonly BatchSum[]): BatchView {
  return {
    id: BigInt(row.id),
    accountId: BigInt(row.account_id),
    mode: row.mode,
    processorName: row.processor_name,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    closedBy: row.closed_by,
    state: row.state,
    sums,
  }
}
