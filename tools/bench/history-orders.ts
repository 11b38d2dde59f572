import pg from 'pg'
import { writeManyOrders, writePostings } from './many-orders.ts'
import { databaseOptions } from './tpcb.ts'

/** Before the id of the first order of a history. */
export const BEFORE_ORDERS = 5_000_000

/** The events that a gateway numbers are all there by then. */
const NUMBERED_WITHIN_MS = 1_800_000

const AFTER_ALL = `(select max(id) + 1000 from orders)`
/** Events stay for 35 days, and advices for 30: here, those of the newest tenth of all orders. */
const KEPT = `o.id > (select max(id) - count(*) / 10 from orders) and o.captured_minor > 0`

/** The other rows that each order leaves, and the ids of what comes next. */
const MORE_ROWS = [
  `insert into order_lines (id, merchant_id, order_id, number, product, count, amount_minor,
                            captured_minor)
   select id, merchant_id, id, 1, 'shoes', 1, requested_minor, captured_minor from orders`,
  `insert into order_claims (site_id, reference, merchant_id, order_id, transaction_id, state,
                             content, claimed_at, mode, ended_at)
   select site_id, reference, merchant_id, id, id, 'approved', sha256(reference::bytea), created_at,
          mode, created_at
     from orders where state = 'authorized'`,
  `insert into advices (id, merchant_id, order_id, transaction_id, sequence, kind, state,
                        amount_minor, original_mti, original_number, original_at, message_number,
                        message_at, next_try_at, tries, response_code, acknowledged_at, created_at,
                        batch_id)
   select o.id, o.merchant_id, o.id, o.id, 1, 'capture', 'acknowledged', o.captured_minor, '0100',
          o.message_number, o.message_at, o.message_number, o.message_at, o.created_at, 1, '00',
          o.created_at, o.created_at, 500
     from orders o where ${KEPT}`,
  `insert into event_outbox (type, merchant_id, site_id, object_id, transaction_id)
   select 'sale.approved', o.merchant_id, o.site_id, o.id, o.id from orders o where ${KEPT}`,
  ...['order', 'transaction', 'request', 'line', 'customer', 'payment_method', 'advice'].map(
    (name) => `select setval('${name}_ids', ${AFTER_ALL})`,
  ),
  `select keep_request_ranges(${AFTER_ALL})`,
]

/**
 * Writes orders with everything that retention leaves of them. The gateway that runs on the
 * database numbers their events. Returns the size of the database.
 */
export async function writeHistory(socketDir: string, orders: number): Promise<string> {
  const pool = new pg.Pool(databaseOptions(socketDir))
  try {
    await writeManyOrders(pool, orders)
    await writePostings(pool)
    for (const statement of MORE_ROWS) await pool.query(statement)
    await untilNumbered(pool)
    await pool.query('vacuum analyze')
    const { rows } = await pool.query<{ size: string }>(
      'select pg_size_pretty(pg_database_size(current_database())) as size',
    )
    return rows[0]?.size ?? ''
  } finally {
    await pool.end()
  }
}

async function untilNumbered(pool: pg.Pool): Promise<void> {
  const until = performance.now() + NUMBERED_WITHIN_MS
  for (;;) {
    const { rows } = await pool.query('select from event_outbox limit 1')
    if (rows.length === 0) return
    if (performance.now() > until) throw new Error('The gateway did not number all events.')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
