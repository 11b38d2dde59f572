import { isoIn } from '@tollgate/kernel/time-zone'
import { ACTION_TEXTS } from '@tollgate/portal-contract/order-columns'
import { csvRow } from '../../../base/csv.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { BatchTransaction } from '../../../usecases/books/batches.ts'

const ROWS_AT_ONCE = 1_000
const HEAD = csvRow([
  'Transaction',
  'Order',
  'Your order id',
  'Action',
  'Currency',
  'Amount',
  'Voided',
  'Card brand',
  'Last four',
  'Time',
])

/**
 * The content of a batch, a line each; `read` returns the lines after an id. Times have the offset
 * of the zone.
 */
export async function* batchCsv(
  read: (after: bigint, limit: number) => Promise<readonly BatchTransaction[]>,
  timeZone: string,
): AsyncGenerator<string> {
  yield HEAD
  let after = 0n
  for (;;) {
    const rows = await read(after, ROWS_AT_ONCE)
    yield rows.map((row) => line(row, timeZone)).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return
    after = last.id
  }
}

function line(row: BatchTransaction, timeZone: string): string {
  return csvRow([
    row.id.toString(),
    row.orderId.toString(),
    row.orderReference,
    ACTION_TEXTS[row.action],
    row.currency,
    amount(row.action === 'refund' ? -row.amountMinor : row.amountMinor, row.currency),
    amount(row.voidedMinor, row.currency),
    row.brand,
    row.last4,
    isoIn(timeZone, row.at),
  ])
}

function amount(minor: bigint, currency: string): string {
  const known = findCurrency(currency)
  return known === null ? minor.toString() : formatMinor(minor, known)
}
