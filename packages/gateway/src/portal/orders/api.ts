import type { Wire } from '../shell/api.ts'
// What the lists of orders and transactions answer, as the pages read it.
import type { ColumnKey, ListRow as Row } from '../words/order-columns.ts'
import type { DayRange } from './domain/search-words.ts'
import type { CurrencyTotals, ListChoices, ReadingFound } from './usecases/order-list.ts'
import type { OrderView as View } from './usecases/order-views.ts'

export type ListRow = Wire<Row>
export type OrderView = Wire<View>

export interface ListAnswer {
  readonly rows: readonly ListRow[]
  /** To be sent as `after` for the next page; null at the end. */
  readonly next: string | null
  readonly lookedUntil: string | null
  readonly readings: readonly Wire<ReadingFound>[]
  /** The days that the list is narrowed to. */
  readonly days: DayRange | null
}

export interface TotalsAnswer {
  /** Null: it would take too long. */
  readonly totals: readonly Wire<CurrencyTotals>[] | null
}

export interface ListSettings {
  readonly views: readonly OrderView[]
  readonly columns: readonly ColumnKey[]
  readonly choices: Wire<ListChoices>
}
