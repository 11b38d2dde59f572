import type pg from 'pg'
import type { CustomerFacts } from '../../../domain/retention/customer-retention.ts'
import { ORDERS_WITH_SETTLEMENT_DIFFERENCE } from './settlement-differences.ts'

type Client = Pick<pg.ClientBase | pg.Pool, 'query'>

/** Values beside an order that stay: later payments of a series depend on them. */
export const SERIES_MARKS = `('TRANS_REBILL_TYPE', 'REQUEST_REBILL', 'TRANS_CUSTOMER_RECEIPT')`

/** A customer with what decides about their data. */
export interface CustomerRow extends CustomerFacts {
  readonly id: string
  readonly merchantId: string
  /** The last movement of an order, by the clock of its site; null without an order. */
  readonly movedAt: Date | null
}

/**
 * Days count by the clock of each order's site. `is true` keeps the planner off the index of queued
 * advices.
 */
const FACTS = `
select c.id, c.merchant_id as "merchantId", c.login <> '' as "hasLogin",
       exists (select from customer_erasures e where e.customer_id = c.id) as "isErased",
       coalesce(p.has_number, false) as "hasNumber", coalesce(p.is_named, false) as "hasNamedCard",
       coalesce(p.first_at < o.first_at, false) as "hadCardBefore", o.orders,
       o.quiet_days as "quietDays", o.moved_at as "movedAt", o.asked_to_keep as "askedToKeep",
       o.running as "hasRunningPayment",
       o.open as "hasOpenAuthorization", o.queued as "hasQueuedAdvice",
       o.differs as "hasOpenDifference", o.unsettled as "hasSettlementDifference",
       o.disputed as "hasOpenDispute",
       exists (select from memberships m where m.customer_id = c.id
                  and (m.over_at is null or m.charge_card_id is not null)) as "isInMembership"
  from customers c
  cross join lateral (
    select bool_or(removed_at is null) as has_number, bool_or(reference <> '') as is_named,
           min(created_at) as first_at
      from payment_methods where customer_id = c.id) p
  cross join lateral (
    select count(*)::int as orders, min(x.created_at) as first_at,
           min(extract(epoch from site_time(x.site_id, $2)
                 - greatest(x.created_at, x.released_at, t.moved_at)))::float8 / 86400
             as quiet_days,
           max(greatest(x.created_at, x.released_at, t.moved_at)) as moved_at,
           coalesce(bool_or(x.requested_minor = 0 or x.membership_reference <> ''
             or x.extras ->> 'TRANS_REBILL_TYPE' <> 'NONE'
             or x.extras ->> 'REQUEST_REBILL' is not null), false) as asked_to_keep,
           coalesce(bool_or(x.state in ('running', 'pending') or t.running), false) as running,
           coalesce(bool_or(x.state = 'authorized' and x.released_at is null
             and not x.reversed_whole
             and x.authorized_minor > x.captured_minor + x.voided_minor), false) as open,
           coalesce(bool_or(exists (
             select from advices a
              where a.order_id = x.id and (a.state = 'queued') is true)), false) as queued,
           coalesce(bool_or(exists (
             select from recon_differences d
              where d.merchant_id = x.merchant_id and d.order_id = x.id
                and d.gone_at is null and d.resolved_at is null)), false) as differs,
           coalesce(bool_or(x.id in (${ORDERS_WITH_SETTLEMENT_DIFFERENCE})), false)
             as unsettled,
           coalesce(bool_or(exists (
             select from disputes e
              where e.order_id = x.id and e.ended_at is null and e.state <> 'reported')), false)
             as disputed
      from orders x
      cross join lateral (
        select max(greatest(created_at, concluded_at)) as moved_at,
               coalesce(bool_or(state in ('running', 'pending')), false) as running
          from transactions where order_id = x.id) t
     where x.customer_id = c.id) o
 where c.id = any($1::bigint[])`

export async function readCustomerFacts(
  client: Client,
  ids: readonly string[],
  now: Date,
): Promise<CustomerRow[]> {
  const { rows } = await client.query<CustomerRow>({
    // Planned once: planning takes longer than the reading of those that are locked.
    name: 'facts of customers',
    text: FACTS,
    values: [ids, now],
  })
  return rows
}

/**
 * Locks customers with their orders and cards; returns those whose rows were all free. Captures,
 * refunds and voids are decided under the lock of the order. A payment waits for none of them: one
 * that holds a row of the customer keeps the customer out of this step.
 */
export async function lockCustomers(
  client: pg.ClientBase,
  ids: readonly string[],
): Promise<string[]> {
  let free = new Set(ids)
  for (const table of ['orders', 'payment_methods']) {
    const { rows: locked } = await client.query<{ customer_id: string }>(
      `select customer_id from ${table} where customer_id = any($1::bigint[]) order by id
          for update skip locked`,
      [[...free]],
    )
    const { rows: all } = await client.query<{ customer_id: string; rows: number }>(
      `select customer_id, count(*)::int as rows from ${table}
        where customer_id = any($1::bigint[]) group by customer_id`,
      [[...free]],
    )
    const held = Map.groupBy(locked, (row) => row.customer_id)
    const busy = all.filter((row) => held.get(row.customer_id)?.length !== row.rows)
    free = free.difference(new Set(busy.map((row) => row.customer_id)))
  }
  const { rows } = await client.query<{ id: string }>(
    'select id from customers where id = any($1::bigint[]) order by id for update skip locked',
    [[...free]],
  )
  return rows.map(({ id }) => id)
}
