import type { Invariant } from './invariant.ts'

/** Settlement files against themselves, the ledger, the transactions and the payouts. */
export const settlementInvariants: readonly Invariant[] = [
  {
    name: 'settlement_files_match_lines',
    since: 'full run',
    sentence: 'The sums of a booked settlement file are what its lines add up to.',
    sql: `
      select f.id as settlement_file_id, f.lines, coalesce(l.lines, 0) as found_lines,
             f.gross_minor, coalesce(l.gross, 0) as found_gross,
             f.net_minor, coalesce(l.net, 0) as found_net
        from settlement_files f
        left join (select file_id, count(*) as lines, max(n) as last, sum(gross_minor) as gross,
                          sum(net_minor) as net
                     from settlement_lines group by file_id) l on l.file_id = f.id
       where f.state = 'booked'
         and (f.lines, f.lines, f.gross_minor, f.net_minor)
             <> (coalesce(l.lines, 0), coalesce(l.last, 0), coalesce(l.gross, 0),
                 coalesce(l.net, 0))`,
  },
  {
    name: 'settlement_files_are_a_chain',
    since: 'whole',
    sentence:
      'A settlement file has the next number of its source, names the file before it, and opens ' +
      'with its closing balance.',
    sql: `
      select id as settlement_file_id, source_id, seq
        from (select f.*, lag(seq) over w as seq_before,
                     lag(content_sha256) over w as sha256_before,
                     lag(closing_minor) over w as closing_before
                from settlement_files f where state = 'booked'
              window w as (partition by source_id order by seq)) f
       where seq <> coalesce(seq_before + 1, seq)
          or prev_sha256 <> coalesce(sha256_before, repeat('0', 64))
          or opening_minor <> coalesce(closing_before, 0)`,
  },
  {
    name: 'settlement_lines_match_ledger',
    since: 'full run',
    sentence:
      'A line of a booked settlement file has posted its net amount to the acquirer balance; ' +
      'no other line has posted.',
    sql: `
      select coalesce(l.file_id, p.event_id) as settlement_file_id, coalesce(l.n, p.n) as line,
             l.net_minor, p.posted_minor
        from (select l.file_id, l.n, l.net_minor from settlement_lines l
                join settlement_files f on f.id = l.file_id and f.state = 'booked') l
        full join (
          select p.event_id, p.n,
                 sum(case when k.debit = 'acquirer_balance' then p.amount_minor
                          when k.credit = 'acquirer_balance' then -p.amount_minor else 0 end)
                   as posted_minor
            from settlement_postings p join settlement_posting_kinds k on k.kind = p.kind
           where p.event = 'line' group by p.event_id, p.n) p
          on p.event_id = l.file_id and p.n = l.n
       where l.file_id is null or l.net_minor <> coalesce(p.posted_minor, 0)`,
  },
  {
    name: 'settlement_postings_are_sound',
    since: 'full run',
    sentence:
      'A settlement posting moves an amount above zero, has a known kind, and belongs to the ' +
      'merchant of its source.',
    sql: `
      select p.event, p.event_id, p.n, p.kind, p.amount_minor
        from settlement_postings p
        left join settlement_posting_kinds k on k.kind = p.kind
        left join settlement_sources s on s.id = p.source_id and s.merchant_id = p.merchant_id
       where p.amount_minor <= 0 or k.kind is null or s.id is null`,
  },
  {
    name: 'settled_transactions_match_lines',
    since: 'full run',
    sentence:
      'A settled transaction is an approved capture or refund of the merchant, and its line of a ' +
      'booked file has the same amounts.',
    sql: `
      select x.transaction_id, x.file_id as settlement_file_id, x.n as line
        from settled_transactions x
        left join transactions t on t.id = x.transaction_id and t.order_id = x.order_id
             and t.merchant_id = x.merchant_id and t.state = 'approved'
             and t.kind in ('sale', 'capture', 'refund')
        left join settlement_files f on f.id = x.file_id and f.state = 'booked'
        left join settlement_lines l on l.file_id = x.file_id and l.n = x.n
             and l.gross_minor = x.gross_minor and l.net_minor = x.net_minor
             and l.value_date = x.settled_on
             and l.kind = case when x.state = 'rejected' then 'reject'
                               when t.kind = 'refund' then 'refund' else 'sale' end
       where t.id is null or f.id is null or l.n is null`,
  },
  {
    name: 'settled_transactions_clear_receivable',
    since: 'full run',
    sentence: 'The line of a settled transaction has posted the value of the transaction.',
    sql: `
      select x.transaction_id, t.value_minor - t.voided_minor as value_minor, p.posted_minor
        from settled_transactions x
        join transactions t on t.id = x.transaction_id
        left join (
          select p.event_id, p.n, sum(p.amount_minor) as posted_minor
            from settlement_postings p join settlement_posting_kinds k on k.kind = p.kind
           where p.event = 'line' and 'acquirer_receivable' in (k.debit, k.credit)
           group by p.event_id, p.n) p on p.event_id = x.file_id and p.n = x.n
       where t.value_minor - t.voided_minor is distinct from p.posted_minor`,
  },
  {
    name: 'payouts_match_lines',
    since: 'full run',
    sentence: 'Each payout line of a booked settlement file has one payout of its amount.',
    sql: `
      select coalesce(l.file_id, p.file_id) as settlement_file_id, coalesce(l.n, p.n) as line,
             l.gross_minor, p.net_minor
        from (select l.file_id, l.n, l.gross_minor from settlement_lines l
                join settlement_files f on f.id = l.file_id and f.state = 'booked'
               where l.kind = 'payout') l
        full join settlement_payouts p on p.file_id = l.file_id and p.n = l.n
       where l.gross_minor is distinct from -p.net_minor`,
  },
  {
    name: 'missing_transactions_are_in_no_file',
    since: 'full run',
    sentence:
      'A capture or refund that is missing at the bank, or written off as missing, is in no ' +
      'settlement file.',
    sql: `
      select d.id as difference_id, d.transaction_id, d.state, d.ended_as,
             x.file_id as settlement_file_id, x.n as line
        from settlement_differences d
        join settled_transactions x on x.transaction_id = d.transaction_id
       where d.code = 'missing_at_bank' and (d.state = 'open' or d.ended_as = 'written_off')`,
  },
]
