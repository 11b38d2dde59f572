import { RUNNING_SINCE } from '../../clocks/site-clock-rows.ts'
import type { Invariant } from './invariant.ts'

/**
 * References between rows. The hot path has no foreign keys, so they are checked here.
 */
export const recordInvariants: readonly Invariant[] = [
  {
    name: 'orders_have_parents',
    sentence: 'An order has a site, a merchant account, a customer and a card of its merchant.',
    sql: `
      select o.id as order_id, o.site_id, o.merchant_account_id, o.customer_id, o.payment_method_id
        from orders o
        left join sites s on s.id = o.site_id and s.merchant_id = o.merchant_id
        left join merchant_accounts m on m.id = o.merchant_account_id and m.merchant_id = o.merchant_id
        left join customers c on c.id = o.customer_id and c.merchant_id = o.merchant_id
        left join payment_methods p on p.id = o.payment_method_id and p.merchant_id = o.merchant_id
       where s.id is null or m.id is null or c.id is null or p.id is null`,
  },
  {
    name: 'payment_methods_have_a_customer',
    sentence: 'A card belongs to a customer of the same merchant.',
    sql: `
      select p.id as payment_method_id, p.customer_id
        from payment_methods p
        left join customers c on c.id = p.customer_id and c.merchant_id = p.merchant_id
       where c.id is null`,
  },
  {
    name: 'transactions_have_an_order',
    sentence: 'A transaction belongs to an order of the same merchant.',
    sql: `
      select t.id as transaction_id, t.order_id
        from transactions t
        left join orders o on o.id = t.order_id and o.merchant_id = t.merchant_id
       where o.id is null`,
  },
  {
    name: 'lines_have_an_order',
    sentence: 'A line belongs to an order of the same merchant.',
    sql: `
      select l.id as line_id, l.order_id
        from order_lines l
        left join orders o on o.id = l.order_id and o.merchant_id = l.merchant_id
       where o.id is null`,
  },
  {
    name: 'adjustment_lines_have_parents',
    sentence: 'An adjustment took only from a line of its own order.',
    sql: `
      select a.transaction_id, a.order_line_id
        from adjustment_lines a
        left join transactions t on t.id = a.transaction_id
        left join order_lines l on l.id = a.order_line_id and l.order_id = t.order_id
       where t.id is null or l.id is null`,
  },
  {
    name: 'orders_begin_once',
    sentence: 'An order begins with one authorization, sale or refund and has at least one line.',
    sql: `
      select o.id as order_id, o.kind, coalesce(t.payments, 0) as payments,
             coalesce(t.refunds, 0) as refunds, coalesce(l.lines, 0) as lines
        from orders o
        left join (select order_id, count(*) filter (where kind in ('authorization', 'sale')) as payments,
                          count(*) filter (where kind = 'refund') as refunds
                     from transactions group by order_id) t on t.order_id = o.id
        left join (select order_id, count(*) as lines from order_lines group by order_id) l
          on l.order_id = o.id
       where l.lines is null
          or coalesce(case o.kind when 'payment' then t.payments else t.refunds end, 0) <> 1`,
  },
  {
    name: 'orders_stand_where_they_began',
    sentence: 'An order stands where the transaction that it began with stands.',
    sql: `
      select o.id as order_id, o.state, t.id as transaction_id, t.state as transaction_state
        from orders o
        join transactions t on t.order_id = o.id
             and case o.kind when 'payment' then t.kind in ('authorization', 'sale')
                      else t.kind = 'refund' end
       where o.state <> case t.state when 'approved' then 'authorized' else t.state end`,
  },
  {
    name: 'transactions_end_once',
    sentence: 'A transaction has a time of conclusion exactly when it is no longer open.',
    sql: `
      select id as transaction_id, order_id, state, concluded_at
        from transactions
       where (state in ('running', 'pending')) <> (concluded_at is null)`,
  },
  {
    name: 'moved_money_is_in_a_batch',
    sentence: "An approved sale, capture or refund is in a batch of its order's merchant account.",
    sql: `
      select t.id as transaction_id, t.order_id, t.kind, t.batch_id
        from transactions t
        left join orders o on o.id = t.order_id
        left join batches b on b.id = t.batch_id and b.merchant_account_id = o.merchant_account_id
       where t.state = 'approved' and t.kind in ('sale', 'capture', 'refund') and b.id is null`,
  },
  {
    name: 'one_open_batch',
    since: 'whole',
    sentence: 'A merchant account has one open batch at most.',
    sql: `
      select merchant_account_id, count(*) as open_batches
        from batches where closed_at is null group by merchant_account_id having count(*) > 1`,
  },
  {
    name: 'agreed_batches_are_in_balance',
    since: 'whole',
    sentence: 'An agreed batch has an answer in balance, with equal totals, in each currency.',
    sql: `
      select b.id as batch_id, g.currency, g.in_balance
        from batches b
        left join batch_agreements g on g.batch_id = b.id
       where b.agreement = 'agreed'
         and (g.in_balance and g.totals = g.bank_totals) is not true`,
  },
  {
    name: 'claims_are_held',
    sentence:
      'A claimed reference is held by an authorized or a declined order of that reference, or ' +
      'by a transaction that still runs.',
    sql: `
      select c.order_id, c.site_id, c.reference, c.state
        from order_claims c
        left join orders o on o.id = c.order_id
             and o.site_id = c.site_id and o.reference = c.reference
        left join transactions t on t.id = c.transaction_id and t.order_id = c.order_id
       where o.id is null or t.id is null
          or case c.state when 'approved' then o.state <> 'authorized'
                          when 'declined' then o.state <> 'declined'
                  else t.state not in ('running', 'pending') end`,
  },
  {
    name: 'idempotency_keys_have_a_transaction',
    since: 'full run',
    sentence: 'An idempotency key stands for one transaction of its site and mode.',
    sql: `
      select k.site_id, k.mode, k.transaction_id, k.taken_at
        from idempotency_keys k
        left join transactions t on t.id = k.transaction_id and t.merchant_id = k.merchant_id
        left join orders o on o.id = t.order_id and o.site_id = k.site_id and o.mode = k.mode
       where o.id is null`,
  },
  {
    name: 'erased_customers_are_empty',
    since: 'full run',
    sentence: 'A customer whose data were erased has no name, address, login name or card number.',
    sql: `
      select e.customer_id, e.at
        from customer_erasures e
        join customers c on c.id = e.customer_id
       where concat(c.reference, c.first_name, c.last_name, c.email, c.phone, c.login) <> ''
          or array[c.billing::text, c.shipping::text, c.others::text] <> '{"{}","{}","{}"}'
          or exists (select from payment_methods p
                      where p.customer_id = c.id and p.removed_at is null)`,
  },
  {
    name: 'running_transactions_are_listed',
    sentence: 'A running transaction is in the list by which the resolver finds it.',
    sql: `
      select t.id as transaction_id, t.order_id, t.kind, t.created_at
        from transactions t
       where t.state = 'running'
         and not exists (select from open_transactions l where l.transaction_id = t.id)`,
  },
  {
    name: 'running_transactions_end',
    sentence:
      'No transaction runs for longer than the bank has time to answer and the resolver to look.',
    isWarning: true,
    takes: 'longest run',
    sql: `
      select t.id as transaction_id, t.order_id, t.kind, t.created_at
        from transactions t
        join orders o on o.id = t.order_id
        left join three_ds_authentications a on a.transaction_id = t.id
       where t.state = 'running'
         and ${RUNNING_SINCE} < now() - $1::double precision * interval '1 millisecond'`,
  },
]
