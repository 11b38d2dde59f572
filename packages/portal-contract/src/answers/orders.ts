import type { ColumnKey, ListName } from '../order-columns.ts'
import type { DayRange } from '../search-days.ts'
import type { SearchReading } from '../search-readings.ts'

/** One row of the lists of orders and of transactions; amounts in minor units of `currency`. */
export interface ListRow {
  readonly orderId: string
  /** Of the list of orders: the one that began it. */
  readonly transactionId: string
  readonly at: string
  readonly site: string
  readonly account: string
  readonly reference: string
  /** A key of STATUS_TEXTS. */
  readonly status: string
  /** A key of ACTION_TEXTS. */
  readonly action: string
  /** A key of INITIATOR_TEXTS. */
  readonly initiator: string
  readonly customerId: string
  readonly customer: string
  readonly email: string
  readonly brand: string
  readonly last4: string
  readonly currency: string
  readonly amount: string
  /** Of an order its sum now, of a transaction its signed effect; so are the next three. */
  readonly authorized: string
  /** Of an order, voided and expired; 0 of a transaction. */
  readonly voided: string
  readonly captured: string
  readonly refunded: string
  /** 0: nothing to say. */
  readonly serviceCode: number
  readonly avs: string
  readonly cvv: string
  /** Status letter of the authentication; '' without one. */
  readonly threeDs: string
  readonly authCode: string
  readonly networkId: string
  readonly batch: string | null
  /** The user of the request: an API user or a portal user; '' for the gateway itself. */
  readonly user: string
}

/** Filters, sequence and columns of a list, under a name. */
export interface OrderView {
  readonly id: string
  readonly list: ListName
  readonly name: string
  /** The search of the page's address, without a question mark. */
  readonly search: string
  /** Whether all portal users of the merchant see it. */
  readonly shared: boolean
  /** Whether the reader made it; only its maker may change or delete it. */
  readonly own: boolean
  readonly madeBy: string
}

export interface ListAnswer {
  readonly rows: readonly ListRow[]
  /** To be sent as `after` for the next page; null at the end. */
  readonly next: string | null
  readonly lookedUntil: string | null
  readonly readings: readonly ReadingFound[]
  /** The days that the list is narrowed to. */
  readonly days: DayRange | null
}

/** The result of one meaning of a search. */
export interface ReadingFound {
  readonly reading: SearchReading
  /**
   * The number of orders; `many` above the limit of counting, `walked` where the list shows them by
   * scanning, `unasked` where other meanings found orders first.
   */
  readonly found: number | 'many' | 'walked' | 'unasked'
}

export interface TotalsAnswer {
  /** Null: it would take too long. */
  readonly totals: readonly ListTotals[] | null
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
  readonly authorized: string
  /** Of orders, voided and expired; 0 of transactions, whose voids are in the other sums. */
  readonly voided: string
  readonly captured: string
  readonly refunded: string
  /** Captured less refunded. */
  readonly net: string
}

export interface ListSettings {
  readonly views: readonly OrderView[]
  readonly columns: readonly ColumnKey[]
  readonly choices: ListChoices
}

export interface ListChoices {
  readonly accounts: readonly { readonly id: string; readonly name: string }[]
  readonly users: readonly string[]
  readonly currencies: readonly string[]
}
