import type { ListName, ListRow } from '@tollgate/portal-contract/order-columns'
import type { SearchReading } from '@tollgate/portal-contract/search-words'
import type { ListFilter } from '../domain/order-filter.ts'

/** What one list is asked for; everything in it is of one merchant. */
export interface ListQuestion {
  readonly merchantId: bigint
  readonly list: ListName
  readonly filter: ListFilter
  /**
   * What the search box's text may mean; empty: everything. Rows that fit any of them are shown.
   */
  readonly readings: readonly SearchReading[]
  readonly oldestFirst: boolean
}

/** Behind which row a page begins: its time in microseconds since 1970, and its id. */
export interface ListCursor {
  readonly micros: bigint
  readonly id: bigint
}

/** What came of one meaning of a search. */
export interface ReadingFound {
  readonly reading: SearchReading
  /**
   * How many orders it is; `many` for more than are counted, `walked` where the list is gone
   * through for it,
   * `unasked` where that was left out because others were found at once.
   */
  readonly found: number | 'many' | 'walked' | 'unasked'
}

export interface ListPage {
  readonly rows: readonly ListRow[]
  /** Where it goes on; null at the end. */
  readonly next: ListCursor | null
  /**
   * Set when a page is not full because what was looked through was enough for one answer: the time
   * of the last row that was looked at.
   */
  readonly lookedUntil: Date | null
  readonly readings: readonly ReadingFound[]
}

/** Sums of everything that a filter lets through; amounts in minor units. */
export interface CurrencyTotals {
  readonly currency: string
  readonly count: number
  readonly approved: number
  readonly declined: number
  readonly authorized: bigint
  readonly captured: bigint
  readonly refunded: bigint
  /** Captured less refunded. */
  readonly net: bigint
}

export interface OrderLists {
  /** What each meaning comes to, looked up once for all pages of a file. */
  page(question: ListQuestion, after: ListCursor | null, limit: number): Promise<ListPage>
  /** All rows, read piece by piece. */
  pieces(question: ListQuestion): AsyncIterable<readonly ListRow[]>
  /** Null when adding up takes longer than anybody should wait for. */
  totals(question: ListQuestion): Promise<readonly CurrencyTotals[] | null>
  /** What there is to choose from in the filters. */
  choices(merchantId: bigint): Promise<ListChoices>
  /** The day by a site's clock, or by the real time for all of them: 2026-11-21. */
  today(merchantId: bigint, siteId: bigint | null): Promise<string>
}

export interface ListChoices {
  readonly accounts: readonly { readonly id: bigint; readonly name: string }[]
  readonly users: readonly string[]
  readonly currencies: readonly string[]
}
