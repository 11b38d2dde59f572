import { isoIn } from '@tollgate/kernel/time-zone'
import { brandName } from '@tollgate/portal-contract/card-brands'
import { DISPUTE_STATE_TEXTS } from '@tollgate/portal-contract/dispute-words'
import { csvRow } from '../../../base/csv.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import {
  dueDayOf,
  type DisputePlace,
  type DisputeView,
} from '../../../usecases/disputes/dispute-views.ts'

const ROWS_AT_ONCE = 500
const HEAD = csvRow([
  'Dispute',
  "Acquirer's case",
  'State',
  'Account',
  'Order',
  'Card brand',
  'Currency',
  'Amount',
  'Reason',
  'Reason in words',
  'Money taken',
  'Answer by',
  'Network limit',
  'Days left',
  'Answer',
  'Opened',
  'Ended',
])

/** Disputes, a line each; `read` returns those behind one. Times have the offset of the zone. */
export async function* disputesCsv(
  read: (after: DisputePlace | null, limit: number) => Promise<readonly DisputeView[]>,
  timeZone: string,
): AsyncGenerator<string> {
  yield HEAD
  let after: DisputePlace | null = null
  for (;;) {
    const rows: readonly DisputeView[] = await read(after, ROWS_AT_ONCE)
    yield rows.map((row) => line(row, timeZone)).join('')
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return
    after = { id: last.id, day: dueDayOf(last) }
  }
}

function line(row: DisputeView, timeZone: string): string {
  return csvRow([
    row.id.toString(),
    row.caseId,
    DISPUTE_STATE_TEXTS[row.state],
    row.merchantAccountId.toString(),
    row.orderId?.toString() ?? '',
    brandName(row.brand),
    row.currency,
    amount(row),
    row.reason ?? '',
    row.reasonName ?? '',
    row.isCharged ? 'yes' : 'no',
    row.respondBy ?? '',
    row.networkDue ?? '',
    row.daysLeft?.toString() ?? '',
    row.answer ?? '',
    isoIn(timeZone, row.openedAt),
    row.endedAt === null ? '' : isoIn(timeZone, row.endedAt),
  ])
}

function amount({ amountMinor, currency }: DisputeView): string {
  const known = findCurrency(currency)
  return known === null ? amountMinor.toString() : formatMinor(amountMinor, known)
}
