import { defineColumns } from './columns.ts'

/** One row for each payment about to be asked for; `line` rows hang on it by transaction. */
export const intentColumns = defineColumns({
  transaction_id: 'bigint',
  order_id: 'bigint',
  request_id: 'bigint',
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
  at: 'timestamptz',
})

export const intentLineColumns = defineColumns({
  id: 'bigint',
  transaction_id: 'bigint',
  number: 'int',
  product: 'text',
  merchant_product: 'text',
  count: 'int',
  amount_minor: 'bigint',
})

/** Writes a group of intents; returns the transactions whose claim, if any, was granted. */
export const INTEND = `
with intent as materialized (
  select * from unnest(${intentColumns.parameters(1)}) as i (${intentColumns.names})
), claimed as (
  insert into order_claims
    (site_id, reference, merchant_id, order_id, transaction_id, state, content, claimed_at)
  select site_id, reference, merchant_id, order_id, transaction_id, 'running',
         decode(claim_content, 'hex'), at
    from intent where claim_content is not null
  on conflict do nothing
  returning transaction_id
), accepted as materialized (
  select * from intent
   where claim_content is null or transaction_id in (select transaction_id from claimed)
), new_customers as (
  insert into customers (id, merchant_id, reference, first_name, last_name, email, phone, login,
                         billing, shipping, others, created_at)
  select customer_id, merchant_id, customer_reference, first_name, last_name, email, phone, login,
         billing, shipping, others, at
    from accepted where new_customer
), moved_customers as (
  update customers c set billing = a.billing
    from accepted a
   where c.id = a.customer_id and not a.new_customer and a.billing is not null
), new_cards as (
  insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id,
                               fingerprint, brand, last4, expiry_month, expiry_year, reference,
                               created_at, last_used_at)
  select payment_method_id, merchant_id, customer_id, mode, decode(pan_ciphertext, 'hex'),
         data_key_id, decode(fingerprint, 'hex'), brand, last4, expiry_month, expiry_year,
         coalesce(card_reference, ''), at, at
    from accepted where new_card
), used_cards as (
  update payment_methods p
     set last_used_at = a.at,
         expiry_month = coalesce(a.expiry_month, p.expiry_month),
         expiry_year = coalesce(a.expiry_year, p.expiry_year),
         reference = coalesce(a.card_reference, p.reference)
    from accepted a
   where p.id = a.payment_method_id and not a.new_card
), new_orders as (
  insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id,
                      payment_method_id, kind, state, currency, reference, requested_minor,
                      message_number, message_at, entry_mode, membership_reference, extras, created_at)
  select order_id, merchant_id, site_id, merchant_account_id, mode, customer_id, payment_method_id,
         order_kind, order_state, currency, reference, amount_minor, message_number, message_at,
         entry_mode, membership_reference, extras, at
    from accepted
), new_lines as (
  insert into order_lines (id, merchant_id, order_id, number, product, merchant_product, count,
                           amount_minor)
  select l.id, a.merchant_id, a.order_id, l.number, l.product, l.merchant_product, l.count,
         l.amount_minor
    from unnest(${intentLineColumns.parameters(1 + intentColumns.count)})
           as l (${intentLineColumns.names})
    join accepted a using (transaction_id)
), new_transactions as (
  insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
                            value_minor, service_code, to_processor, processor_udf1, processor_udf2,
                            created_at, concluded_at)
  select transaction_id, merchant_id, order_id, request_id, kind, state, amount_minor, amount_minor,
         service_code, to_processor, processor_udf1, processor_udf2, at,
         case when state = 'running' then null else at end
    from accepted
)
select transaction_id from accepted`

export const conclusionColumns = defineColumns({
  transaction_id: 'bigint',
  order_id: 'bigint',
  merchant_id: 'bigint',
  merchant_account_id: 'bigint',
  site_id: 'bigint',
  captures: 'boolean',
  state: 'text',
  order_state: 'text',
  value_minor: 'bigint',
  authorized_minor: 'bigint',
  captured_minor: 'bigint',
  credited_minor: 'bigint',
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
  claim_held: 'boolean',
  claim_content: 'text',
  at: 'timestamptz',
})

