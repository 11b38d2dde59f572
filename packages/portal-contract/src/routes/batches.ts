import type {
  BatchAgreement,
  BatchList,
  BatchSettlement,
  BatchSettlements,
  BatchTransactions,
  BatchView,
  SettledTransactions,
} from '../answers/batches.ts'
import { get, post, put, type Done, type FileAnswer } from '../route.ts'

interface BatchesQuery {
  readonly site?: string
  readonly account?: string
  readonly state?: 'open' | 'closed'
  /** The value of `next` on the page before. */
  readonly before?: string
}

/** Transactions of a batch in one payout, or in none. */
interface SettledQuery {
  readonly state: BatchSettlement['state']
  readonly currency: string
  readonly payout?: string
  /** The value of `next` on the page before. */
  readonly after?: string
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
  settled: get('/batches/:id/settlements/transactions', 'batches.see').answers<
    SettledTransactions,
    { query: SettledQuery }
  >(),
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
