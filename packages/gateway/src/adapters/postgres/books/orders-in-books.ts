/**
 * Gateway, ledger and bank side by side. The bank's orders are in `pg_temp.bank_orders`. `b` is the
 * bank's order, and `g` the gateway's with what the ledger has of it.
 */
export interface OrdersInBooks {
  readonly sql: string
  /** Settings of the transaction that reads them. */
  readonly settings: string
}

const FIGURES = `
select g.id, coalesce(b.key, '') as key, g.currency, g.approved, g.captured, g.refunded,
       g.ledger_approved, g.ledger_captured, g.ledger_refunded,
       b.currency as bank_currency, b.approved_minor as bank_approved,
       b.captured_minor as bank_captured, b.refunded_minor as bank_refunded`

const SAME_ORDER = `b.message_number = g.message_number and b.transmitted_at = g.transmitted_at
   and b.acquirer = g.acquirer_id`

const GATEWAY = `o.id, o.currency, o.message_number, m.acquirer_id,
         to_char(o.message_at at time zone 'UTC', 'MMDDHH24MISS') as transmitted_at,
         o.authorized_minor - o.voided_minor as approved, o.captured_minor as captured,
         o.refunded_minor as refunded`

const LEDGER = `
         sum(case kind when 'authorization' then amount_minor when 'release' then -amount_minor
                       else 0 end) as ledger_approved,
         sum(case kind when 'capture' then amount_minor when 'capture_void' then -amount_minor
                       else 0 end) as ledger_captured,
         sum(case kind when 'refund' then amount_minor else 0 end) as ledger_refunded
    from public.ledger_postings`

/**
 * All orders in test mode, since the bundled bank knows no others. With a merchant, only its orders
 * that are with the bundled bank; an order that only the bank knows has no merchant.
 */
export function allOrders(merchantId: bigint | null): OrdersInBooks {
  const [ofMerchant, postings, join] =
    merchantId === null
      ? ['', '', 'full']
      : [
          `where o.merchant_id = ${merchantId} and m.processor_link_id is null`,
          `where merchant_id = ${merchantId}`,
          'left',
        ]
  return {
    settings: '',
    sql: `
with orders_of_gateway as (
  select ${GATEWAY}
    from public.orders o
    join public.merchant_accounts m on m.id = o.merchant_account_id and m.mode = 'test'
   ${ofMerchant}
), ledger as (
  select order_id, ${LEDGER} ${postings} group by order_id
), g as (
  select o.*, l.ledger_approved, l.ledger_captured, l.ledger_refunded
    from orders_of_gateway o left join ledger l on l.order_id = o.id
)
${FIGURES}
  from g ${join} join pg_temp.bank_orders b on ${SAME_ORDER}`,
  }
}

/** The orders of `pg_temp.recon_scope`, each reached by its key. */
export const CHOSEN_ORDERS: OrdersInBooks = {
  settings: 'set local enable_nestloop = on; set local enable_seqscan = off',
  sql: `
with orders_of_gateway as (
  select ${GATEWAY}
    from pg_temp.recon_scope s
    cross join lateral (
      select id, merchant_account_id, currency, message_number, message_at, authorized_minor,
             voided_minor, captured_minor, refunded_minor
        from public.orders where id = s.id offset 0) o
    join public.merchant_accounts m on m.id = o.merchant_account_id and m.mode = 'test'
), g as (
  select o.*, l.ledger_approved, l.ledger_captured, l.ledger_refunded
    from orders_of_gateway o
    cross join lateral (select ${LEDGER} where order_id = o.id offset 0) l
)
${FIGURES}
  from g full join pg_temp.bank_orders b on ${SAME_ORDER}`,
}
