import type { FilterName } from '../../../usecases/queries/list-reader.ts'
import type { ListedNames } from '../../../usecases/queries/listed-rows.ts'
import { currencyOf, customersOf, SITES } from './list-source.ts'

export interface NamesRow {
  readonly order_id: string
  readonly site_id: string
  readonly mode: string
  readonly currency: string
  readonly reference: string
  readonly customer_id: string
  readonly customer_reference: string
  readonly membership_ids: string[]
  readonly membership_reference: string
  readonly payment_method_id: string
  readonly brand: string
  readonly last4: string
  readonly card_reference: string
}

/** Of `orders o`, joined with its customer `c` and its card `p`. */
export const NAMES_COLUMNS = `
  o.id as order_id, o.site_id, o.mode, o.currency, o.reference, o.customer_id,
  c.reference as customer_reference, o.membership_reference, o.payment_method_id, p.brand, p.last4,
  p.reference as card_reference,
  array(select l.membership_id::text from order_lines l
         where l.order_id = o.id and l.membership_id is not null
         order by l.number) as membership_ids`

export const NAMES_JOINS = `
  join customers c on c.id = o.customer_id
  join payment_methods p on p.id = o.payment_method_id`

export function namesOf(row: NamesRow): ListedNames {
  return {
    orderId: row.order_id,
    siteId: row.site_id,
    mode: row.mode,
    currency: currencyOf(row.currency),
    reference: row.reference,
    customerId: row.customer_id,
    customerReference: row.customer_reference,
    membershipIds: row.membership_ids,
    membershipReference: row.membership_reference,
    card: {
      brand: row.brand,
      last4: row.last4,
      id: row.payment_method_id,
      reference: row.card_reference,
    },
  }
}

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
