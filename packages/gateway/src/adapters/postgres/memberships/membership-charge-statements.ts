import { defineColumns, type ColumnType } from '../connection/columns.ts'
import { insertFactsOf } from '../events/outbox.ts'
import { MEMBERSHIP_STATE_COLUMNS } from './membership-rows.ts'

type StateColumn = (typeof MEMBERSHIP_STATE_COLUMNS)[number]

const STATE_TYPES: Readonly<Record<StateColumn, ColumnType>> = {
  state: 'text',
  product: 'text',
  type: 'text',
  metric: 'text',
  period_length: 'int',
  price_minor: 'bigint',
  next_product: 'text',
  next_type: 'text',
  next_metric: 'text',
  next_period_length: 'int',
  next_price_minor: 'bigint',
  payment_method_id: 'bigint',
  anchor_at: 'timestamptz',
  paid_period: 'int',
  renewal_due_at: 'timestamptz',
  renewal_attempts: 'int',
  renewal_first_failed_at: 'timestamptz',
  charge_at: 'timestamptz',
  charge_card_id: 'bigint',
  next_kind: 'text',
  next_at: 'timestamptz',
  over_at: 'timestamptz',
}

/** The new states of a group of memberships; `leased`: the writer continues with it. */
export const changedColumns = defineColumns({
  id: 'bigint',
  version: 'bigint',
  leased: 'boolean',
  ...STATE_TYPES,
})

export const newChargeColumns = defineColumns({
  membership_id: 'bigint',
  merchant_id: 'bigint',
  due_at: 'timestamptz',
  attempt: 'int',
  at: 'timestamptz',
  payment_method_id: 'bigint',
  amount_minor: 'bigint',
  currency: 'text',
  order_id: 'bigint',
  transaction_id: 'bigint',
  bank_test: 'text',
})

export const endedChargeColumns = defineColumns({
  transaction_id: 'bigint',
  outcome: 'text',
  reason: 'text',
})

const c = changedColumns.cells(1)
const after = 1 + changedColumns.count
const e = endedChargeColumns.cells(after)
const endedTransactions = `$${after}::bigint[]`

/**
 * Written only over what was read, found by key; returns the row numbers, from 1, of those written.
 */
const CHANGED = (leaseSeconds: number): string => `
changed as materialized (
  update memberships m
     set (${MEMBERSHIP_STATE_COLUMNS.join(', ')}, version, leased_until, charge_test) = (
       select ${MEMBERSHIP_STATE_COLUMNS.map((name) => c[name]).join(', ')}, m.version + 1,
              case when ${c.leased} then clock_timestamp() + interval '${leaseSeconds} seconds' end,
              -- The charge that begins has taken the words.
              case when not ${c.leased} then m.charge_test end
         from array_position($1::bigint[], m.id) n)
   where m.id = any($1::bigint[])
     and m.version = ($2::bigint[])[array_position($1::bigint[], m.id)]
  returning m.id
)`

/** Charges are started with their memberships, which are locked already. */
export const BEGIN = (leaseSeconds: number): string => `
with ${CHANGED(leaseSeconds)}, begun as (
  insert into membership_charges (${newChargeColumns.names})
  select ${newChargeColumns.names}
    from unnest(${newChargeColumns.parameters(after)}) as a (${newChargeColumns.names})
), new_facts as (
  ${insertFactsOf('changed', after + newChargeColumns.count)}
)
select id from changed`

export const CONCLUDE_CHARGES = `
with ${CHANGED(0)}, ended as (
  update membership_charges e
     set (outcome, reason) = (
       select ${e.outcome}, ${e.reason} from array_position(${endedTransactions}, e.transaction_id) n)
   -- Written so that their transactions are the only way to them: open charges stand among many that
   -- have just ended, and a membership has had many.
   where e.transaction_id = any(${endedTransactions}) and (e.outcome = 'open') is true
     and (e.membership_id = any(array(select id from changed))) is true
), new_facts as (
  ${insertFactsOf('changed', after + endedChargeColumns.count)}
)
select id from changed`

/**
 * The card's history for each charge: attempts of 30 days, and older ones back to the last
 * approval. A message that did not leave this gateway is no attempt.
 */
export const HISTORIES = `
select h.membership_id, p.brand, p.data_changed_at, a.at, a.amount_minor, a.currency, a.state,
       a.response_code, a.service_code, a.merchant_advice
  from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[])
         as h (membership_id, customer_id, card_id, at)
  join payment_methods p on p.id = h.card_id
  left join lateral (
    select o.created_at as at, t.amount_minor, o.currency, t.state, t.response_code,
           t.service_code, coalesce(n.merchant_advice, '') as merchant_advice
      from orders o
      join transactions t on t.order_id = o.id and t.kind in ('authorization', 'sale')
      left join account_updates n on n.transaction_id = t.id
     where o.customer_id = h.customer_id and o.payment_method_id = h.card_id
       and t.state in ('approved', 'declined', 'failed') and t.service_code <> 530
       and o.created_at >= least(h.at - interval '30 days', coalesce((
             select l.created_at from orders l
              where l.customer_id = h.customer_id and l.payment_method_id = h.card_id
                and l.state = 'authorized'
              order by l.created_at desc limit 1), '-infinity'))) a on true`
