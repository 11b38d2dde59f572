import type * as batches from '../../usecases/books/batches.ts'
// What the portal's API answers about batches.
import type { Wire } from '../shell/api.ts'

export interface BatchListAnswer {
  readonly batches: readonly batches.BatchView[]
  /** What the next page begins behind; null on the last. */
  readonly next: bigint | null
  readonly accounts: readonly batches.BatchAccount[]
}

export interface BatchTransactionsAnswer {
  readonly transactions: readonly batches.BatchTransaction[]
  readonly next: bigint | null
}

export type BatchList = Wire<BatchListAnswer>
export type BatchView = Wire<batches.BatchView>
export type BatchSum = Wire<batches.BatchSum>
export type BatchAccount = Wire<batches.BatchAccount>
export type BatchTransaction = Wire<batches.BatchTransaction>
export type BatchTransactions = Wire<BatchTransactionsAnswer>
