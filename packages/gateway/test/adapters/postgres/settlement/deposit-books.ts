import { createHash } from 'node:crypto'
import { createTransact } from '../../../../src/adapters/postgres/audit/admin-transaction.ts'
import { depositInvariants } from '../../../../src/adapters/postgres/books/invariants/deposit-invariants.ts'
import { bankAccountTx } from '../../../../src/adapters/postgres/settlement/bank-account-store.ts'
import { depositTx } from '../../../../src/adapters/postgres/settlement/deposit-rows.ts'
import { createDepositWatchStore } from '../../../../src/adapters/postgres/settlement/deposit-watch-store.ts'
import { readStatementFile } from '../../../../src/adapters/settlement-files/camt-statement.ts'
import type { Result } from '../../../../src/base/refusal.ts'
import {
  importStatements,
  type StatementOutcome,
} from '../../../../src/usecases/settlement/import-statements.ts'
import { matchByHand } from '../../../../src/usecases/settlement/match-deposits.ts'
import {
  createPutBankAccount,
  putPayer,
} from '../../../../src/usecases/settlement/put-bank-account.ts'
import { watchDeposits } from '../../../../src/usecases/settlement/watch-deposits.ts'
import { fileOf } from '../../settlement-files/support/mapped-file.ts'
import { AT, openBooks, type SettlementBooks } from './settlement-books.ts'
import { statementXml, type StatementFacts } from './statement-xml.ts'

const BY = { actor: 'operator:test', address: '' }
export const IBAN = 'DE89370400440532013000'

/** The books of a merchant account, and its bank account in euros. */
export interface DepositBooks extends SettlementBooks {
  putAccount(
    changes?: Partial<Parameters<ReturnType<typeof createPutBankAccount>>[1]>,
  ): ReturnType<ReturnType<typeof createPutBankAccount>>
  putPayer(changes?: {
    readonly payerName?: string
    readonly referencePattern?: string
  }): Promise<Result>
  /** Imports statements; each is a file. */
  statements(
    facts: readonly (StatementFacts | string)[],
    options?: { readonly acceptGap?: boolean },
  ): Promise<StatementOutcome>
  watch(at: string): Promise<{ readonly raised: number; readonly matched: number }>
  match(entryId: bigint, payoutId: bigint): ReturnType<typeof matchByHand>
  /** Name, state and net amount of each payout. */
  payouts(): Promise<string[]>
  /** Code, amounts, state and end of each difference. */
  found(): Promise<string[]>
}

/** @param url a database with the schema */
export async function openDepositBooks(url: string): Promise<DepositBooks> {
  const books = await openBooks(url, 'test')
  const files = books.database.files()
  const transact = createTransact(files, depositTx)
  const accounts = createTransact(files, bankAccountTx)
  const clock = { now: () => AT }
  return {
    ...books,
    putAccount: (changes = {}) =>
      createPutBankAccount(sha256)(
        accounts,
        {
          merchantId: 1n,
          number: IBAN,
          currency: 'EUR',
          reversals: 'as_given',
          since: '2026-11-01',
          ...changes,
        },
        BY,
      ),
    putPayer: (changes = {}) =>
      putPayer(
        accounts,
        {
          accountId: 2001n,
          currency: 'EUR',
          payerName: 'Bank-Demo  Acquiring',
          referencePattern: '',
          ...changes,
        },
        BY,
      ),
    async statements(facts, { acceptGap = false } = {}) {
      const pages = []
      for (const each of facts) {
        const xml = typeof each === 'string' ? each : statementXml(each)
        pages.push(await readStatementFile(fileOf(xml)))
      }
      return importStatements(
        {
          transact,
          sha256,
          mask: (text) => text,
          clock,
          by: BY.actor,
          onProgress: () => undefined,
          isBusy: () => false,
        },
        { names: ['a.xml'], files: pages, acceptGap },
      )
    },
    watch: (at) =>
      watchDeposits({
        store: createDepositWatchStore(files),
        transact,
        clock: { now: () => new Date(at) },
      }),
    match: (entryId, payoutId) => matchByHand(transact, { entryId, payoutId }, BY, clock),
    payouts: () =>
      books.rows(`select coalesce(payout, 'none'), state, net_minor from settlement_payouts
                   order by id`),
    found: () =>
      books.rows(`select code, coalesce(here_minor::text, 'nothing'),
                         coalesce(bank_minor::text, 'nothing'), coalesce(ended_as, state)
                    from settlement_differences where code like 'payout%' order by id`),
    async broken() {
      const names = await books.broken()
      for (const { name, sql } of depositInvariants) {
        if ((await books.database.pool.query(sql)).rows.length > 0) names.push(name)
      }
      return names
    },
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
