/** A table that grows with payments, and the rows of it that the next run checks. */
export interface ChangedRows {
  readonly table: string
  /** Copies the rows; each is reached by a condition on an index. */
  readonly sql: string
}

/**
 * A lateral query for each row in front of it. The offset has its rows reached by the key that
 * stands in it; without the offset, the planner would join whole tables.
 */
export const each = (from: string, alias: string, sql: string): string =>
  `${from} cross join lateral (${sql} offset 0) ${alias}`

/**
 * Orders whose next change may be without an event. An intent records none. Neither does the
 * acknowledgement of a sale's capture, nor the move of an unanswered advice to the next batch.
 */
export const OPEN_ORDERS = `
select t.order_id from ${each(
  'open_transactions l',
  't',
  "select order_id from public.transactions where id = l.transaction_id and state = 'running'",
)}
union select order_id from public.three_ds_authentications
       where state in ('asking', 'challenge', 'result')
union select order_id from public.advices where state = 'queued'`

// A site that goes by the machine's clock has no order with a later time than its writing.
const CLOCK_MARGIN = `interval '1 hour'`

/**
 * The facts behind the mark, numbered or not. `$1` is the position, `$2` the day of its event, `$3`
 * when that run began.
 */
export const CHANGED_FACTS: readonly ChangedRows[] = [
  {
    table: 'events',
    sql: `select day, position, merchant_id, type, object_id, sequence, transaction_id
            from public.events
           where day >= least($2::date, ((now() - interval '2 days') at time zone 'UTC')::date)`,
  },
  {
    table: 'changed_facts',
    sql: `select type, object_id, transaction_id from pg_temp.events where position > $1
          union all select type, object_id, transaction_id from public.event_outbox`,
  },
]

/**
 * The ids of the orders that the facts and open work name, and of new orders. An earlier run has
 * kept others in the table `kept`. Takes the parameters of `CHANGED_FACTS`.
 */
export const namedOrders = (kept: 'verify_orders' | 'operator_recon_orders'): string => `
        select object_id as id from pg_temp.changed_facts
         where split_part(type, '.', 1) in ('payment', 'authorization', 'capture', 'refund',
                                            'reversal', 'three_ds')
        union select order_id from public.${kept}
        union (${OPEN_ORDERS})
        union select t.order_id from ${each(
          'pg_temp.changed_facts f',
          't',
          'select order_id from public.transactions where id = f.transaction_id',
        )}
        union select o.id from ${each(
          'public.merchants m',
          'o',
          `select id from public.orders
            where merchant_id = m.id and created_at >= $3::timestamptz - ${CLOCK_MARGIN}`,
        )}`
