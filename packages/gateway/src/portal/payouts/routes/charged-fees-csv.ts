import { brandName } from '@tollgate/portal-contract/card-brands'
import { csvRow } from '../../../base/csv.ts'
import type { ChargedFee, FeePlace } from '../usecases/charged-fees.ts'
import { amountCell } from './payout-csv.ts'

const ROWS_AT_ONCE = 1_000

/** Before every fee. */
export const FIRST_FEE: FeePlace = { of: 'transaction', id: 0n }

const HEAD = csvRow([
  'Day',
  'Order',
  'Your order id',
  'Transaction',
  'Action',
  'Card brand',
  'Batch',
  'Currency',
  'Amount',
  'Fee',
])

/** Fees of the operator, a line each; `read` returns those behind a place. */
export async function* chargedFeesCsv(
  read: (after: FeePlace, limit: number) => Promise<readonly ChargedFee[]>,
  currency: string,
): AsyncGenerator<string> {
  yield HEAD
  let after = FIRST_FEE
  for (;;) {
    const rows = await read(after, ROWS_AT_ONCE)
    yield rows.map((row) => feeLine(row, currency)).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return
    after = last.place
  }
}

function feeLine(row: ChargedFee, currency: string): string {
  return csvRow([
    row.day,
    row.orderId?.toString() ?? '',
    row.orderReference,
    row.transactionId?.toString() ?? '',
    row.kind ?? 'monthly fee',
    row.brand === null ? '' : brandName(row.brand),
    row.batchId?.toString() ?? '',
    currency,
    row.amountMinor === null ? '' : amountCell(row.amountMinor, currency),
    amountCell(row.feeMinor, currency),
  ])
}
