import { joinPages, type BankStatement } from '../../domain/settlement/bank-statement.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import {
  checkStatements,
  StatementFault,
  type CheckedStatement,
  type StatementFaultCode,
} from './check-statements.ts'
import type { DepositTx } from './deposit-store.ts'
import { matchAll, type MatchedCounts } from './match-deposits.ts'

/** The pages of a bank's file, and the hash of its bytes. */
export interface StatementPages {
  readonly pages: readonly BankStatement[]
  /** Hexadecimal SHA-256. */
  readonly sha256: string
}

export interface StatementDeps {
  readonly transact: Transact<DepositTx & AuditedTx>
  readonly sha256: (text: string) => string
  /** Masks card numbers. */
  readonly mask: (text: string) => string
  readonly clock: { now(): Date }
  /** The actor of the audit log. */
  readonly by: string
  /** Called with each step, a sentence. */
  readonly onProgress: (step: string) => void
  /** Whether an error says that another process held a lock too long. */
  readonly isBusy: (error: unknown) => boolean
}

export interface StatementRequest {
  /** The names of the files, without their folders; for the audit log. */
  readonly names: readonly string[]
  readonly files: readonly StatementPages[]
  /** Whether a statement may open with another balance than the last one closed with. */
  readonly acceptGap: boolean
}

export interface ImportedStatement {
  readonly id: bigint
  readonly statement: string
  readonly last4: string
  /** Imported before with this content: nothing was changed. */
  readonly isRepeated: boolean
  readonly entries: number
  /** Entries of other business, and those that an earlier statement has. */
  readonly others: number
  readonly repeatedEntries: number
  readonly warnings: readonly string[]
}

export type StatementOutcome =
  | {
      readonly kind: 'imported'
      readonly statements: readonly ImportedStatement[]
      /** Notifications, which announce entries, and copies. They book nothing. */
      readonly notifications: number
      readonly copies: number
      readonly counts: MatchedCounts
    }
  | {
      readonly kind: 'refused'
      readonly code: StatementFaultCode
      readonly reasons: readonly string[]
    }
  /** Another process holds the bank accounts of the merchant. */
  | { readonly kind: 'busy' }

/**
 * Imports bank statements: all that the files have, or nothing. A statement that was imported
 * before with the same content changes nothing. All statements, their deposits and their
 * differences are one transaction.
 */
export async function importStatements(
  deps: StatementDeps,
  request: StatementRequest,
): Promise<StatementOutcome> {
  try {
    return await deps.transact((tx) => importIn(tx, deps, request))
  } catch (error) {
    if (deps.isBusy(error)) return { kind: 'busy' }
    if (!(error instanceof StatementFault)) throw error
    await recordRefusal(deps, request, error.code)
    return { kind: 'refused', code: error.code, reasons: error.reasons }
  }
}

/** Records in the audit log that files were refused. */
export async function recordRefusal(
  { by, transact }: Pick<StatementDeps, 'by' | 'transact'>,
  { names }: Pick<StatementRequest, 'names'>,
  code: StatementFaultCode,
): Promise<void> {
  await transact((tx) =>
    tx.audit([
      {
        actor: by,
        operation: 'deposits.refused',
        object: '',
        result: 'refused',
        details: { files: [...names], code },
      },
    ]),
  )
}

async function importIn(
  tx: DepositTx & AuditedTx,
  deps: StatementDeps,
  request: StatementRequest,
): Promise<StatementOutcome> {
  const { statements, faults } = joinPages(request.files.flatMap(({ pages }) => pages))
  if (faults.length > 0) throw new StatementFault('pages', faults)
  const whole = statements.filter(({ isCopy, kind }) => kind === 'statement' && !isCopy)
  const checked = await checkStatements(tx, deps, {
    statements: whole,
    filesSha256: request.files.map(({ sha256 }) => sha256),
    acceptGap: request.acceptGap,
  })
  const at = deps.clock.now()
  const imported: ImportedStatement[] = []
  for (const each of checked) {
    deps.onProgress(`storing ${each.facts.entries} entries of statement ${each.facts.statement}`)
    const id = each.knownId ?? (await tx.addStatement(each.added, at, deps.by))
    imported.push({ id, ...each.facts, isRepeated: each.knownId !== null })
  }
  deps.onProgress('matching deposits with payouts')
  const counts = await matchAccounts(tx, checked, { at, by: deps.by })
  await tx.audit(entriesOf(imported, checked, deps.by))
  return {
    kind: 'imported',
    statements: imported,
    notifications: statements.filter(({ kind }) => kind === 'notification').length,
    copies: statements.filter(({ isCopy, kind }) => isCopy && kind === 'statement').length,
    counts,
  }
}

/** Matches each merchant and currency with a new statement once. */
async function matchAccounts(
  tx: DepositTx,
  checked: readonly CheckedStatement[],
  occasion: { readonly at: Date; readonly by: string },
): Promise<MatchedCounts> {
  const counts = { deposited: 0, returned: 0, completed: 0 }
  const differences = new Map<string, number>()
  const accounts = checked
    .filter(({ knownId }) => knownId === null)
    .map(({ added }) => added.account)
  const books = Map.groupBy(accounts, ({ currency, merchantId }) => `${merchantId} ${currency}`)
  for (const [first] of books.values()) {
    if (first === undefined) continue
    await tx.returnAnnounced(first.merchantId, occasion.at, occasion.by)
    const found = await matchAll(tx, first.merchantId, first.currency, occasion)
    counts.deposited += found.deposited
    counts.returned += found.returned
    counts.completed += found.completed
    for (const [code, count] of found.differences) {
      differences.set(code, (differences.get(code) ?? 0) + count)
    }
  }
  return { ...counts, differences }
}

function entriesOf(
  imported: readonly ImportedStatement[],
  checked: readonly CheckedStatement[],
  by: string,
) {
  return imported
    .map((statement, at) => ({ statement, account: checked[at]?.added.account }))
    .filter(({ statement }) => !statement.isRepeated)
    .map(({ account, statement }) => ({
      actor: by,
      operation: 'deposits.imported' as const,
      object: `bank statement ${statement.id}`,
      ...(account === undefined ? {} : { merchantId: account.merchantId }),
      result: 'done' as const,
      details: {
        statement: statement.statement,
        account: `ending in ${statement.last4}`,
        entries: statement.entries,
        others: statement.others,
      },
    }))
}
