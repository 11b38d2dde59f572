import type pg from 'pg'
import type { FilterName } from '../../../usecases/queries/list-reader.ts'
import type { ListedRows, ListName } from '../../../usecases/queries/listed-rows.ts'

export type Client = Pick<pg.Pool, 'query'>

/** How one list is found in the database. `$1` is always the merchant. */
export interface ListSource<Name extends ListName = ListName> {
  /** The rows in the sequence of the list, with an index that begins with the merchant. */
  readonly table: string
  /** The short name of these rows. */
  readonly alias: string
  /** The time that `from` and `to` mean. */
  readonly at: string
  /** Whether the list is sorted by that time and then by id, or by id alone. */
  readonly sortedBy: 'time' | 'id'
  /** Whether rows that are added while a client pages are known by their time or by their id. */
  readonly markedBy: 'time' | 'id'
  /** Whether the time is one of the gateway's own, so that late rows are bounded. */
  readonly isOwnTime: boolean
  /** Tables that conditions name, each joined by key. */
  readonly joins: string
  /** A condition of each filter, for the parameter with its value. */
  readonly conditions: Readonly<Partial<Record<FilterName, (value: string) => string>>>
  /** Filters that few rows fit: `id`s by an index, for the value as `$2`. */
  readonly narrow: Readonly<Partial<Record<FilterName, string>>>
  /** The column that these ids are of. */
  readonly narrowKey: string
  /** The rows with these ids, in any sequence. */
  readonly read: (
    client: Client,
    merchantId: bigint,
    ids: readonly string[],
  ) => Promise<readonly (readonly [id: string, row: ListedRows[Name]])[]>
}

/** The sites of the merchant, for indexes that begin with the site. */
export const SITES = 'any(array(select s.id from sites s where s.merchant_id = $1))'

/** The customers with a reference, for the parameter with it. */
export const customersOf = (value: string): string =>
  `any(array(select c.id from customers c
       where c.merchant_id = $1 and c.reference = ${value} and c.reference <> ''))`

/** SQL: microseconds since 1970. */
export const micros = (time: string): string => `(extract(epoch from ${time}) * 1000000)::bigint`
