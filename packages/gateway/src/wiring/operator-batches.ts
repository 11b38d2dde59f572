import type pg from 'pg'
import { createBatchStore } from '../adapters/postgres/books/batch-store.ts'
import { refused, type Result } from '../base/refusal.ts'
import type { BatchAgreementView, BatchView } from '../usecases/books/batches.ts'
import { operatorActor } from './operator-actor.ts'

/** An operator's operations on the batches of merchant accounts. */
export interface BatchOperator {
  /** The newest first; null for no such account. */
  list(accountId: bigint): Promise<readonly BatchView[] | null>
  /** A batch with its agreement; null for no such batch. */
  show(
    batchId: bigint,
  ): Promise<{ readonly batch: BatchView; readonly agreement: BatchAgreementView } | null>
  /** Closes the account's open batch. */
  close(accountId: bigint): Promise<Result<{ readonly batch: BatchView; readonly nextId: bigint }>>
}

const MOST_SHOWN = 30
const MOST_DIFFERENCES = 200

export function createBatchOperator(pool: pg.Pool): BatchOperator {
  const batches = createBatchStore(pool)
  const filter = { siteId: null, before: null, limit: MOST_SHOWN }
  return {
    async list(accountId) {
      const merchantId = await merchantOf(pool, accountId)
      return merchantId === null
        ? null
        : batches.list({ ...filter, merchantId, accountId, state: null })
    },
    async show(batchId) {
      const { rows } = await pool.query<{ merchant_id: string }>(
        'select merchant_id from batches where id = $1',
        [batchId],
      )
      const [row] = rows
      if (row === undefined) return null
      const merchantId = BigInt(row.merchant_id)
      const batch = await batches.read(merchantId, batchId)
      const agreement = await batches.agreement(merchantId, batchId, MOST_DIFFERENCES)
      return batch === null || agreement === null ? null : { batch, agreement }
    },
    async close(accountId) {
      const merchantId = await merchantOf(pool, accountId)
      if (merchantId === null)
        return refused('missing', `Merchant account ${accountId} does not exist.`)
      const [open] = await batches.list({ ...filter, merchantId, accountId, state: 'open' })
      if (open === undefined)
        return refused('conflict', `Merchant account ${accountId} has no open batch.`)
      const closed = await batches.close(merchantId, open.id, {
        actor: operatorActor(),
        address: '',
      })
      if (closed.kind === 'closed') return { ok: true, batch: closed.batch, nextId: closed.nextId }
      const fault =
        closed.kind === 'empty'
          ? `Batch ${open.id} holds nothing that the bank has answered: nothing to close.`
          : `Batch ${open.id} was closed by another caller just now.`
      return refused('conflict', fault)
    },
  }
}

async function merchantOf(pool: pg.Pool, accountId: bigint): Promise<bigint | null> {
  const { rows } = await pool.query<{ merchant_id: string }>(
    'select merchant_id from merchant_accounts where id = $1',
    [accountId],
  )
  const [account] = rows
  return account === undefined ? null : BigInt(account.merchant_id)
}
