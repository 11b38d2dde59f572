import { defineColumns } from '../connection/columns.ts'
import {
  beginMemberships,
  MEMBERSHIP_ORDER_COLUMNS,
  membershipOfLine,
} from '../memberships/membership-statements.ts'
import { noteAccountUpdates } from './account-updates.ts'
import { insertPostings } from './ledger-statements.ts'
import { concludeClaims } from './reference-claims.ts'

export const conclusionColumns = defineColumns({
  transaction_id: 'bigint',
  order_id: 'bigint',
  merchant_id: 'bigint',
  merchant_account_id: 'bigint',
  site_id: 'bigint',
  mode: 'text',
  moves_money: 'boolean',
  state: 'text',
  order_state: 'text',
  value_minor: 'bigint',
  authorized_minor: 'bigint',
  captured_minor: 'bigint',
  refunded_minor: 'bigint',
  expires_at: 'timestamptz',
  service_code: 'int',
  processor_code: 'text',
  processor_advice: 'text',
  industry_code: 'text',
  industry_advice: 'text',
  response_code: 'text',
  auth_code: 'text',
  network_transaction_id: 'text',
  avs_code: 'text',
  cvv_code: 'text',
  card_product: 'text',
  card_balance_minor: 'bigint',
  settled_minor: 'bigint',
  settled_currency: 'text',
  settled_rate: 'text',
  reference: 'text',
  /** The held reference's next state, or free; null: the payment held none. */
  claim_after: 'text',
  claim_content: 'text',
  advices: 'int',
  /** Null: the intent's. */
  origin: 'text',
  /** The type of its event. */
  event: 'text',
  at: 'timestamptz',
})

export const conclusionLineColumns = defineColumns({
  line_id: 'bigint',
  /** Number of the conclusion's row, from 1. */
  conclusion: 'int',
  amount_minor: 'bigint',
  captures: 'boolean',
})

export const adviceColumns = defineColumns({
  id: 'bigint',
  merchant_id: 'bigint',
  order_id: 'bigint',
  transaction_id: 'bigint',
  sequence: 'int',
  kind: 'text',
  amount_minor: 'bigint',
  remaining_minor: 'bigint',
  reason: 'text',
  original_mti: 'text',
  original_number: 'bigint',
  original_at: 'timestamptz',
  message_number: 'bigint',
  message_at: 'timestamptz',
  created_at: 'timestamptz',
})

const o = conclusionColumns.cells(1)
const firstLine = 1 + conclusionColumns.count
const line = conclusionLineColumns.cells(firstLine)
const firstAdvice = firstLine + conclusionLineColumns.count
/** One JSON array, and another for the account updates. */
const memberships = firstAdvice + adviceColumns.count

/**
 * Writes a group of outcomes. Returns the row numbers, from 1, of those that were still running,
 * with their batch. If money is captured or refunded, the open batch is locked against closing, so
 * that nothing enters a batch with reported totals. An authorization only notes it.
 *
 * Rows are found with `= any` and find their cells by their place in the array. A join would do the
 * same. Planned while the tables were small, it would one day read all of a table for every group.
 * Membership in the group uses `= any` too, since a join would scan all of it for each row.
 */
export const CONCLUDE = conclude(false)

/** For groups that start memberships, or bring account updates; the others pay nothing for it. */
export const CONCLUDE_WITH_MORE = conclude(true)

function conclude(begins: boolean): string {
  return `
with locked_batches as materialized (
  select id, merchant_account_id from batches
   where closed_at is null
     and merchant_account_id = any(array(
       select ${o.merchant_account_id} from ${conclusionColumns.rowNumbers(1)} n
        where ${o.state} = 'approved' and ${o.moves_money}))
     for share
), concluded as materialized (
  update transactions t
     set (state, value_minor, service_code, processor_code, processor_advice, industry_code,
          industry_advice, response_code, avs_code, cvv_code, card_product, card_balance_minor,
          settled_minor, settled_currency, settled_rate, origin, concluded_at, batch_id) = (
       select ${o.state}, ${o.value_minor}, ${o.service_code}, ${o.processor_code},
              ${o.processor_advice}, ${o.industry_code}, ${o.industry_advice}, ${o.response_code},
              ${o.avs_code}, ${o.cvv_code}, ${o.card_product}, ${o.card_balance_minor},
              ${o.settled_minor}, ${o.settled_currency}, ${o.settled_rate},
              coalesce(${o.origin}, t.origin), ${o.at},
              case when ${o.state} <> 'approved' then null
                   when ${o.moves_money} then
                     (select b.id from locked_batches b
                       where b.merchant_account_id = ${o.merchant_account_id})
                   else
                     coalesce(t.batch_id,
                              (select b.id from batches b
                                where b.merchant_account_id = ${o.merchant_account_id}
                                  and b.closed_at is null)) end
         from array_position($1::bigint[], t.id) n)
   where t.id = any($1::bigint[]) and t.state = 'running'
  returning array_position($1::bigint[], t.id) as n, t.batch_id, t.id transaction_id, t.merchant_id
), changed_orders as (
  update orders r
     set (state, authorized_minor, captured_minor, refunded_minor, expires_at, auth_code,
          network_transaction_id, advice_count) = (
       select ${o.order_state}, ${o.authorized_minor}, ${o.captured_minor}, ${o.refunded_minor},
              ${o.expires_at}, ${o.auth_code}, ${o.network_transaction_id},
              r.advice_count + ${o.advices}
         from array_position($2::bigint[], r.id) n)
   where r.id = any(array(select ${o.order_id} from concluded))
  returning array_position($2::bigint[], r.id) as n, r.merchant_id, r.id as order_id, r.currency${
    begins ? `, ${MEMBERSHIP_ORDER_COLUMNS}` : ''
  }
), new_postings as (
  ${insertPostings('changed_orders', {
    transactionId: o.transaction_id,
    postedAt: o.at,
    amounts: {
      authorization: o.authorized_minor,
      capture: o.captured_minor,
      refund: o.refunded_minor,
    },
  })}
), changed_lines as (
  update order_lines l
     set (amount_minor, captured_minor${begins ? ', membership_id' : ''}) = (
       select ${line.amount_minor}, case when ${line.captures} then ${line.amount_minor} else 0 end${
         begins ? `, ${membershipOfLine(memberships)}` : ''
       }
         from array_position($${firstLine}::bigint[], l.id) n)
   where l.id = any(array(
     select ${line.line_id} from ${conclusionLineColumns.rowNumbers(firstLine)} n
      where ${line.conclusion} = any(array(select c.n from concluded c))))
), ${begins ? beginMemberships(memberships) + noteAccountUpdates(memberships + 1) : ''}new_advices as (
  insert into advices (${adviceColumns.names}, next_try_at, batch_id)
  select ${adviceColumns.names}, created_at, (
           select c.batch_id from concluded c
            where c.transaction_id = a.transaction_id and a.kind <> 'reversal')
    from unnest(${adviceColumns.parameters(firstAdvice)}) as a (${adviceColumns.names})
   where transaction_id = any(array(select ${o.transaction_id} from concluded))
), new_facts as (
  insert into event_outbox (type, merchant_id, site_id, object_id, transaction_id)
  select ${o.event}, merchant_id, ${o.site_id}, ${o.order_id}, transaction_id from concluded
), ${concludeClaims(o)}
select n, batch_id from concluded`
}
