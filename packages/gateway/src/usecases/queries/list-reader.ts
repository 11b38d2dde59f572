import type { ListBounds, ListPlace } from '../../domain/queries/list-cursor.ts'
import type { ListedRows, ListName } from './listed-rows.ts'

/** A filter of a list; each list has some of them. */
export type FilterName =
  | 'site'
  | 'mode'
  | 'status'
  | 'action'
  | 'origin'
  | 'order'
  | 'reference'
  | 'customer'
  | 'customer_reference'
  | 'membership'
  | 'membership_reference'
  | 'batch'
  | 'account'
  | 'product'
  | 'payout_reference'
  | 'case'
  | 'currency'
  | 'least_minor'
  | 'most_minor'

/** Everything in it is of one merchant. */
export interface ListFilter {
  readonly merchantId: bigint
  /** From this moment on. */
  readonly from: Date | null
  /** Before this moment. */
  readonly to: Date | null
  /** Ids and minor units as digits, words as the database has them. */
  readonly values: ReadonlyMap<FilterName, string>
}

/** Some rows of a list, the oldest first. */
export interface ListPage<Row> {
  readonly rows: readonly { readonly row: Row; readonly place: ListPlace }[]
  /** Behind which place the list goes on; null at its end. */
  readonly next: ListPlace | null
}

/** Reads lists on connections of their own: no payment waits for them. */
export interface ListReader {
  /** The bounds of a list whose first page is read now. */
  readBounds(list: ListName, filter: ListFilter, now: Date): Promise<ListBounds>
  /** A page may have fewer rows than `limit`, or none, before the end: one look is bounded. */
  readPage<Name extends ListName>(
    list: Name,
    filter: ListFilter,
    bounds: ListBounds,
    after: ListPlace | null,
    limit: number,
  ): Promise<ListPage<ListedRows[Name]>>
  /** Null where the merchant has none of that id. */
  readOne<Name extends ListName>(
    list: Name,
    merchantId: bigint,
    id: bigint,
  ): Promise<ListedRows[Name] | null>
}
