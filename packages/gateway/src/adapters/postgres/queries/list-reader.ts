import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { ListFilter, ListReader } from '../../../usecases/queries/list-reader.ts'
import type { ListName } from '../../../usecases/queries/listed-rows.ts'
import { BATCHES } from './batch-list.ts'
import { CUSTOMERS } from './customer-list.ts'
import { DISPUTES } from './dispute-list.ts'
import { readBounds } from './list-bounds.ts'
import { findPlaces } from './list-places.ts'
import type { ListSource } from './list-source.ts'
import { MEMBERSHIPS } from './membership-list.ts'
import { ORDERS } from './order-list.ts'
import { PAYOUTS } from './payout-list.ts'
import { BATCH_TRANSACTIONS, TRANSACTIONS } from './transaction-list.ts'

const SOURCES: { readonly [Name in ListName]: ListSource<Name> } = {
  orders: ORDERS,
  transactions: TRANSACTIONS,
  memberships: MEMBERSHIPS,
  customers: CUSTOMERS,
  batches: BATCHES,
  payouts: PAYOUTS,
  disputes: DISPUTES,
}

/** The content of a batch is read in the sequence of its index. */
function sourceOf<Name extends ListName>(list: Name, filter: ListFilter): ListSource<Name> {
  const isBatch = list === 'transactions' && filter.values.has('batch')
  return isBatch ? (BATCH_TRANSACTIONS as ListSource<Name>) : SOURCES[list]
}

/** Finds the places of a page first, and reads only its rows then, by key. */
export function createListReader(pool: pg.Pool): ListReader {
  return {
    readBounds: (list, filter, now) => readBounds(pool, SOURCES[list], filter, now),
    async readPage(list, filter, bounds, after, limit) {
      const source = sourceOf(list, filter)
      const { next, places } = await findPlaces(pool, source, filter, bounds, after, limit)
      if (places.length === 0) return { rows: [], next }
      const ids = places.map(({ id }) => id.toString())
      const rows = new Map(await source.read(pool, filter.merchantId, ids))
      return {
        rows: places.map((place) => {
          const row = rows.get(place.id.toString())
          invariant(row !== undefined, 'a listed row has lost a row that it names')
          return { row, place }
        }),
        next,
      }
    },
    async readOne(list, merchantId, id) {
      const [found] = await SOURCES[list].read(pool, merchantId, [id.toString()])
      return found?.[1] ?? null
    },
  }
}
