-- A rapid resolution is a refund that the acquirer makes by the merchant's rule, not a loss.

create table dispute_posting_kinds (
  kind text primary key,
  debit text not null,
  credit text not null,
  -- 1: money of a case leaves `disputes_open`; -1: it comes back.
  sign smallint not null check (sign in (-1, 1))
);
insert into dispute_posting_kinds (kind, debit, credit, sign) values
  ('chargeback_loss', 'chargeback_loss', 'disputes_open', 1),
  ('chargeback_loss_returned', 'disputes_open', 'chargeback_loss', -1),
  ('rapid_refund', 'merchant_refunds', 'disputes_open', 1),
  ('rapid_refund_returned', 'disputes_open', 'merchant_refunds', -1);
alter table dispute_postings
  drop constraint dispute_postings_kind_check,
  add constraint dispute_postings_kind_fkey foreign key (kind) references dispute_posting_kinds;

-- Postings never change: those of rapid resolutions are reversed and posted again, as a loss before
-- and as a refund now.
insert into dispute_postings
  (dispute_id, n, kind, source_id, merchant_id, currency, amount_minor, posted_at)
select m.dispute_id,
       (select max(p.n) from dispute_postings p where p.dispute_id = m.dispute_id)
         + row_number() over (partition by m.dispute_id order by m.source_id, k.step),
       k.kind, m.source_id, m.merchant_id, m.currency, m.posted_minor, now()
  from dispute_money m
 cross join (values (1, 'chargeback_loss_returned'), (2, 'rapid_refund')) k (step, kind)
 where m.posted_minor > 0
   and exists (select from dispute_notices n
                where n.dispute_id = m.dispute_id and n.event = 'rapid_resolution');

create or replace view dispute_money as
  select d.id as dispute_id, d.merchant_id, d.state, m.source_id, m.currency, m.taken_minor,
         m.returned_minor,
         case when d.state in ('lost', 'accepted')
              then greatest(m.taken_minor - m.returned_minor, 0) else 0 end as loss_minor,
         coalesce(p.posted_minor, 0) as posted_minor,
         exists (select from dispute_notices n
                  where n.dispute_id = d.id and n.event = 'rapid_resolution') as is_rapid
    from disputes d
   cross join lateral (
     select v.source_id, v.currency, coalesce(sum(v.taken_minor) filter (where v.taken_minor > 0), 0)
              as taken_minor,
            coalesce(-sum(v.taken_minor) filter (where v.taken_minor < 0), 0) as returned_minor
       from dispute_movements v where v.dispute_id = d.id group by v.source_id, v.currency) m
    left join lateral (
     select sum(k.sign * q.amount_minor) as posted_minor
       from dispute_postings q join dispute_posting_kinds k using (kind)
      where q.dispute_id = d.id and q.source_id = m.source_id) p on true;

create or replace view account_entries as
  select p.merchant_id, k.debit, k.credit, p.currency, p.amount_minor, p.posted_at, p.kind::text
    from ledger_postings p join ledger_kinds k using (kind)
  union all
  select p.merchant_id, k.debit, k.credit, p.currency, p.amount_minor, p.posted_at, p.kind::text
    from settlement_postings p join settlement_posting_kinds k using (kind)
  union all
  select merchant_id, debit, credit, currency, amount_minor, posted_at, 'operator_fee'
    from fee_entries
  union all
  select p.merchant_id, k.debit, k.credit, p.currency, p.amount_minor, p.posted_at, p.kind
    from dispute_postings p join dispute_posting_kinds k using (kind);
