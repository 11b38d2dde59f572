import type pg from 'pg'
import { readBankBooks } from '../adapters/bank-control/bank-books.ts'
import { readBankChanges } from '../adapters/bank-control/changed-bank-orders.ts'
import type { ReadBankSecret } from '../adapters/bank-control/link-secret.ts'
import type { NoMark } from '../adapters/postgres/books/invariants/verify-runs.ts'
import { allOrders, CHOSEN_ORDERS } from '../adapters/postgres/books/orders-in-books.ts'
import {
  canNoteRecon,
  createReconRuns,
  readReconMark,
  type FullMark,
} from '../adapters/postgres/books/recon-runs.ts'
import { createReconcileStore } from '../adapters/postgres/books/reconcile-store.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { messageNumber, stanAndTerminal } from '../adapters/processor-iso8583/message-identity.ts'
import { reconcileAndNote, reconcileChanges } from '../usecases/books/reconcile-changes.ts'
import {
  reconcile,
  type ComparisonProgress,
  type Reconciliation,
} from '../usecases/books/reconcile.ts'
import { BooksUnavailableError, withConnection } from './books-connection.ts'

/** Milliseconds in which a message on its way has arrived in the other books. */
export const SETTLE_MS = 1_000

const NO_MARK: Readonly<Record<NoMark, string>> = {
  'no run': 'No run has compared all orders yet.',
  'events are gone': 'The events behind the last run are erased.',
  'older copy': 'This database is an older copy than the one that the last run has compared.',
}

/** A comparison that another one can go on from. */
export interface NotedReconciliation extends Reconciliation {
  /** Null for a full run. */
  readonly sinceLast: {
    /** When the run began that this one goes on from. */
    readonly since: Date
    /** The kinds of orders that only a full run compares. */
    readonly leftOut: readonly 'orders_unchanged_in_both_books'[]
  } | null
}

interface NotedOptions {
  readonly controlUrl: string
  readonly readSecret: ReadBankSecret
  /** How long before differences are read again, in milliseconds. */
  readonly settleMs: number
  readonly onProgress?: (progress: ComparisonProgress) => void
}

/**
 * As `reconcileBooks` for all merchants, and notes the run for the next one where the database can
 * be written. With `sinceLast` it compares what gateway or bank have changed since that run.
 * @throws BooksUnavailableError or BankBooksError when one of the books cannot be read as a whole,
 * or no run can be gone on from.
 */
export function reconcileNoted(
  databaseUrl: DatabaseAddress,
  sinceLast: boolean,
  options: NotedOptions,
): Promise<NotedReconciliation> {
  return withConnection(databaseUrl, async (client) => {
    const isNoted = await canNoteRecon(client)
    if (sinceLast) return compareChanges(client, await markOf(client, isNoted), options)
    const deps = depsOf(client, null, options)
    const found = await (isNoted ? reconcileAndNote(deps) : reconcile(deps))
    return { ...found, sinceLast: null }
  })
}

async function compareChanges(
  client: pg.Client,
  mark: FullMark,
  options: NotedOptions,
): Promise<NotedReconciliation> {
  const found = await reconcileChanges(depsOf(client, mark, options), mark)
  const leftOut = ['orders_unchanged_in_both_books'] as const
  return { ...found, sinceLast: { since: mark.beganAt, leftOut } }
}

async function markOf(client: pg.Client, isNoted: boolean): Promise<FullMark> {
  const refuse = (reason: string): never => {
    throw new BooksUnavailableError(`${reason} Run "tollgate recon" without --since-last.`)
  }
  if (!isNoted) {
    return refuse('This database or its role takes no writes, so no run was noted here.')
  }
  const mark = await readReconMark(client)
  return typeof mark === 'string' ? refuse(NO_MARK[mark]) : mark
}

function depsOf(
  client: pg.Client,
  mark: FullMark | null,
  { controlUrl, onProgress, readSecret, settleMs }: NotedOptions,
) {
  const chosen = mark === null ? allOrders(null) : CHOSEN_ORDERS
  const store = createReconcileStore(client, messageNumber, chosen)
  return {
    store,
    runs: createReconRuns(client, store, mark, stanAndTerminal),
    bank: readBankChanges(controlUrl, readSecret),
    readBank: () => readBankBooks(controlUrl, readSecret),
    pause: () => new Promise<void>((resolve) => setTimeout(resolve, settleMs)),
    ...(onProgress === undefined ? {} : { onProgress }),
  }
}
