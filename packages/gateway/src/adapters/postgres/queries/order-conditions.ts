import type { FilterName } from '../../../usecases/queries/list-reader.ts'
import { customersOf, SITES } from './list-source.ts'

const ofMembership = (value: string): string =>
  `select m.order_id from memberships m where m.id = ${value}::bigint and m.merchant_id = $1
   union all
   select h.order_id from membership_charges h
    where h.membership_id = ${value}::bigint and h.merchant_id = $1`

/** Conditions on `orders o`. */
export const ORDER_CONDITIONS: Readonly<Partial<Record<FilterName, (value: string) => string>>> = {
  site: (value) => `o.site_id = ${value}::bigint`,
  mode: (value) => `o.mode = ${value}`,
  order: (value) => `o.id = ${value}::bigint`,
  reference: (value) => `o.reference = ${value}`,
  customer: (value) => `o.customer_id = ${value}::bigint`,
  customer_reference: (value) => `o.customer_id = ${customersOf(value)}`,
  membership: (value) => `o.id = any(array(${ofMembership(value)}))`,
  membership_reference: (value) => `o.membership_reference = ${value}`,
  currency: (value) => `o.currency = ${value}`,
}

/** The orders of filters that few orders fit; without `<> ''` no index of references serves. */
export const NARROW_ORDERS: Readonly<Partial<Record<FilterName, string>>> = {
  order: 'select o.id from orders o where o.id = $2 and o.merchant_id = $1',
  reference: `select o.id from orders o
     where o.merchant_id = $1 and o.site_id = ${SITES} and o.reference = $2 and o.reference <> ''`,
  membership: `select o.order_id as id from (${ofMembership('$2')}) o`,
  membership_reference: `select o.id from orders o
     where o.merchant_id = $1 and o.site_id = ${SITES}
       and o.membership_reference = $2 and o.membership_reference <> ''`,
  customer: 'select o.id from orders o where o.merchant_id = $1 and o.customer_id = $2',
  customer_reference: `select o.id from orders o
     where o.merchant_id = $1 and o.customer_id = ${customersOf('$2')}`,
}
