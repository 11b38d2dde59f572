import pg from 'pg'
import { createTransact } from '../../../../src/adapters/postgres/audit/admin-transaction.ts'
import { settlementInvariants } from '../../../../src/adapters/postgres/books/invariants/settlement-invariants.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import { createDeadlineStore } from '../../../../src/adapters/postgres/settlement/deadline-store.ts'
import { differenceTx } from '../../../../src/adapters/postgres/settlement/difference-store.ts'
import { createSettlementImportStore } from '../../../../src/adapters/postgres/settlement/import-store.ts'
import { retrievalReference } from '../../../../src/adapters/processor-iso8583/message-identity.ts'
import { createDifferenceChanges } from '../../../../src/usecases/settlement/change-difference.ts'
import { importFile, type ImportOutcome } from '../../../../src/usecases/settlement/import-file.ts'
import { raiseMissing } from '../../../../src/usecases/settlement/raise-missing.ts'
import { sha256 } from '../../../domain/settlement/file-text.ts'

/** The business day of every file and order, unless a test states another one. */
export const AT = new Date('2026-11-19T10:00:00Z')
const ACCOUNT = 2001

/** A capture or refund that the gateway made. */
export interface Movement {
  readonly kind: 'sale' | 'capture' | 'refund'
  readonly minor: number
  readonly voided?: number
}

/** The books of one merchant account with a source in euros. */
export interface SettlementBooks {
  readonly database: Database
  /** An approved order with these movements; the answer is its keys. */
  order(
    movements: readonly Movement[],
    options?: { readonly currency?: string; readonly at?: Date; readonly settledMinor?: number },
  ): Promise<{
    readonly id: number
    readonly rrn: string
    readonly transactions: readonly number[]
  }>
  import(text: string, onProgress?: () => void): Promise<ImportOutcome>
  raiseMissing(at: string): Promise<number>
  readonly changes: ReturnType<typeof createDifferenceChanges>
  /** Rows of a query, each as its values with blanks between. */
  rows(sql: string): Promise<string[]>
  /** Code, order and amounts of each difference, by line. */
  differences(): Promise<string[]>
  /** The balance of each account that has one: plus is a debit. */
  balances(): Promise<Record<string, number>>
  /** The names of the settlement rules that do not hold. */
  broken(): Promise<string[]>
  close(): Promise<void>
}

/** @param url a database with the schema */
export async function openBooks(url: string, mode: 'test' | 'live'): Promise<SettlementBooks> {
  const database = openDatabase(url, () => undefined)
  const { pool } = database
  await layMerchant(pool, mode)
  const files = database.files()
  let last = 880_100
  const rows = async (sql: string): Promise<string[]> => {
    const result = await pool.query<unknown[]>({ text: sql, rowMode: 'array' })
    return result.rows.map((row) => row.map((value) => value ?? '-').join(' '))
  }
  return {
    database,
    async order(movements, { currency = 'EUR', at = AT, settledMinor } = {}) {
      last += 1
      const id = last
      const transactions = await layOrder(pool, id, movements, { currency, at, settledMinor })
      return { id, rrn: retrievalReference({ number: BigInt(id), at }), transactions }
    },
    import: (text, onProgress = () => undefined) =>
      importFile(
        {
          store: createSettlementImportStore(files),
          newSha256: sha256,
          clock: { now: () => AT },
          by: 'operator:test',
          onProgress,
        },
        {
          name: 'file.jsonl',
          // eslint-disable-next-line @typescript-eslint/require-await
          async *open() {
            yield new TextEncoder().encode(text)
          },
        },
        null,
      ),
    raiseMissing: (at) =>
      raiseMissing({ store: createDeadlineStore(files), clock: { now: () => new Date(at) } }),
    changes: createDifferenceChanges(createTransact(pool, differenceTx), { now: () => AT }, null),
    rows,
    differences: () =>
      rows(`select code, coalesce(n::text, 'no line'), coalesce(here_minor::text, 'nothing'),
                   coalesce(bank_minor::text, 'nothing'), state, ended_as
              from settlement_differences order by file_id, n, id`),
    async balances() {
      const found = await rows(`
        select account, sum(minor) from (
          select debit as account, amount_minor as minor from account_entries
           union all select credit, -amount_minor from account_entries) e
         group by account having sum(minor) <> 0 order by account`)
      return Object.fromEntries(
        found.map((row) => [row.split(' ')[0] ?? '', Number(row.split(' ')[1])]),
      )
    },
    async broken() {
      const names: string[] = []
      for (const { name, sql } of settlementInvariants) {
        if ((await pool.query(sql)).rows.length > 0) names.push(name)
      }
      return names
    },
    close: () => database.close(),
  }
}

