import { EXPIRES_AT } from '../../../adapters/postgres/payments/written-ahead.ts'
import type { OrderState } from '../../../domain/payments/order-states.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'

/** An order as the page reads it. */
export interface OrderRow {
  readonly id: string
  readonly site_id: string
  readonly site_name: string
  readonly mode: Mode
  readonly merchant_account_id: string
  readonly account_name: string
  readonly processor_name: string
  readonly currency: string
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly state: OrderState
  readonly reference: string
  readonly membership_reference: string
  readonly receipt: string | null
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly released_at: Date | null
  readonly expired: boolean
  readonly reversed_whole: boolean
  readonly requested_minor: string
  readonly authorized_minor: string
  readonly captured_minor: string
  readonly voided_minor: string
  readonly refunded_minor: string
  readonly disputed_minor: string
  readonly auth_code: string
  readonly network_transaction_id: string
  readonly message_number: string
  readonly message_at: Date
  readonly customer_id: string
  readonly customer_reference: string
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly phone: string
  readonly billing: Readonly<Record<string, string>>
  readonly shipping: Readonly<Record<string, string>>
  readonly payment_method_id: string
  readonly brand: string
  readonly last4: string
  readonly expiry_month: number | null
  readonly expiry_year: number | null
}

/** $1 order, $2 merchant. */
export const ORDER = `
select o.id, o.site_id, s.name as site_name, o.mode, o.merchant_account_id,
       m.name_and_location as account_name, m.processor_name, o.currency, o.kind, o.state,
       o.reference, o.membership_reference, o.receipt, o.created_at,
       ${EXPIRES_AT} as expires_at, o.released_at, o.reversed_whole,
       coalesce(${EXPIRES_AT} <= site_time(o.site_id, now()), false) as expired,
       o.requested_minor, o.authorized_minor, o.captured_minor, o.voided_minor, o.refunded_minor,
       coalesce((select d.disputed_minor from disputed_orders d where d.order_id = o.id), 0)
         as disputed_minor,
       o.auth_code, o.network_transaction_id, o.message_number, o.message_at,
       c.id as customer_id, c.reference as customer_reference, c.first_name, c.last_name, c.email,
       c.phone, c.billing, c.shipping, p.id as payment_method_id, p.brand, p.last4, p.expiry_month,
       p.expiry_year
  from orders o
  join sites s on s.id = o.site_id
  join merchant_accounts m on m.id = o.merchant_account_id
  join customers c on c.id = o.customer_id
  join payment_methods p on p.id = o.payment_method_id
 where o.id = $1 and o.merchant_id = $2`
