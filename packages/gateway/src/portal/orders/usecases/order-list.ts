import type { ListName, ColumnsRow } from '@tollgate/portal-contract/order-columns'
import type { SearchReading } from '@tollgate/portal-contract/search-readings'
import type { ListFilter } from '../domain/order-filter.ts'

/** The question of one list; everything in it is of one merchant. */
export interface ListQuestion {
  readonly merchantId: bigint
  readonly list: ListName
  readonly filter: ListFilter
  /**
   * The terms of the search box, each with its possible meanings; none: everything. A row fits
   * every term, and of one term any meaning.
   */
  readonly terms: readonly (readonly SearchReading[])[]
  /** The whole text of several terms as one order id of the shop, if it may be that too. */
  readonly whole: SearchReading | null
  readonly oldestFirst: boolean
}

/** Behind which row a page begins: its time in microseconds since 1970, and its id. */
export interface ListCursor {
  readonly micros: bigint
  readonly id: bigint
}

/** The result of one meaning of a search. */
export interface ReadingFound {
  readonly reading: SearchReading
  /**
   * The number of orders within the filter; `many` for more than are counted, `walked` if the list
   * is scanned for it. `unasked` if that was left out because others were found at once.
   */
  readonly found: number | 'many' | 'walked' | 'unasked'
}

export interface ListPage {
  readonly rows: readonly ColumnsRow[]
  /** The start of the next page; null at the end. */
  readonly next: ListCursor | null
  /**
   * Set when a page is not full because one response reached its limit: the time of the last row
   * that was read.
   */
  readonly lookedUntil: Date | null
  readonly readings: readonly ReadingFound[]
}

/**
 * Sums of everything that a filter lets through, in minor units: of orders their sums as they are
 * now, of transactions their effects.
 */
export interface ListTotals {
  readonly currency: string
  readonly count: number
  readonly approved: number
  readonly declined: number
  /** Not decided yet: in no sum so far. */
  readonly open: number
  readonly authorized: bigint
  /** Of orders, voided and expired; 0 of transactions, whose voids are in the other sums. */
  readonly voided: bigint
  readonly captured: bigint
  readonly refunded: bigint
  /** Captured less refunded. */
  readonly net: bigint
}

export interface OrderLists {
  /** The result of each meaning, looked up once for all pages of a file. */
  page(question: ListQuestion, after: ListCursor | null, limit: number): Promise<ListPage>
  /** All rows, read piece by piece. */
  pieces(question: ListQuestion): AsyncIterable<readonly ColumnsRow[]>
  /** Null when adding up takes longer than anybody should wait for. */
  totals(question: ListQuestion): Promise<readonly ListTotals[] | null>
  /** The choices of the filters. */
  choices(merchantId: bigint): Promise<ListChoices>
  /** The time by a site's clock, or the real time for all of them. */
  timeOf(merchantId: bigint, siteId: bigint | null): Promise<Date>
}

export interface ListChoices {
  readonly accounts: readonly { readonly id: bigint; readonly name: string }[]
  readonly users: readonly string[]
  readonly currencies: readonly string[]
}
