import { readStatementFile } from '../adapters/settlement-files/camt-statement.ts'
import { StatementRefused } from '../adapters/settlement-files/camt-xml.ts'
import { maskText } from '../base/card-masking.ts'
import { refused, type Result } from '../base/refusal.ts'
import { formatMinor } from '../domain/money.ts'
import {
  checkBalance,
  joinPages,
  searchTexts,
  type BankStatement,
  type ReversalReading,
} from '../domain/settlement/bank-statement.ts'

/** A bank statement as it would be imported. Amounts are decimal texts. */
export interface TriedStatement {
  readonly kind: 'statement' | 'notification'
  readonly id: string
  readonly last4: string
  readonly currency: string
  readonly opening: string | null
  readonly closing: string | null
  readonly isCopy: boolean
  readonly entries: readonly {
    readonly position: number
    readonly amount: string
    readonly state: string
    readonly isReversal: boolean
    readonly bookedOn: string | null
    readonly code: string | null
    /** The names of the other side, by which acquirers are recognised, masked. */
    readonly names: readonly string[]
    /** The texts in which payouts are sought, masked. */
    readonly texts: readonly string[]
  }[]
  /** Why it would be refused; null for nothing. */
  readonly fault: string | null
}

/**
 * Reads the files of bank statements and checks their balances. Writes nothing.
 * @param reading how the bank marks entries that reverse others
 */
export async function tryStatementFiles(
  paths: readonly string[],
  reading: ReversalReading,
): Promise<Result<{ readonly statements: readonly TriedStatement[] }>> {
  const pages: BankStatement[] = []
  try {
    for (const path of paths) pages.push(...(await readStatementFile(path)).pages)
  } catch (error) {
    if (!(error instanceof StatementRefused)) throw error
    return refused('invalid', error.message)
  }
  const { statements, faults } = joinPages(pages)
  if (faults.length > 0) return refused('invalid', faults)
  return { ok: true, statements: statements.map((each) => triedStatement(each, reading)) }
}

function triedStatement(statement: BankStatement, reading: ReversalReading): TriedStatement {
  const { account, closingMinor, currency, id, isCopy, kind, openingMinor } = statement
  const show = (minor: bigint): string => formatMinor(minor, currency)
  const check = kind === 'statement' ? checkBalance(statement, reading) : null
  const entries = check?.kind === 'balanced' ? check.entries : statement.entries
  return {
    kind,
    id,
    last4: account.last4,
    currency: currency.code,
    opening: openingMinor === null ? null : show(openingMinor),
    closing: closingMinor === null ? null : show(closingMinor),
    isCopy,
    entries: entries.map((entry) => ({
      position: entry.position,
      amount: show(entry.amountMinor),
      state: entry.state,
      isReversal: entry.isReversal,
      bookedOn: entry.bookedOn,
      code: entry.code,
      names: entry.counterparties.map(maskText),
      texts: searchTexts(entry).map(maskText),
    })),
    fault: check?.kind === 'refused' ? check.reason : null,
  }
}
