import { createHash } from 'node:crypto'
import type pg from 'pg'
import { disputeNotices } from '../adapters/bank-control/bank-disputes.ts'
import type { ReadBankSecret } from '../adapters/bank-control/link-secret.ts'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import { noticeTx } from '../adapters/postgres/disputes/notice-rows.ts'
import { findFetchedAccounts } from '../adapters/postgres/disputes/owner-store.ts'
import {
  createNoticeFetcher,
  type NoticeFetchDeps,
  type NoticeFetcher,
} from '../usecases/disputes/fetch-notices.ts'

/** The bundled bank's name in the feeds of test accounts. */
const BUNDLED_BANK = 'bundled-bank'

/** The control API of the bundled bank. `address` throws while the bank is away. */
export interface BankControl {
  readonly address: () => string
  readonly readSecret: ReadBankSecret
}

/** Records the bundled bank's notices about test accounts in a database. */
export function openNoticeFetcher(
  pool: pg.Pool,
  { address, readSecret }: BankControl,
  deps: Pick<NoticeFetchDeps, 'clock' | 'by' | 'onRecorded' | 'onRefused'> & {
    /** The only account to ask about; all without one. */
    readonly only?: bigint
  },
): NoticeFetcher {
  return createNoticeFetcher({
    ...deps,
    transact: createTransact(pool, noticeTx),
    sha256,
    async findAccounts() {
      const { only } = deps
      const accounts = await findFetchedAccounts(pool, BUNDLED_BANK)
      return accounts.filter(({ merchantAccountId: id }) => only === undefined || id === only)
    },
    fetch: (account, after) => disputeNotices(address(), readSecret, account, after),
  })
}

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex')
}
