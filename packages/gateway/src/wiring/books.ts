import { readBankBooks } from '../adapters/bank-control/bank-books.ts'
import type { ReadBankSecret } from '../adapters/bank-control/link-secret.ts'
import { allOrders } from '../adapters/postgres/books/orders-in-books.ts'
import { createReconcileStore } from '../adapters/postgres/books/reconcile-store.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { createOpenWork } from '../adapters/postgres/payments/open-work.ts'
import { messageNumber } from '../adapters/processor-iso8583/message-identity.ts'
import { systemClock } from '../base/clock.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { QueuedAdvice, QueueState } from '../usecases/books/queue-state.ts'
import {
  reconcile,
  type ComparisonProgress,
  type Reconciliation,
} from '../usecases/books/reconcile.ts'
import { withConnection } from './books-connection.ts'
import { SETTLE_MS } from './recon-books.ts'

export { BooksUnavailableError } from './books-connection.ts'
export { reconcileNoted, SETTLE_MS, type NotedReconciliation } from './recon-books.ts'
export { verifyAndNote, verifyBooks, type Verification } from './verify-books.ts'
export { findCurrency } from '../domain/currency.ts'
export { formatMinor } from '../domain/money.ts'
export type {
  AdviceFacts,
  DifferenceReason,
  OrderFigures,
  OrderInBooks,
} from '../domain/books/order-comparison.ts'
export type {
  CurrencyTotals,
  Difference,
  Reconciliation,
  ComparisonProgress as Progress,
} from '../usecases/books/reconcile.ts'
export { howOften, UNKNOWN_ORDER } from '../usecases/books/reason-words.ts'
export type { InvariantResult } from '../adapters/postgres/books/invariants/invariant.ts'
export { bankSecretOf } from '../adapters/bank-control/link-secret.ts'
export { BankBooksError, readControlAddress } from '../adapters/bank-control/bank-books.ts'

/** Why this node cannot read the bundled bank's books; null where it runs that bank. */
export function noBankBooks({
  bank,
  bundledBank,
}: Pick<GatewayConfig, 'bank' | 'bundledBank'>): string | null {
  if (bundledBank === 'on') return null
  if (bundledBank === 'off') {
    return (
      'No bundled bank runs (BANK=off), so there are no books of a bank to compare with. ' +
      '"tollgate verify" compares all orders with the ledger.'
    )
  }
  return (
    `The bundled bank of ${bank.host} port ${bank.port} runs on another node (BANK=shared). ` +
    'Its books can be read there only: run this command on that node.'
  )
}

/**
 * The messages still on their way to the bank, and the oldest advices, while the gateway runs or
 * not.
 * @throws BooksUnavailableError when the database cannot be queried.
 */
export function readQueue(databaseUrl: DatabaseAddress, limit: number): Promise<Queue> {
  const now = systemClock.now()
  return withConnection(databaseUrl, async (client) => {
    const work = createOpenWork(client)
    return {
      ...(await work.readQueueState(now)),
      longest: await work.findOldestAdvices(now, limit),
    }
  })
}

/** The queue of messages to the bank. */
export interface Queue extends QueueState {
  readonly longest: readonly QueuedAdvice[]
}

/**
 * Compares the books of a gateway, its ledger and the bundled bank while they run. `controlUrl` is
 * the address of the bank's control API.
 * @throws BooksUnavailableError or BankBooksError when one of them cannot be read as a whole.
 */
export function reconcileBooks(
  databaseUrl: DatabaseAddress,
  options: {
    readonly controlUrl: string
    readonly readSecret: ReadBankSecret
    /** Compares only the orders of this merchant that are with the bundled bank; null: all. */
    readonly merchantId: bigint | null
    readonly onProgress?: (progress: ComparisonProgress) => void
  },
): Promise<Reconciliation> {
  const { controlUrl, merchantId, onProgress, readSecret } = options
  return withConnection(databaseUrl, (client) =>
    reconcile({
      store: createReconcileStore(client, messageNumber, allOrders(merchantId)),
      readBank: () => readBankBooks(controlUrl, readSecret),
      pause: () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
      ...(onProgress === undefined ? {} : { onProgress }),
    }),
  )
}
