import type { Invariant } from './invariant.ts'

/** Bank statements against themselves, the ledger and the payouts. */
export const depositInvariants: readonly Invariant[] = [
  {
    name: 'bank_statements_add_up',
    since: 'whole',
    sentence: 'The opening balance and the entries of a bank statement make its closing balance.',
    sql: `
      select b.id as bank_statement_id, b.entries, e.entries as found_entries,
             b.closing_minor - b.opening_minor as moved_minor, e.moved as found_minor
        from bank_statements b
       cross join lateral (select count(*) as entries, coalesce(sum(amount_minor), 0) as moved
                             from bank_entries where statement_id = b.id) e
       where b.entries <> e.entries or b.opening_minor + e.moved <> b.closing_minor`,
  },
  {
    name: 'bank_statements_are_a_chain',
    since: 'whole',
    sentence:
      'A bank statement opens with the closing balance of the one before it, unless an operator ' +
      'accepted a gap.',
    sql: `
      select id as bank_statement_id, opening_minor, closing_before
        from (select b.*, lag(closing_minor) over (partition by bank_account_id order by id)
                            as closing_before
                from bank_statements b) b
       where not follows_gap and opening_minor <> closing_before`,
  },
  {
    name: 'bank_entries_match_ledger',
    since: 'whole',
    sentence:
      'An entry that names an acquirer has posted its amount to the bank; no other entry has ' +
      'posted.',
    sql: `
      select coalesce(e.id, p.event_id) as bank_entry_id, e.amount_minor, p.posted_minor
        from (select id, amount_minor from bank_entries where state in ('unknown', 'matched')) e
        full join (
          select p.event_id,
                 sum(case when k.debit = 'bank' then p.amount_minor
                          when k.credit = 'bank' then -p.amount_minor else 0 end) as posted_minor
            from settlement_postings p join settlement_posting_kinds k on k.kind = p.kind
           where p.event = 'deposit' group by p.event_id) p on p.event_id = e.id
       where e.amount_minor is distinct from p.posted_minor`,
  },
  {
    name: 'deposits_match_ledger',
    since: 'whole',
    sentence: 'A deposit has posted to payout_in_transit what it takes from there.',
    sql: `
      select coalesce(l.entry_id, p.event_id) as bank_entry_id, coalesce(l.n, p.n) as part,
             l.cleared_minor, p.posted_minor
        from payout_deposits l
        full join (
          select p.event_id, p.n,
                 sum(case when k.credit = 'payout_in_transit' then p.amount_minor
                          when k.debit = 'payout_in_transit' then -p.amount_minor else 0 end)
                   as posted_minor
            from settlement_postings p join settlement_posting_kinds k on k.kind = p.kind
           where p.event = 'deposit' and p.n > 0 group by p.event_id, p.n) p
          on p.event_id = l.entry_id and p.n = l.n
       where l.cleared_minor is distinct from p.posted_minor`,
  },
  {
    name: 'payouts_match_deposits',
    since: 'whole',
    sentence:
      'The deposits of a deposited payout make its amount; announced and returned payouts have ' +
      'none left.',
    sql: `
      select p.id as payout_id, p.state, p.net_minor, coalesce(l.cleared, 0) as cleared_minor
        from settlement_payouts p
        left join (select payout_id, sum(cleared_minor) as cleared
                     from payout_deposits group by payout_id) l on l.payout_id = p.id
       where coalesce(l.cleared, 0) <> case p.state when 'deposited' then p.net_minor else 0 end
          or (p.state = 'announced' and l.payout_id is not null)`,
  },
  {
    name: 'deposits_in_suspense_have_a_difference',
    since: 'whole',
    sentence: 'Deposits have moved to suspense what their differences state.',
    sql: `
      with moved as (
        select p.merchant_id, p.currency,
               sum(case when k.credit = 'suspense' then p.amount_minor
                        when k.debit = 'suspense' then -p.amount_minor else 0 end) as minor
          from settlement_postings p join settlement_posting_kinds k on k.kind = p.kind
         where p.event = 'deposit' group by p.merchant_id, p.currency),
      stated as (
        select d.merchant_id, d.bank_currency as currency,
               sum(case when d.code = 'payout_unknown' and e.state = 'matched' then 0
                        else d.bank_minor - coalesce(d.here_minor, 0) end) as minor
          from settlement_differences d join bank_entries e on e.id = d.entry_id
         group by d.merchant_id, d.bank_currency)
      select merchant_id, currency, m.minor as moved_minor, s.minor as stated_minor
        from moved m full join stated s using (merchant_id, currency)
       where coalesce(m.minor, 0) <> coalesce(s.minor, 0)`,
  },
]
