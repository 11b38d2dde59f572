import type { Invariant } from './invariant.ts'

/** Cases against their notices, the lines of settlement files, the ledger and the orders. */
export const disputeInvariants: readonly Invariant[] = [
  {
    name: 'dispute_feeds_are_a_chain',
    since: 'whole',
    sentence: 'The notices of a merchant account have the numbers 1, 2, 3 and so on to the last.',
    sql: `
      select f.id as feed_id, f.last_n, n.notices, n.last
        from dispute_feeds f
       cross join lateral (select count(*) as notices, coalesce(max(x.n), 0) as last
                             from dispute_notices x where x.feed_id = f.id) n
       where f.last_n <> n.last or f.last_n <> n.notices`,
  },
  {
    name: 'disputes_match_notices',
    since: 'whole',
    sentence:
      'A dispute is in the state of its last notice, and each notice follows the one before.',
    sql: `
      select d.id as dispute_id, d.state, n.state_after, n.broken
        from disputes d
       cross join lateral (
         select (array_agg(x.state_after order by x.n desc))[1] as state_after,
                count(*) filter (where x.state_before is distinct from x.state_expected) as broken
           from (select y.*, lag(y.state_after) over (order by y.n) as state_expected
                   from dispute_notices y where y.dispute_id = d.id) x) n
       where d.state is distinct from n.state_after or n.broken > 0`,
  },
  {
    name: 'dispute_movements_match_lines',
    since: 'full run',
    sentence:
      'A booked line that names a dispute of its account is one of its movements, with the ' +
      'same amount; no other line is.',
    sql: `
      select coalesce(l.file_id, m.file_id) as settlement_file_id, coalesce(l.n, m.n) as line,
             l.taken_minor, m.taken_minor as linked_minor
        from (select l.file_id, l.n, d.id as dispute_id, l.kind, s.id as source_id,
                     case l.kind when 'dispute_fee' then 0 else -l.gross_minor end as taken_minor
                from settlement_lines l
                join settlement_files f on f.id = l.file_id and f.state = 'booked'
                join settlement_sources s on s.id = f.source_id
                join disputes d on d.merchant_account_id = s.merchant_account_id
                     and d.case_id = l.case_id
               where l.kind in ('chargeback', 'chargeback_again', 'dispute_reversal',
                                'dispute_fee')
                 and (l.gross_minor <> 0 or l.kind = 'dispute_fee')) l
        full join dispute_movements m on m.file_id = l.file_id and m.n = l.n
       where (l.dispute_id, l.kind, l.source_id, l.taken_minor)
             is distinct from (m.dispute_id, m.kind, m.source_id, m.taken_minor)`,
  },
  {
    name: 'dispute_losses_match_money',
    since: 'full run',
    sentence:
      'Money that was taken for a lost or accepted dispute is posted: as a refund for a rapid ' +
      'resolution, as a loss for others.',
    sql: `
      select coalesce(m.dispute_id, p.dispute_id) as dispute_id, m.loss_minor, p.posted_minor
        from dispute_money m
        full join (
          select q.dispute_id, q.source_id, sum(k.sign * q.amount_minor) as posted_minor,
                 sum(k.sign * q.amount_minor) filter (where q.kind like 'rapid%') as rapid_minor
            from dispute_postings q join dispute_posting_kinds k using (kind)
           group by q.dispute_id, q.source_id) p
          on p.dispute_id = m.dispute_id and p.source_id = m.source_id
       where coalesce(m.loss_minor, 0) <> coalesce(p.posted_minor, 0)
          or coalesce(p.rapid_minor, 0) <> case when m.is_rapid then m.loss_minor else 0 end`,
  },
  {
    name: 'disputes_open_matches_cases',
    since: 'full run',
    sentence:
      'The balance of disputes_open in each source is what was taken and neither returned nor ' +
      'posted as a loss.',
    sql: `
      select s.id as source_id, b.posted_minor, c.open_minor
        from settlement_sources s
       cross join lateral (
         select coalesce(sum(case p.kind when 'to_disputes_open' then p.amount_minor
                                         else -p.amount_minor end), 0)
                - (select coalesce(sum(k.sign * q.amount_minor), 0)
                     from dispute_postings q join dispute_posting_kinds k using (kind)
                    where q.source_id = s.id) as posted_minor
           from settlement_postings p
          where p.source_id = s.id and p.kind in ('to_disputes_open', 'from_disputes_open')) b
       cross join lateral (
         select coalesce((select sum(m.taken_minor - m.returned_minor - m.loss_minor)
                            from dispute_money m where m.source_id = s.id), 0)
                + coalesce((select -sum(l.gross_minor)
                              from settlement_lines l
                              join settlement_files f on f.id = l.file_id and f.source_id = s.id
                                   and f.state = 'booked'
                             where l.kind in ('chargeback', 'chargeback_again',
                                              'dispute_reversal')
                               and not exists (select from dispute_movements x
                                                where x.file_id = l.file_id and x.n = l.n)), 0)
                as open_minor) c
       where b.posted_minor <> c.open_minor`,
  },
  {
    name: 'disputed_orders_match_cases',
    since: 'full run',
    sentence:
      'The disputed amount of an order is the sum of its open and lost disputes, and exceeds ' +
      'what was captured only where that is marked.',
    sql: `
      select coalesce(x.order_id, d.order_id) as order_id, x.disputed_minor, d.blocked_minor
        from disputed_orders x
        full join (select order_id, sum(blocked_minor) as blocked_minor from disputes
                    where order_id is not null group by order_id) d on d.order_id = x.order_id
        left join orders o on o.id = x.order_id and o.merchant_id = x.merchant_id
       where coalesce(x.disputed_minor, 0) <> coalesce(d.blocked_minor, 0)
          or (x.order_id is not null
              and (o.id is null
                   or (not x.is_excess and x.disputed_minor > o.captured_minor)))`,
  },
  {
    name: 'dispute_answers_match_notices',
    since: 'whole',
    sentence:
      'An answer is acknowledged when a notice of its dispute names it, and its files belong to ' +
      'the same dispute.',
    sql: `
      select w.id as answer_id, w.dispute_id, w.state
        from dispute_answers w
       where (w.state = 'acknowledged')
               <> exists (select from dispute_notices n
                           where n.dispute_id = w.dispute_id and n.answer_id = w.id)
          or exists (select from dispute_files f
                      where f.answer_id = w.id and f.dispute_id <> w.dispute_id)`,
  },
]
