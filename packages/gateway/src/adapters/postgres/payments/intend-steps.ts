import { defineColumns } from '../connection/columns.ts'
import { CLAIM_COLUMNS, TAKE_OVER } from './reference-claims.ts'

/** One row for each payment about to be asked for; lines hang on it by its row number. */
export const intentColumns = defineColumns({
  transaction_id: 'bigint',
  order_id: 'bigint',
  request_id: 'bigint',
  origin: 'text',
  merchant_id: 'bigint',
  site_id: 'bigint',
  merchant_account_id: 'bigint',
  mode: 'text',
  kind: 'text',
  order_kind: 'text',
  state: 'text',
  order_state: 'text',
  service_code: 'int',
  to_processor: 'boolean',
  currency: 'text',
  amount_minor: 'bigint',
  reference: 'text',
  message_number: 'bigint',
  message_at: 'timestamptz',
  entry_mode: 'text',
  membership_reference: 'text',
  processor_udf1: 'text',
  processor_udf2: 'text',
  extras: 'json',
  claim_content: 'text',
  claim_details: 'text',
  claim_earlier: 'json',
  customer_id: 'bigint',
  new_customer: 'boolean',
  customer_reference: 'text',
  first_name: 'text',
  last_name: 'text',
  email: 'text',
  phone: 'text',
  login: 'text',
  billing: 'json',
  shipping: 'json',
  others: 'json',
  payment_method_id: 'bigint',
  new_card: 'boolean',
  pan_ciphertext: 'text',
  data_key_id: 'int',
  fingerprint: 'text',
  brand: 'text',
  last4: 'text',
  expiry_month: 'int',
  expiry_year: 'int',
  card_reference: 'text',
  expires_at: 'timestamptz',
  at: 'timestamptz',
})

export const intentLineColumns = defineColumns({
  id: 'bigint',
  /** Number of the intent's row, from 1. */
  intent: 'int',
  merchant_id: 'bigint',
  order_id: 'bigint',
  number: 'int',
  product: 'text',
  merchant_product: 'text',
  count: 'int',
  amount_minor: 'bigint',
  membership_id: 'bigint',
})

const i = intentColumns.cells(1)
const firstIntentLine = 1 + intentColumns.count
const l = intentLineColumns.cells(firstIntentLine)

/**
 * The steps that write a group of intents; `accepted` has the row numbers of those let in.
 *
 * A conclusion changes no column with an index, so PostgreSQL updates the rows in place. So an
 * intent writes its batch and the end of its authorization as they will be if the bank approves it
 * now. Until it is concluded, its batch counts for nothing.
 */
export const INTEND_STEPS = `
with claimed as (
  insert into order_claims as c (${CLAIM_COLUMNS})
  select ${i.site_id}, ${i.reference}, ${i.mode}, ${i.merchant_id}, ${i.order_id},
         ${i.transaction_id}, ${i.state}, decode(${i.claim_content}, 'hex'),
         decode(${i.claim_details}, 'hex'),
         ${i.claim_earlier}, ${i.at}, case when ${i.state} = 'declined' then ${i.at} end
    from ${intentColumns.rowNumbers(1)} n where ${i.claim_content} is not null
  ${TAKE_OVER}
  returning transaction_id
), accepted as materialized (
  select n from ${intentColumns.rowNumbers(1)} n
   where ${i.claim_content} is null or ${i.transaction_id} in (select transaction_id from claimed)
), new_customers as (
  insert into customers (id, merchant_id, mode, reference, first_name, last_name, email, phone,
                         login, billing, shipping, others, created_at)
  select ${i.customer_id}, ${i.merchant_id}, ${i.mode}, ${i.customer_reference}, ${i.first_name},
         ${i.last_name}, ${i.email}, ${i.phone}, ${i.login}, ${i.billing}, ${i.shipping},
         ${i.others}, ${i.at}
    from accepted where ${i.new_customer}
), moved_customers as (
  update customers c set billing = ${i.billing}
    from accepted
   where c.id = ${i.customer_id} and not ${i.new_customer} and ${i.billing} is not null
), new_cards as (
  insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id,
                               fingerprint, brand, last4, expiry_month, expiry_year, reference,
                               created_at, last_used_at)
  select ${i.payment_method_id}, ${i.merchant_id}, ${i.customer_id}, ${i.mode},
         decode(${i.pan_ciphertext}, 'hex'), ${i.data_key_id}, decode(${i.fingerprint}, 'hex'),
         ${i.brand}, ${i.last4}, ${i.expiry_month}, ${i.expiry_year},
         coalesce(${i.card_reference}, ''), ${i.at}, ${i.at}
    from accepted where ${i.new_card}
), used_cards as (
  update payment_methods p
     set last_used_at = ${i.at},
         data_changed_at =
           case when ${i.expiry_month} <> p.expiry_month or ${i.expiry_year} <> p.expiry_year
                then ${i.at} else p.data_changed_at end,
         expiry_month = coalesce(${i.expiry_month}, p.expiry_month),
         expiry_year = coalesce(${i.expiry_year}, p.expiry_year),
         reference = coalesce(${i.card_reference}, p.reference)
    from accepted
   where p.id = ${i.payment_method_id} and not ${i.new_card}
), new_orders as (
  insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id,
                      payment_method_id, kind, state, currency, reference, requested_minor,
                      message_number, message_at, entry_mode, membership_reference, extras,
                      expires_at, created_at)
  select ${i.order_id}, ${i.merchant_id}, ${i.site_id}, ${i.merchant_account_id}, ${i.mode},
         ${i.customer_id}, ${i.payment_method_id}, ${i.order_kind}, ${i.order_state}, ${i.currency},
         ${i.reference}, ${i.amount_minor}, ${i.message_number}, ${i.message_at}, ${i.entry_mode},
         ${i.membership_reference}, ${i.extras}, ${i.expires_at}, ${i.at}
    from accepted
), new_lines as (
  insert into order_lines (id, merchant_id, order_id, number, product, merchant_product, count,
                           amount_minor, membership_id)
  select ${l.id}, ${l.merchant_id}, ${l.order_id}, ${l.number}, ${l.product}, ${l.merchant_product},
         ${l.count}, ${l.amount_minor}, ${l.membership_id}
    from ${intentLineColumns.rowNumbers(firstIntentLine)} n
   where ${l.intent} = any(array(select a.n from accepted a))
), new_transactions as (
  insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
                            value_minor, service_code, to_processor, processor_udf1, processor_udf2,
                            origin, created_at, concluded_at, batch_id)
  select ${i.transaction_id}, ${i.merchant_id}, ${i.order_id}, ${i.request_id}, ${i.kind},
         ${i.state}, ${i.amount_minor}, ${i.amount_minor}, ${i.service_code}, ${i.to_processor},
         ${i.processor_udf1}, ${i.processor_udf2}, ${i.origin}, ${i.at},
         case when ${i.state} not in ('running', 'pending') then ${i.at} end,
         case when ${i.state} in ('running', 'pending') then
           (select b.id from batches b
             where b.merchant_account_id = ${i.merchant_account_id} and b.closed_at is null) end
    from accepted
), opened as (
  insert into open_transactions (merchant_id, transaction_id)
  select ${i.merchant_id}, ${i.transaction_id} from accepted where ${i.state} = 'running'
)`
