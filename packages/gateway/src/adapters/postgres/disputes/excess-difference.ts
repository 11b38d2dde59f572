import type pg from 'pg'

/**
 * The difference of the newest charged case of an order. An account without settlement files has no
 * source, and no differences. $1 order, $2 time.
 */
const RAISE = `
insert into settlement_differences
  (source_id, merchant_id, code, dispute_id, order_id, here_minor, here_currency, bank_minor,
   bank_currency, since, found_at)
select s.id, d.merchant_id, 'amount', d.id, o.id, o.captured_minor, o.currency, x.disputed_minor,
       o.currency, ($2::timestamptz at time zone 'UTC')::date, $2
  from orders o
  join disputed_orders x on x.order_id = o.id
  join lateral (select c.id, c.merchant_id, c.merchant_account_id from disputes c
                 where c.order_id = o.id and c.blocked_minor > 0 order by c.id desc limit 1) d
    on true
  join lateral (select f.id from settlement_sources f
                 where f.merchant_account_id = d.merchant_account_id
                 order by f.currency <> o.currency, f.id limit 1) s on true
 where o.id = $1
   and not exists (select from settlement_differences e
                    where e.order_id = o.id and e.dispute_id is not null and e.code = 'amount'
                      and e.state = 'open')`

const END = `
update settlement_differences
   set state = 'ended', ended_as = 'matched_late', ended_by = $3, ended_at = $2,
       ended_reason = 'No more is in dispute than was captured.'
 where order_id = $1 and dispute_id is not null and code = 'amount' and state = 'open'`

/** Raises or ends the difference of an order of which more is in dispute than was captured. */
export async function noteExcess(
  client: pg.ClientBase,
  orderId: bigint,
  isExcess: boolean,
  at: Date,
  by: string,
): Promise<void> {
  if (isExcess) await client.query(RAISE, [orderId, at])
  else await client.query(END, [orderId, at, by])
}
