import { join } from 'node:path'
import { reportAccounts, reportStatement } from '../books/accounts-report.ts'
import { reportBatches, reportTerminals, reportTotals } from '../books/books-report.ts'
import type { Books } from '../books/books.ts'
import { countCardsOnFile } from '../books/card-on-file-report.ts'
import { positionText } from '../books/changed-orders.ts'
import { JOURNAL_NAME } from '../books/journal-file.ts'
import type { Journal } from '../books/journal.ts'
import type { AccountIds } from '../issuer/account-ids.ts'

/** The sources of the reports. */
export interface ReportParts {
  /** The bank's folder. */
  readonly folder: string
  readonly books: Books
  readonly accountIds: AccountIds
  readonly journal: Pick<Journal, 'end' | 'flushed'>
}

/** Makes one JSON object. */
type Report = (parts: ReportParts, parameters: URLSearchParams) => object | Promise<object>

/** The reports by their addresses. */
export const REPORTS: ReadonlyMap<string, Report> = new Map<string, Report>([
  [
    'GET /accounts',
    ({ accountIds, books }, parameters) => ({
      accounts: reportAccounts(books, accountIds, merchantsIn(parameters)),
    }),
  ],
  [
    'GET /statement',
    ({ books }, parameters) => ({
      lines: reportStatement(books, parameters.get('account') ?? '', merchantsIn(parameters)),
    }),
  ],
  [
    'GET /books/batches',
    ({ books }, parameters) => ({ batches: reportBatches(books, merchantsIn(parameters)) }),
  ],
  ['GET /books/terminals', ({ books }) => ({ terminals: reportTerminals(books) })],
  ['GET /books/totals', ({ books }) => ({ totals: reportTotals(books) })],
  ['GET /books/position', reportPosition],
  ['GET /books/cards-on-file', reportCardsOnFile],
])

/** The merchants that a report is about; it is about all if there are none. */
function merchantsIn(parameters: URLSearchParams): ReadonlySet<string> {
  return new Set(parameters.getAll('merchant'))
}

async function reportCardsOnFile({ folder }: ReportParts): Promise<object> {
  return { payments: await countCardsOnFile(join(folder, JOURNAL_NAME)) }
}

/** A position counts only once everything before it is on the disk. */
async function reportPosition({ journal }: ReportParts): Promise<object> {
  const position = positionText(journal.end)
  await journal.flushed()
  return { position }
}
