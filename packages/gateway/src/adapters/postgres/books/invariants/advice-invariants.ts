import { BANK_AGREED } from '../advice-agreement.ts'
import type { Invariant } from './invariant.ts'

/** SQL: the advices of this transaction were acknowledged, and erased by retention since. */
const erased = (transaction: string): string =>
  `exists (select from advice_erasures e where e.order_id = ${transaction}.order_id
                   and ${transaction}.id = any(e.transaction_ids))`

/** Messages that must reach the bank, and their sequence. */
export const adviceInvariants: readonly Invariant[] = [
  {
    name: 'advices_have_parents',
    sentence: 'An advice belongs to an order and to one of its transactions.',
    sql: `
      select a.id as advice_id, a.order_id, a.transaction_id
        from advices a
        left join orders o on o.id = a.order_id and o.merchant_id = a.merchant_id
        left join transactions t on t.id = a.transaction_id and t.order_id = a.order_id
       where o.id is null or t.id is null`,
  },
  {
    name: 'advices_are_gapless',
    sentence:
      "An order's advices are numbered without a gap up to the order's count, from one or from " +
      'the first that retention left.',
    sql: `
      select o.id as order_id, o.advice_count, coalesce(a.advices, 0) as advices, a.first, a.last,
             e.erased
        from orders o
        left join advice_erasures e on e.order_id = o.id
        left join (select order_id, count(distinct sequence) as advices, min(sequence) as first,
                          max(sequence) as last
                     from advices group by order_id) a on a.order_id = o.id
       where o.advice_count <> coalesce(a.advices, 0) + coalesce(e.erased, 0)
          or (a.advices > 0
              and (a.first <> coalesce(e.erased, 0) + 1 or a.last <> o.advice_count))`,
  },
  {
    name: 'advices_are_acknowledged_in_sequence',
    sentence: 'No advice is acknowledged while an earlier one of its order waits.',
    sql: `
      select a.id as advice_id, a.order_id, a.sequence, w.sequence as waiting
        from advices a
        join (select order_id, min(sequence) as sequence
                from advices where state = 'queued' group by order_id) w on w.order_id = a.order_id
       where a.state = 'acknowledged' and a.sequence > w.sequence`,
  },
  {
    name: 'advices_are_acknowledged_with_a_time',
    sentence: 'An advice has a time of acknowledgement exactly when it is acknowledged.',
    sql: `
      select id as advice_id, order_id, state, acknowledged_at
        from advices where (state = 'acknowledged') <> (acknowledged_at is not null)`,
  },
  {
    name: 'captures_reach_the_bank',
    sentence: 'An approved sale or capture has one capture advice, of its amount.',
    sql: `
      select t.id as transaction_id, t.order_id, t.kind, t.value_minor, a.advices, a.amount
        from transactions t
        left join (select transaction_id, count(*) as advices, sum(amount_minor) as amount
                     from advices where kind = 'capture' group by transaction_id) a
          on a.transaction_id = t.id
       where t.state = 'approved' and t.kind in ('sale', 'capture')
         and (a.advices, a.amount) is distinct from (1, t.value_minor)
         and not ${erased('t')}`,
  },
  {
    name: 'refunds_reach_the_bank',
    sentence: 'An approved refund of an order has one refund advice, of its amount.',
    // An unreferenced credit needs none: the bank was asked, and has booked it.
    sql: `
      select t.id as transaction_id, t.order_id, t.value_minor, a.advices, a.amount
        from transactions t
        join orders o on o.id = t.order_id and o.kind = 'payment'
        left join (select transaction_id, count(*) as advices, sum(amount_minor) as amount
                     from advices where kind = 'refund' group by transaction_id) a
          on a.transaction_id = t.id
       where t.state = 'approved' and t.kind = 'refund'
         and (a.advices, a.amount) is distinct from (1, t.value_minor)
         and not ${erased('t')}`,
  },
  {
    name: 'voids_reach_the_bank',
    sentence: 'An approved void, and what was released on expiry, has a reversal advice.',
    sql: `
      select t.id as transaction_id, t.order_id, t.kind
        from transactions t
       where t.state = 'approved' and t.kind in ('void', 'capture_void')
         and not exists (select from advices a
                          where a.transaction_id = t.id and a.kind = 'reversal')
         and not ${erased('t')}
      union all
      select p.transaction_id, p.order_id, t.kind
        from ledger_postings p
        join transactions t on t.id = p.transaction_id and t.kind = 'authorization'
       where p.kind = 'release'
         and not exists (select from advices a
                          where a.transaction_id = p.transaction_id and a.kind = 'reversal')
         and not ${erased('t')}`,
  },
  {
    name: 'unknown_outcomes_are_reversed',
    sentence: 'A payment that failed because its outcome is unknown has a reversal advice.',
    // 502 is the SERVICE code of an unknown outcome.
    sql: `
      select t.id as transaction_id, t.order_id, t.kind
        from transactions t
       where t.state = 'failed' and t.service_code = 502
         and not exists (select from advices a
                          where a.transaction_id = t.id and a.kind = 'reversal')
         and not ${erased('t')}`,
  },
  {
    name: 'message_numbers_are_used_once',
    sentence: 'No two bank messages have the same number, which is their terminal and STAN.',
    sql: `
      select message_number, count(*) as messages
        from (select message_number from orders union all select message_number from advices) m
       group by message_number having count(*) > 1`,
  },
  {
    name: 'advices_agree',
    sentence: 'The bank has refused no advice.',
    isWarning: true,
    sql: `
      select id as advice_id, order_id, kind, amount_minor, response_code
        from advices
       where state = 'acknowledged' and not ${BANK_AGREED}`,
  },
]
