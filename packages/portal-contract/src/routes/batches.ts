import type {
  BatchAgreement,
  BatchList,
  BatchSettlements,
  BatchTransactions,
  BatchView,
} from '../answers/batches.ts'
import { get, post, put, type Done, type FileAnswer } from '../route.ts'

interface BatchesQuery {
  readonly site?: string
  readonly account?: string
  readonly state?: 'open' | 'closed'
  /** The value of `next` on the page before. */
  readonly before?: string
}

/** Batches of a merchant's accounts. */
export const batches = {
  list: get('/batches', 'batches.see').answers<BatchList, { query: BatchesQuery }>(),
  read: get('/batches/:id', 'batches.see').answers<BatchView>(),
  transactions: get('/batches/:id/transactions', 'batches.see').answers<
    BatchTransactions,
    { query: { readonly after?: string } }
  >(),
  agreement: get('/batches/:id/agreement', 'batches.see').answers<BatchAgreement>(),
  settlements: get('/batches/:id/settlements', 'batches.see').answers<BatchSettlements>(),
  csv: get('/batches/:id/transactions.csv', 'batches.see').answers<FileAnswer>(),
  close: post('/batches/:id/close', 'batches.close').answers<{
    readonly batch: BatchView
    readonly nextId: string
  }>(),
  setCutoff: put('/batch-accounts/:id/cutoff', 'batches.close').answers<
    Done,
    { body: { readonly minute: number | null } }
  >(),
}