async function layMerchant(pool: pg.Pool, mode: 'test' | 'live'): Promise<void> {
  await pool.query(
    `insert into merchants (id, name, time_zone) values (1, 'Demo', 'Europe/Berlin')`,
  )
  await pool.query(`insert into processor_links (name, mode, addresses, profile, institution_id,
      echo_idle_seconds, request_window, message_timeout_ms)
    values ('acme', '${mode}', '{127.0.0.1:1}', 'house', '500001', 60, 8, 1000)`)
  await pool.query(`insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
      acquirer_merchant_id, category_code, name_and_location, currencies, processor_link_id)
    select ${ACCOUNT}, 1, '${mode}', 'acme', '500001', 'M1', '5999', 'Demo', '{EUR,USD}', id
      from processor_links`)
  await pool.query(`insert into batches (id, merchant_id, merchant_account_id, closed_at)
    values (417, 1, ${ACCOUNT}, '2026-11-19T20:00:00Z')`)
  await pool.query(`insert into settlement_sources (merchant_id, merchant_account_id, currency, sender,
      receiver, account, since, fx_band_basis_points, made_by)
    values (1, ${ACCOUNT}, 'EUR', 'bank-demo', 'gw-01', 'MA-1042', '2026-11-01', 250, 'test')`)
}

async function layOrder(
  pool: pg.Pool,
  id: number,
  movements: readonly Movement[],
  {
    at,
    currency,
    settledMinor,
  }: { readonly at: Date; readonly currency: string; readonly settledMinor: number | undefined },
): Promise<number[]> {
  const captured = movements
    .filter(({ kind }) => kind !== 'refund')
    .reduce((sum, { minor }) => sum + minor, 0)
  await pool.query(
    `insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id,
       payment_method_id, kind, state, currency, requested_minor, authorized_minor, captured_minor,
       message_number, message_at, entry_mode, created_at)
     select $1, 1, 11, id, mode, 1, 1, 'payment', 'authorized', $2, $3, $3, $3, $1, $4, '010', $4
       from merchant_accounts`,
    [id, currency, captured, at],
  )
  const ids: number[] = []
  for (const [place, { kind, minor, voided = 0 }] of movements.entries()) {
    const transaction = id * 10 + place
    ids.push(transaction)
    await pool.query(
      `insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
         value_minor, voided_minor, batch_id, created_at, concluded_at, settled_minor,
         settled_currency, settled_rate)
       values ($1, 1, $2, 1, $3, 'approved', $4, $4, $5, 417, $6, $6, $7, $8, $9)`,
      [
        transaction,
        id,
        kind,
        minor,
        voided,
        at,
        settledMinor ?? null,
        ...(settledMinor === undefined ? [null, null] : ['EUR', '0.9']),
      ],
    )
    await pool.query(
      `insert into ledger_postings (merchant_id, order_id, transaction_id, kind, currency,
         amount_minor, posted_at)
       select 1, $1, $2, $3::ledger_posting_kind, $4, $5::bigint, $6 where $5::bigint > 0`,
      [id, transaction, kind === 'refund' ? 'refund' : 'capture', currency, minor - voided, at],
    )
  }
  return ids
}
