import pg from 'pg'
import { readBankBooks } from '../adapters/bank-control/bank-books.ts'
import type { ReadBankSecret } from '../adapters/bank-control/link-secret.ts'
import {
  checkInvariants,
  type InvariantResult,
} from '../adapters/postgres/books/invariants/check-invariants.ts'
import { createReconcileStore } from '../adapters/postgres/books/reconcile-store.ts'
import { connectOnce } from '../adapters/postgres/connection/address-ring.ts'
import { reasonOf } from '../adapters/postgres/connection/await-database.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { isDatabaseAway } from '../adapters/postgres/connection/database.ts'
import { readIdMarks } from '../adapters/postgres/connection/id-marks.ts'
import { readIdentity } from '../adapters/postgres/connection/id-sequences.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { assertSchemaFits, SchemaError } from '../adapters/postgres/connection/schema-fit.ts'
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
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'

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
export type { InvariantResult } from '../adapters/postgres/books/invariants/check-invariants.ts'
export { bankSecretOf } from '../adapters/bank-control/link-secret.ts'
export { BankBooksError, readControlAddress } from '../adapters/bank-control/bank-books.ts'

/** The database cannot be queried; says why in whole sentences, without its address. */
export class BooksUnavailableError extends Error {
  override readonly name = 'BooksUnavailableError'
}

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

/** Twice what the resolver waits beyond the bank's time-out: by then it has looked. */
const RESOLVER_MARGIN_MS = 60_000
const SETTLE_MS = 1_000

/**
 * Checks every invariant of a gateway's database, while the gateway runs or not.
 * @throws BooksUnavailableError when the database cannot be queried.
 */
export function verifyBooks(
  databaseUrl: DatabaseAddress,
  options: {
    readonly bankTimeoutMs: number
    /** The folder with the id marks of this node. */
    readonly dataDir: string
    readonly onStep?: (step: { number: number; of: number; sentence: string }) => void
  },
): Promise<InvariantResult[]> {
  const { bankTimeoutMs, dataDir, onStep } = options
  return withConnection(databaseUrl, async (client) =>
    checkInvariants(client, {
      longestRunMs: bankTimeoutMs + RESOLVER_MARGIN_MS,
      idMarks: readIdMarks(dataDir, await readIdentity(client)),
      ...(onStep === undefined ? {} : { onStep }),
    }),
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
      store: createReconcileStore(client, messageNumber, merchantId),
      readBank: () => readBankBooks(controlUrl, readSecret),
      pause: () => new Promise((resolve) => setTimeout(resolve, SETTLE_MS)),
      ...(onProgress === undefined ? {} : { onProgress }),
    }),
  )
}

// Whole tables are joined here. Until their sizes are known, a plan that looks up row by row would
// take hours.
const FOR_REPORTS = '-c work_mem=64MB -c statement_timeout=0 -c enable_nestloop=off -c jit=off'

/**
 * Lends a connection of its own to a command.
 * @throws BooksUnavailableError when the database cannot be queried.
 */
export async function withConnection<T>(
  databaseUrl: DatabaseAddress,
  work: (client: pg.Client) => Promise<T>,
  options = FOR_REPORTS,
): Promise<T> {
  const client = await connect(databaseUrl, {
    connectionTimeoutMillis: 5_000,
    application_name: 'tollgate books',
    options,
  })
  try {
    await assertSchemaFits(client, (await readMigrations(MIGRATIONS_FOLDER)).length)
    return await work(client)
  } catch (error) {
    if (error instanceof SchemaError) throw new BooksUnavailableError(error.message)
    if (isDatabaseAway(error)) {
      throw new BooksUnavailableError(`The database stopped answering: ${reasonOf(error)}.`)
    }
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function connect(databaseUrl: DatabaseAddress, config: pg.ClientConfig): Promise<pg.Client> {
  try {
    return await connectOnce(databaseUrl, config)
  } catch (error) {
    throw new BooksUnavailableError(
      `The database cannot be connected to: ${reasonOf(error)}. ` +
        'Start Tollgate, or check DATABASE_URL.',
    )
  }
}
