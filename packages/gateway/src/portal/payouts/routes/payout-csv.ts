import { brandName } from '@tollgate/portal-contract/card-brands'
import { csvRow } from '../../../base/csv.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { Statement } from '../usecases/make-statement.ts'
import type { LinePlace, PayoutLine, PayoutRow, StatementLine } from '../usecases/payouts.ts'

const ROWS_AT_ONCE = 1_000

const PAYOUTS_HEAD = csvRow([
  'Payout',
  'Date',
  'Trace',
  'State',
  'Merchant account',
  'Currency',
  'Carried in',
  'Gross',
  'Refunds',
  'Chargebacks',
  'Fees',
  'Reserve',
  'Other',
  'Left at the acquirer',
  'Net',
  'Arrives',
  "Acquirer's id",
])

/** Payouts, a line each; `read` returns those behind an id, the newest first. */
export async function* payoutsCsv(
  read: (before: bigint | null, limit: number) => Promise<readonly PayoutRow[]>,
): AsyncGenerator<string> {
  yield PAYOUTS_HEAD
  let before: bigint | null = null
  for (;;) {
    const rows = await read(before, ROWS_AT_ONCE)
    yield rows.map(payoutLine).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return
    before = last.id
  }
}

function payoutLine(row: PayoutRow): string {
  const amount = (minor: bigint) => amountCell(minor, row.currency)
  return csvRow([
    row.id.toString(),
    row.valueDate,
    row.trace ?? '',
    row.state,
    row.accountId.toString(),
    row.currency,
    amount(row.carriedMinor),
    amount(row.grossMinor),
    amount(row.refundsMinor),
    amount(row.chargebacksMinor),
    amount(row.feesMinor),
    amount(row.reserveMinor),
    amount(row.otherMinor),
    amount(row.leftMinor),
    amount(row.netMinor),
    row.arrives ?? '',
    row.payout ?? '',
  ])
}

const LINES_HEAD = [
  'File',
  'Line',
  "Acquirer's line id",
  'Kind',
  'Order',
  'Your order id',
  'Transaction',
  'Action',
  'Card brand',
  'Currency',
  'Gross',
  'Interchange',
  'Scheme fees',
  'Acquirer fees',
  'Dispute fees',
  'Tax',
  'Other fees',
  'Net',
  'Value date',
  'Note',
]

type ReadLines<Line> = (after: LinePlace, limit: number) => Promise<readonly Line[]>

/** Lines of settlement files in their sequence; `read` returns those behind a place. */
export async function* linesCsv(
  read: ReadLines<PayoutLine>,
  currency: string,
): AsyncGenerator<string> {
  yield csvRow(LINES_HEAD)
  yield* linePieces(read, (row) => csvRow(lineCells(row, currency)))
}

/** Lines of a row of a statement; the last column has the sum of the row. */
export async function* statementLinesCsv(
  read: ReadLines<StatementLine>,
  currency: string,
): AsyncGenerator<string> {
  yield csvRow([...LINES_HEAD, 'In this row'])
  yield* linePieces(read, (row) =>
    csvRow([...lineCells(row, currency), amountCell(row.postedMinor, currency)]),
  )
}

async function* linePieces<Line extends LinePlace>(
  read: ReadLines<Line>,
  rowOf: (line: Line) => string,
): AsyncGenerator<string> {
  let after: LinePlace = { fileId: 0n, n: 0 }
  for (;;) {
    const rows = await read(after, ROWS_AT_ONCE)
    yield rows.map(rowOf).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return
    after = last
  }
}

function lineCells(row: PayoutLine, currency: string): readonly string[] {
  const { acquirer, dispute, interchange, other, scheme, tax } = row.fees
  return [
    row.fileSeq.toString(),
    row.n.toString(),
    row.lineId,
    row.kind,
    row.orderId?.toString() ?? '',
    row.orderReference,
    row.transactionId?.toString() ?? '',
    row.transactionKind ?? '',
    row.brand === null ? '' : brandName(row.brand),
    currency,
    ...[row.grossMinor, interchange, scheme, acquirer, dispute, tax, other, row.netMinor].map(
      (minor) => amountCell(minor, currency),
    ),
    row.valueDate,
    row.note,
  ]
}

/** A statement: a row each for balances, movements and the operator's fees. */
export function statementCsv(statement: Statement): string {
  const { operatorFees: fees, rows, source } = statement
  const line = (section: string, name: string, count: number | null, minor: bigint): string =>
    csvRow([
      statement.month,
      source.accountId.toString(),
      source.currency,
      section,
      name,
      count === null ? '' : count.toString(),
      amountCell(minor, source.currency),
    ])
  return [
    csvRow(['Month', 'Merchant account', 'Currency', 'Section', 'Row', 'Postings', 'Amount']),
    line('balance', 'opening', null, statement.openingMinor),
    ...rows.map(({ count, minor, name }) => line('movement', name, count, minor)),
    line('balance', 'closing', null, statement.closingMinor),
    line('operator fees', 'sales', null, fees.salesMinor),
    line('operator fees', 'refunds', null, fees.refundsMinor),
    line('operator fees', 'monthly', null, fees.monthlyMinor),
  ].join('')
}

/** An amount as files have it: exact decimal text without the currency. */
export function amountCell(minor: bigint, currency: string): string {
  const known = findCurrency(currency)
  return known === null ? minor.toString() : formatMinor(minor, known)
}
