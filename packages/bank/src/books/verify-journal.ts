import { join } from 'node:path'
import { InvariantError } from '../invariant.ts'
import { Books } from './books.ts'
import { JOURNAL_NAME, JournalDamage, readJournal } from './journal-file.ts'

export interface JournalReport {
  /** Records that were read and found sound. */
  readonly records: number
  /** Whole sentences; empty when the books are sound. */
  readonly problems: readonly string[]
  /** Bytes of an unfinished line at the end, which a start would truncate. */
  readonly tornBytes: number
}

/**
 * Reads the journal in a bank's folder from its first line and checks:
 * - the chain of hashes
 * - debits and credits of each record, which must be equal
 * - the available amount of each account, which must be its ledger less its holds after each record
 * - orders, accounts and ledgers, which must agree in the end.
 *
 * It does not read the snapshot. Safe while the bank runs.
 */
export async function verifyJournal(folder: string): Promise<JournalReport> {
  const books = new Books()
  let records = 0
  try {
    const { tornBytes } = await readJournal(join(folder, JOURNAL_NAME), 0, (record, offset) => {
      books.apply(record, offset)
      records += 1
    })
    return { records, problems: books.findContradictions(), tornBytes }
  } catch (error) {
    if (error instanceof JournalDamage) return { records, problems: [error.message], tornBytes: 0 }
    if (error instanceof InvariantError) {
      return { records, problems: [`Line ${records + 1}: ${error.message}`], tornBytes: 0 }
    }
    throw error
  }
}
