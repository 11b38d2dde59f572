import type { Invariant } from './invariant.ts'

/** An order's sums against its limits, its transactions and its lines. */
export const moneyInvariants: readonly Invariant[] = [
  {
    name: 'order_limits',
    sentence:
      'No order has more authorized than asked for, more captured and voided than authorized, or ' +
      'more refunded than captured.',
    sql: `
      select id as order_id, requested_minor, authorized_minor, captured_minor, voided_minor,
             refunded_minor
        from orders
       where least(authorized_minor, captured_minor, voided_minor, refunded_minor) < 0
          or authorized_minor > requested_minor
          or captured_minor + voided_minor > authorized_minor
          or refunded_minor > case kind when 'payment' then captured_minor else requested_minor end`,
  },
  {
    name: 'line_limits',
    sentence:
      'No line has more captured and voided than its amount, or more refunded than captured.',
    sql: `
      select id as line_id, order_id, amount_minor, captured_minor, voided_minor, refunded_minor
        from order_lines
       where least(captured_minor, voided_minor, refunded_minor) < 0
          or captured_minor + voided_minor > amount_minor
          or refunded_minor > captured_minor`,
  },
  {
    name: 'capture_limits',
    sentence: 'No more of a capture is voided than it captured.',
    sql: `
      select id as transaction_id, order_id, value_minor, voided_minor
        from transactions where voided_minor < 0 or voided_minor > value_minor`,
  },
  {
    name: 'unauthorized_orders_hold_nothing',
    sentence: 'An order that is not authorized has no money, and neither have its lines.',
    sql: `
      select o.id as order_id, o.state
        from orders o
       where o.state <> 'authorized'
         and (o.authorized_minor, o.captured_minor, o.voided_minor, o.refunded_minor) <> (0, 0, 0, 0)
      union
      select o.id, o.state
        from order_lines l join orders o on o.id = l.order_id
       where o.state <> 'authorized'
         and (l.captured_minor, l.voided_minor, l.refunded_minor) <> (0, 0, 0)`,
  },
  {
    name: 'orders_match_transactions',
    sentence: "An order's sums are what its approved transactions add up to.",
    // The amount released on expiry is voided without a transaction.
    sql: `
      select o.id as order_id, o.authorized_minor, coalesce(t.authorized, 0) as transactions_authorized,
             o.captured_minor, coalesce(t.captured, 0) as transactions_captured,
             o.voided_minor, coalesce(t.voided, 0) as transactions_voided,
             o.refunded_minor, coalesce(t.refunded, 0) as transactions_refunded
        from orders o
        left join (
          select order_id,
                 sum(value_minor) filter (where kind in ('authorization', 'sale')) as authorized,
                 sum(value_minor - voided_minor) filter (where kind in ('sale', 'capture')) as captured,
                 sum(value_minor) filter (where kind in ('void', 'capture_void')) as voided,
                 sum(value_minor) filter (where kind = 'refund') as refunded
            from transactions where state = 'approved' group by order_id) t on t.order_id = o.id
       where o.authorized_minor <> coalesce(t.authorized, 0)
          or o.captured_minor <> coalesce(t.captured, 0)
          or o.refunded_minor <> coalesce(t.refunded, 0)
          or o.voided_minor < coalesce(t.voided, 0)
          or (o.voided_minor > coalesce(t.voided, 0) and o.released_at is null)`,
  },
  {
    name: 'orders_match_lines',
    sentence: "An authorized order's sums are what its lines add up to.",
    sql: `
      select o.id as order_id, o.authorized_minor, l.amount as lines_amount,
             o.captured_minor, l.captured as lines_captured, o.voided_minor, l.voided as lines_voided,
             o.refunded_minor, l.refunded as lines_refunded
        from orders o
        left join (
          select order_id, sum(amount_minor) as amount, sum(captured_minor) as captured,
                 sum(voided_minor) as voided, sum(refunded_minor) as refunded
            from order_lines group by order_id) l on l.order_id = o.id
       where o.state = 'authorized' and o.kind = 'payment'
         and (o.authorized_minor, o.captured_minor, o.voided_minor, o.refunded_minor)
             is distinct from (l.amount, l.captured, l.voided, l.refunded)`,
  },
  {
    name: 'adjustments_match_lines',
    sentence: 'The lines that a capture, refund or void names add up to it.',
    sql: `
      select t.id as transaction_id, t.order_id, t.kind, t.value_minor, a.amount as lines_amount
        from transactions t
        join orders o on o.id = t.order_id
        left join (select transaction_id, sum(amount_minor) as amount
                     from adjustment_lines group by transaction_id) a on a.transaction_id = t.id
       where t.state = 'approved' and o.kind = 'payment' and t.kind not in ('authorization', 'sale')
         and t.value_minor <> coalesce(a.amount, 0)`,
  },
  {
    name: 'refunded_lines_match_refunds',
    sentence: 'A line has refunded exactly what refunds took from it.',
    sql: `
      select l.id as line_id, l.order_id, l.refunded_minor, coalesce(a.amount, 0) as refunds
        from order_lines l
        left join (
          select al.order_line_id, sum(al.amount_minor) as amount
            from adjustment_lines al
            join transactions t on t.id = al.transaction_id and t.kind = 'refund'
           group by al.order_line_id) a on a.order_line_id = l.id
       where l.refunded_minor <> coalesce(a.amount, 0)`,
  },
]
