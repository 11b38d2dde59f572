import type { OrderFacts } from '../../../domain/events/order-facts.ts'
import { storedCurrency } from '../connection/stored-currency.ts'

export interface NamesRow {
  readonly order_id: string
  readonly site_id: string
  readonly mode: 'test' | 'live'
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

/** The ids and references of an order, and its card as it is stored now. */
export function namesOf(row: NamesRow): Omit<OrderFacts, 'merchantId'> {
  return {
    orderId: row.order_id,
    siteId: row.site_id,
    mode: row.mode,
    currency: storedCurrency(row.currency),
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
