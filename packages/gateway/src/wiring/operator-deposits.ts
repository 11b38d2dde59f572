import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import type pg from 'pg'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import type { Database } from '../adapters/postgres/connection/database.ts'
import { isLockTimeout } from '../adapters/postgres/connection/transaction.ts'
import { bankAccountTx } from '../adapters/postgres/settlement/bank-account-store.ts'
import { createDepositReader } from '../adapters/postgres/settlement/deposit-reader.ts'
import { depositTx } from '../adapters/postgres/settlement/deposit-rows.ts'
import { readStatementFile } from '../adapters/settlement-files/camt-statement.ts'
import { StatementRefused } from '../adapters/settlement-files/camt-xml.ts'
import { maskText } from '../base/card-masking.ts'
import { systemClock } from '../base/clock.ts'
import type { Result } from '../base/refusal.ts'
import type { DepositReader } from '../usecases/settlement/deposit-views.ts'
import {
  importStatements,
  recordRefusal,
  type StatementOutcome,
  type StatementPages,
} from '../usecases/settlement/import-statements.ts'
import { matchByHand, type MatchedCounts } from '../usecases/settlement/match-deposits.ts'
import {
  createPutBankAccount,
  putPayer,
  type BankAccountRequest,
  type PayerRequest,
} from '../usecases/settlement/put-bank-account.ts'

export { STATEMENT_FAULTS } from '../usecases/settlement/check-statements.ts'
export type {
  BankAccountView,
  BankEntryView,
  BankStatementView,
  PayerView,
} from '../usecases/settlement/deposit-views.ts'
export type {
  ImportedStatement,
  StatementOutcome,
} from '../usecases/settlement/import-statements.ts'
export type { MatchedCounts } from '../usecases/settlement/match-deposits.ts'

/** An operator's operations on bank accounts, statements and deposits. */
export interface DepositOperator extends DepositReader {
  putAccount(request: BankAccountRequest): Promise<Result<{ readonly last4: string }>>
  putPayer(request: PayerRequest): Promise<Result>
  /** Imports files of this machine: all of them or nothing. */
  importPaths(
    paths: readonly string[],
    acceptGap: boolean,
    onProgress: (step: string) => void,
  ): Promise<StatementOutcome>
  /** Matches an entry with the payout that a person chose. */
  match(entryId: bigint, payoutId: bigint): Promise<Result<{ readonly counts: MatchedCounts }>>
}

export function createDepositOperator(
  database: Database,
  pool: pg.Pool,
  actor: string,
): DepositOperator {
  const files = database.files()
  const by = { actor, address: '' }
  const transact = createTransact(files, depositTx)
  const accounts = createTransact(pool, bankAccountTx)
  const putBankAccount = createPutBankAccount(sha256)
  return {
    ...createDepositReader(files),
    putAccount: (request) => putBankAccount(accounts, request, by),
    putPayer: (request) => putPayer(accounts, request, by),
    async importPaths(paths, acceptGap, onProgress) {
      const names = paths.map((path) => basename(path))
      const pages: StatementPages[] = []
      try {
        for (const path of paths) {
          onProgress(`reading ${basename(path)}`)
          pages.push(await readStatementFile(path))
        }
      } catch (error) {
        if (!(error instanceof StatementRefused)) throw error
        await recordRefusal({ transact, by: actor }, { names }, 'unreadable')
        return { kind: 'refused', code: 'unreadable', reasons: [error.message] }
      }
      const clock = systemClock
      const deps = {
        transact,
        sha256,
        mask: maskText,
        clock,
        by: actor,
        onProgress,
        isBusy: isLockTimeout,
      }
      return importStatements(deps, { names, files: pages, acceptGap })
    },
    match: (entryId, payoutId) => matchByHand(transact, { entryId, payoutId }, by, systemClock),
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
