import type { Invariant } from './invariant.ts'

/** The ledger against itself, the orders and the transactions. */
export const ledgerInvariants: readonly Invariant[] = [
  {
    name: 'postings_are_sound',
    sentence: 'A posting moves an amount above zero, between the two accounts of a known kind.',
    sql: `
      select p.transaction_id, p.order_id, p.kind, p.amount_minor
        from ledger_postings p left join ledger_kinds k on k.kind = p.kind
       where p.amount_minor <= 0 or k.kind is null`,
  },
  {
    name: 'postings_have_parents',
    sentence: 'A posting has an order in its currency and an approved transaction of that order.',
    sql: `
      select p.transaction_id, p.order_id, p.kind, p.currency
        from ledger_postings p
        left join orders o on o.id = p.order_id
             and o.currency = p.currency and o.merchant_id = p.merchant_id
        left join transactions t on t.id = p.transaction_id
             and t.order_id = p.order_id and t.state = 'approved'
       where o.id is null or t.id is null`,
  },
  {
    name: 'orders_match_ledger',
    sentence: "An order's sums are what its postings add up to.",
    sql: `
      select o.id as order_id, o.authorized_minor, coalesce(p.authorized, 0) as posted_authorized,
             o.captured_minor, coalesce(p.captured, 0) as posted_captured,
             o.voided_minor, coalesce(p.voided, 0) as posted_voided,
             o.refunded_minor, coalesce(p.refunded, 0) as posted_refunded
        from orders o
        left join (
          select order_id,
                 sum(amount_minor) filter (where kind = 'authorization') as authorized,
                 coalesce(sum(amount_minor) filter (where kind = 'capture'), 0)
                   - coalesce(sum(amount_minor) filter (where kind = 'capture_void'), 0) as captured,
                 sum(amount_minor) filter (where kind = 'release') as voided,
                 sum(amount_minor) filter (where kind = 'refund') as refunded
            from ledger_postings group by order_id) p on p.order_id = o.id
       where (o.authorized_minor, o.captured_minor, o.voided_minor, o.refunded_minor)
          <> (coalesce(p.authorized, 0), coalesce(p.captured, 0), coalesce(p.voided, 0),
              coalesce(p.refunded, 0))`,
  },
  {
    name: 'transactions_match_ledger',
    sentence: 'An approved transaction has posted its value, once for each thing that it is.',
    // An expired authorization also posts the release of its rest, which is not its own value.
    sql: `
      with due as (
        select t.id, t.order_id, t.value_minor, k.kind
          from transactions t
          join (values ('authorization', 'authorization'),
                       ('sale', 'authorization'), ('sale', 'capture'),
                       ('capture', 'capture'), ('void', 'release'), ('capture_void', 'release'),
                       ('refund', 'refund')) k (transaction_kind, kind) on k.transaction_kind = t.kind
         where t.state = 'approved' and t.value_minor > 0
      )
      select coalesce(d.id, p.transaction_id) as transaction_id,
             coalesce(d.order_id, p.order_id) as order_id, coalesce(d.kind, p.kind) as kind,
             d.value_minor, p.amount_minor as posted_minor
        from due d
        full join (
          select l.order_id, l.transaction_id, l.kind::text as kind, l.amount_minor
            from ledger_postings l
            left join transactions t on t.id = l.transaction_id
           where l.kind <> 'capture_void'
             and not (l.kind = 'release' and t.kind = 'authorization')) p
          on p.order_id = d.order_id and p.transaction_id = d.id and p.kind = d.kind
       where d.value_minor is distinct from p.amount_minor`,
  },
]