export const conclusionLineColumns = defineColumns({
  transaction_id: 'bigint',
  line_id: 'bigint',
  amount_minor: 'bigint',
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

const firstLine = 1 + conclusionColumns.count
const firstAdvice = firstLine + conclusionLineColumns.count

/**
 * Writes a group of outcomes; returns the transactions that were still running, with their batch.
 * The open batch is locked against closing, so that nothing is captured into a batch whose totals
 * are told already.
 */
export const CONCLUDE = `
with outcome as materialized (
  select * from unnest(${conclusionColumns.parameters(1)}) as o (${conclusionColumns.names})
), open_batches as materialized (
  select id, merchant_account_id from batches
   where closed_at is null and merchant_account_id in (select merchant_account_id from outcome)
     for share
), concluded as materialized (
  update transactions t
     set state = o.state, value_minor = o.value_minor, service_code = o.service_code,
         processor_code = o.processor_code, processor_advice = o.processor_advice,
         industry_code = o.industry_code, industry_advice = o.industry_advice,
         response_code = o.response_code, avs_code = o.avs_code, cvv_code = o.cvv_code,
         card_product = o.card_product, card_balance_minor = o.card_balance_minor,
         settled_minor = o.settled_minor, settled_currency = o.settled_currency,
         settled_rate = o.settled_rate, concluded_at = o.at,
         batch_id = case when o.state = 'approved'
                         then (select b.id from open_batches b
                                where b.merchant_account_id = o.merchant_account_id) end
    from outcome o
   -- Written so that the index of running transactions is no way to them: it is full of ended ones
   -- until the next vacuum.
   where t.id = o.transaction_id and (t.state = 'running') is true
  returning t.id as transaction_id, t.batch_id
), changed_orders as (
  update orders r
     set state = o.order_state, authorized_minor = o.authorized_minor,
         captured_minor = o.captured_minor, credited_minor = o.credited_minor,
         expires_at = o.expires_at, auth_code = o.auth_code,
         network_transaction_id = o.network_transaction_id,
         advice_count = r.advice_count
           + (select count(*)::integer from unnest($${firstAdvice + 2}::bigint[]) as a (order_id)
               where a.order_id = o.order_id)
    from outcome o join concluded using (transaction_id)
   where r.id = o.order_id
), changed_lines as (
  update order_lines l
     set amount_minor = n.amount_minor,
         captured_minor = case when o.captures then n.amount_minor else 0 end
    from unnest(${conclusionLineColumns.parameters(firstLine)})
           as n (${conclusionLineColumns.names})
    join outcome o using (transaction_id)
    join concluded using (transaction_id)
   where l.id = n.line_id
), new_advices as (
  insert into advices (${adviceColumns.names}, next_try_at)
  select ${adviceColumns.names
    .split(', ')
    .map((name) => `a.${name}`)
    .join(', ')}, a.created_at
    from unnest(${adviceColumns.parameters(firstAdvice)}) as a (${adviceColumns.names})
    join concluded using (transaction_id)
), freed_claims as (
  delete from order_claims c
   using outcome o join concluded using (transaction_id)
   where o.claim_held and o.state <> 'approved'
     and c.site_id = o.site_id and c.reference = o.reference
     and c.transaction_id = o.transaction_id
), kept_claims as (
  update order_claims c set state = 'approved'
    from outcome o join concluded using (transaction_id)
   where o.claim_held and o.state = 'approved'
     and c.site_id = o.site_id and c.reference = o.reference
     and c.transaction_id = o.transaction_id
), late_claims as (
  insert into order_claims
    (site_id, reference, merchant_id, order_id, transaction_id, state, content, claimed_at)
  select o.site_id, o.reference, o.merchant_id, o.order_id, o.transaction_id, 'approved',
         decode(o.claim_content, 'hex'), o.at
    from outcome o join concluded using (transaction_id)
   where o.claim_content is not null and not o.claim_held and o.state = 'approved'
  on conflict do nothing
)
select transaction_id, batch_id from concluded`
