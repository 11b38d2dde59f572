import type { ListAnswer, ListSettings, TotalsAnswer } from '../answers/orders.ts'
import type { ColumnKey, ListName } from '../order-columns.ts'
import { get, post, put, remove, type Done, type FileAnswer } from '../route.ts'

/**
 * The filters of a list, as the page's address has them. Commas separate several values of one
 * name.
 */
export interface ListQuery {
  /** The text of the search box. */
  readonly q?: string
  readonly status?: string
  readonly action?: string
  readonly brand?: string
  readonly avs?: string
  readonly cvv?: string
  readonly threeDs?: string
  readonly reason?: string
  readonly batch?: string
  /** An id, or `unclocked` for all sites without a clock of their own. */
  readonly site?: string
  readonly account?: string
  readonly user?: string
  readonly currency?: string
  readonly min?: string
  readonly max?: string
  /** `today`, `yesterday`, `7 days`, `this month` or `last month`. */
  readonly time?: string
  readonly from?: string
  readonly to?: string
  /** Moments in ISO 8601, the second not included. */
  readonly since?: string
  readonly until?: string
  /** Payments as sums count them: `approved`, `declined`, `failed` or `refunded`. */
  readonly counted?: string
  /** Transactions that were settled in a month such as `2026-11`. */
  readonly settled?: string
  readonly customer?: string
  readonly card?: string
  readonly initiator?: string
  /** `oldest`: the oldest first. */
  readonly sort?: string
  readonly cols?: string
  /** The value of `next` on the page before. */
  readonly after?: string
}

interface NewView {
  readonly list: ListName
  readonly name: string
  readonly search: string
  readonly shared: boolean
}

function listRoutes<Name extends ListName>(name: Name) {
  return {
    page: get(`/${name}`, 'orders.see').answers<ListAnswer, { query: ListQuery }>(),
    totals: get(`/${name}/totals`, 'orders.see').answers<TotalsAnswer, { query: ListQuery }>(),
    csv: get(`/${name}/csv`, 'orders.export').answers<FileAnswer, { query: ListQuery }>(),
  }
}

/** The lists of orders and of transactions, and the users' own views of them. */
export const orders = {
  lists: { orders: listRoutes('orders'), transactions: listRoutes('transactions') },
  settings: get('/order-lists/:list', 'orders.see').answers<ListSettings>(),
  saveView: post('/order-views', 'orders.see').answers<
    { readonly id: string },
    { body: NewView }
  >(),
  removeView: remove('/order-views/:id', 'orders.see').answers<Done>(),
  chooseColumns: put('/order-lists/:list/columns', 'orders.see').answers<
    { readonly columns: readonly ColumnKey[] },
    { body: { readonly columns: readonly string[] } }
  >(),
}
