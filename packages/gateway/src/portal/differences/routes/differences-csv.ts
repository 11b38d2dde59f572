import { DIFFERENCE_TEXTS } from '@tollgate/portal-contract/difference-words'
import { csvRow } from '../../../base/csv.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { DifferenceView } from '../../../usecases/settlement/difference-store.ts'

const ROWS_AT_ONCE = 500
const HEAD = csvRow([
  'Difference',
  'State',
  'Code',
  'Meaning',
  'Account',
  'Order',
  'Transaction',
  'File',
  'Line',
  'Currency here',
  'Amount here',
  'Currency at bank',
  'Amount at bank',
  'Since',
  'Age in bank days',
  'Owner',
  'Ended as',
])

/** Differences, a line each; `read` returns those after one. */
export async function* differencesCsv(
  read: (after: bigint | null, limit: number) => Promise<readonly DifferenceView[]>,
): AsyncGenerator<string> {
  yield HEAD
  let after: bigint | null = null
  for (;;) {
    const rows: readonly DifferenceView[] = await read(after, ROWS_AT_ONCE)
    yield rows.map(line).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return
    after = last.id
  }
}

function line(row: DifferenceView): string {
  const { ageBankDays, bank, code, end, here, owner, since, state } = row
  return csvRow([
    row.id.toString(),
    state,
    code,
    DIFFERENCE_TEXTS[code],
    row.merchantAccountId.toString(),
    row.orderId?.toString() ?? '',
    row.transactionId?.toString() ?? '',
    row.fileId?.toString() ?? '',
    row.line?.toString() ?? '',
    here?.currency ?? '',
    amount(here),
    bank?.currency ?? '',
    amount(bank),
    since,
    String(ageBankDays),
    owner,
    end?.as ?? '',
  ])
}

function amount(side: DifferenceView['here']): string {
  if (side === null) return ''
  const known = findCurrency(side.currency)
  return known === null ? side.minor.toString() : formatMinor(side.minor, known)
}
