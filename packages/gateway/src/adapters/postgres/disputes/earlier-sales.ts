import type pg from 'pg'
import {
  EARLIEST_DAYS,
  LATEST_DAYS,
  type ComparedSale,
} from '../../../domain/disputes/compelling-evidence.ts'

/** The facts of an order `o` of a customer `c`, as they came with its request. */
const FACTS = `
o.id, o.created_at, o.captured_minor, o.currency, o.customer_id,
       case when c.shipping::text = '{}' then '' else c.shipping::text end as address,
       coalesce(o.extras ->> 'XTL_IP', '') as ip,
       coalesce(o.extras ->> 'DEVICE_ID_XTL', o.extras ->> 'DEVICE_FINGERPRINT_XTL', '') as device`

const DISPUTED = `
select ${FACTS}
  from disputes d join orders o on o.id = d.order_id join customers c on c.id = o.customer_id
 where d.id = $1`

/** Settled and undisputed sales of the same card at the same merchant account, the newest first. */
const EARLIER = `
select ${FACTS}
  from disputes d
  join orders x on x.id = d.order_id
  join payment_methods p on p.id = x.payment_method_id
  join payment_methods q on q.merchant_id = p.merchant_id and q.last4 = p.last4
       and q.fingerprint = p.fingerprint
  join orders o on o.customer_id = q.customer_id and o.payment_method_id = q.id
       and o.merchant_account_id = x.merchant_account_id
  join customers c on c.id = o.customer_id
 where d.id = $1 and o.id <> x.id
   and o.created_at >= d.opened_at - ${EARLIEST_DAYS} * interval '1 day'
   and o.created_at <= d.opened_at - ${LATEST_DAYS} * interval '1 day'
   and exists (select from settled_transactions s
                where s.order_id = o.id and s.state = 'settled' and s.gross_minor > 0)
   and not exists (select from disputes e where e.order_id = o.id)
 order by o.created_at desc limit 50`

interface Row {
  readonly id: string
  readonly created_at: Date
  readonly captured_minor: string
  readonly currency: string
  readonly customer_id: string
  readonly address: string
  readonly ip: string
  readonly device: string
}

/** The disputed sale and the earlier ones of its card; null for a case without an order. */
export async function readComparedSales(
  pool: pg.Pool,
  disputeId: bigint,
): Promise<{ readonly disputed: ComparedSale; readonly earlier: readonly ComparedSale[] } | null> {
  const { rows: disputed } = await pool.query<Row>(DISPUTED, [disputeId])
  const [first] = disputed
  if (first === undefined) return null
  const { rows } = await pool.query<Row>(EARLIER, [disputeId])
  return { disputed: saleOf(first), earlier: rows.map(saleOf) }
}

function saleOf(row: Row): ComparedSale {
  return {
    orderId: BigInt(row.id),
    at: row.created_at,
    amountMinor: BigInt(row.captured_minor),
    currency: row.currency,
    user: row.customer_id,
    address: row.address,
    ip: row.ip,
    device: row.device,
  }
}
