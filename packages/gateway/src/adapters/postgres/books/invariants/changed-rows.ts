import { CHANGED_FACTS, each, namedOrders, type ChangedRows } from './changed-orders.ts'

/**
 * The facts behind the mark, then the orders that they and open work name, then everything that
 * belongs to these orders. The parameters are those of `CHANGED_FACTS`.
 */
export const CHANGED_ROWS: readonly ChangedRows[] = [
  ...CHANGED_FACTS,
  {
    table: 'changed_orders',
    sql: `
      with named as materialized (${namedOrders('verify_orders')}
      ), members as materialized (
        select f.object_id as id from pg_temp.changed_facts f where f.type like 'membership.%'
        union select l.membership_id from ${each(
          'named n',
          'l',
          'select membership_id from public.order_lines where order_id = n.id',
        )} where l.membership_id is not null
      ), customers as materialized (
        select distinct m.customer_id as id from ${each(
          'members x',
          'm',
          'select customer_id from public.memberships where id = x.id',
        )}
      )
      select id from named
      union select m.order_id from ${each(
        'customers c',
        'm',
        'select order_id from public.memberships where customer_id = c.id',
      )}`,
  },
  {
    table: 'orders',
    sql: `select o.* from ${each(
      'pg_temp.changed_orders c',
      'o',
      `select id, merchant_id, site_id, merchant_account_id, mode, customer_id, payment_method_id,
              kind, state, currency, reference, requested_minor, authorized_minor, captured_minor,
              voided_minor, refunded_minor, advice_count, message_number, message_at, released_at
         from public.orders where id = c.id`,
    )}`,
  },
  {
    table: 'transactions',
    sql: `select t.* from ${each(
      'pg_temp.changed_orders c',
      't',
      'select * from public.transactions where order_id = c.id',
    )}
    union select t.* from ${each(
      'pg_temp.changed_facts f',
      't',
      'select * from public.transactions where id = f.transaction_id',
    )}`,
  },
  {
    table: 'adjustment_lines',
    sql: `select a.* from ${each(
      'pg_temp.transactions t',
      'a',
      'select * from public.adjustment_lines where transaction_id = t.id',
    )}`,
  },
  {
    table: 'order_lines',
    sql: `with ids as materialized (
            select l.id from ${each(
              'pg_temp.changed_orders c',
              'l',
              'select id from public.order_lines where order_id = c.id',
            )}
            union select order_line_id from pg_temp.adjustment_lines
          )
          select l.* from ${each(
            'ids i',
            'l',
            `select id, merchant_id, order_id, product, amount_minor, captured_minor, voided_minor,
                    refunded_minor, membership_id
               from public.order_lines where id = i.id`,
          )}`,
  },
  {
    table: 'ledger_postings',
    sql: `select p.* from ${each(
      'pg_temp.changed_orders c',
      'p',
      'select * from public.ledger_postings where order_id = c.id',
    )}`,
  },
  {
    table: 'advices',
    sql: `select a.* from ${each(
      'pg_temp.changed_orders c',
      'a',
      'select * from public.advices where order_id = c.id',
    )}`,
  },
  {
    table: 'advice_erasures',
    sql: `select e.* from ${each(
      'pg_temp.changed_orders c',
      'e',
      'select * from public.advice_erasures where order_id = c.id',
    )}`,
  },
  {
    table: 'order_claims',
    sql: `select c.* from ${each(
      'pg_temp.orders o',
      'c',
      `select order_id, transaction_id, site_id, reference, state from public.order_claims
        where site_id = o.site_id and reference = o.reference and mode = o.mode`,
    )}`,
  },
  {
    table: 'memberships',
    sql: `with customers as materialized (
            select m.customer_id as id from ${each(
              'pg_temp.order_lines l',
              'm',
              'select customer_id from public.memberships where id = l.membership_id',
            )}
            union select m.customer_id from ${each(
              'pg_temp.changed_facts f',
              'm',
              `select customer_id from public.memberships
                where id = f.object_id and f.type like 'membership.%'`,
            )}
          )
          select m.* from ${each(
            'customers c',
            'm',
            'select * from public.memberships where customer_id = c.id',
          )}`,
  },
  {
    table: 'membership_charges',
    sql: `select c.* from ${each(
      'pg_temp.memberships m',
      'c',
      'select * from public.membership_charges where membership_id = m.id',
    )}
    where c.outcome = 'open' or c.order_id in (select id from pg_temp.changed_orders)`,
  },
  {
    table: 'payment_methods',
    sql: `with ids as materialized (
            select payment_method_id as id from pg_temp.orders
            union select payment_method_id from pg_temp.memberships
            union select object_id from pg_temp.changed_facts where type like 'card.%'
          )
          select p.* from ${each(
            'ids i',
            'p',
            `select id, merchant_id, customer_id, mode, removed_at
               from public.payment_methods where id = i.id`,
          )}`,
  },
  {
    table: 'customers',
    sql: `with ids as materialized (
            select customer_id as id from pg_temp.orders
            union select customer_id from pg_temp.payment_methods
          )
          select c.* from ${each(
            'ids i',
            'c',
            'select id, merchant_id from public.customers where id = i.id',
          )}`,
  },
  {
    table: 'three_ds_authentications',
    // The copy states whether there is an authentication value, and has none.
    sql: `select a.* from ${each(
      'pg_temp.transactions t',
      'a',
      `select transaction_id, order_id, merchant_id, site_id, mode, merchant_account_id, state,
              amount_minor, currency, kind, expires_at, decided_at, result_status, card_token_id,
              case when cavv_ciphertext is not null then ''::bytea end as cavv_ciphertext
         from public.three_ds_authentications where transaction_id = t.id`,
    )}`,
  },
  {
    table: 'card_tokens',
    sql: `select t.* from ${each(
      'public.card_token_codes c',
      't',
      'select id, used_at from public.card_tokens where id = c.token_id',
    )}`,
  },
]
