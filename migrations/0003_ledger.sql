-- The ledger: every movement of an order's money once more, as postings between accounts. docs/ledger.md
-- says what the accounts mean. One row debits one account and credits another with the same amount, so
-- that an entry out of balance cannot be written down at all; its kind says which two. A transaction
-- posts each kind at most once, which is why the key needs no number, and why nothing can be posted
-- twice.

create type ledger_posting_kind as enum ('authorization', 'release', 'capture', 'capture_void', 'credit');

create table ledger_kinds (
  kind ledger_posting_kind primary key,
  debit text not null,
  credit text not null,
  check (debit <> credit)
);
insert into ledger_kinds (kind, debit, credit) values
  ('authorization', 'authorizations', 'authorizations_contra'),
  ('release', 'authorizations_contra', 'authorizations'),
  ('capture', 'acquirer_receivable', 'merchant_payable'),
  ('capture_void', 'merchant_payable', 'acquirer_receivable'),
  ('credit', 'merchant_refunds', 'acquirer_receivable');

create table ledger_postings (
  merchant_id bigint not null,
  order_id bigint not null,
  transaction_id bigint not null,
  kind ledger_posting_kind not null,
  currency char(3) not null,
  amount_minor bigint not null constraint ledger_postings_move_money check (amount_minor > 0),
  posted_at timestamptz not null,
  primary key (order_id, transaction_id, kind)
);

create view ledger_entries as
  select p.*, k.debit, k.credit from ledger_postings p join ledger_kinds k using (kind);

create function refuse_to_rewrite_the_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'The ledger is append-only: a posting is put right by another posting, never by %.', tg_op;
end
$$;

create trigger ledger_postings_are_append_only
  before update or delete or truncate on ledger_postings
  for each statement execute function refuse_to_rewrite_the_ledger();

-- What was moved before there was a ledger. How much of a capture one void took back was not kept, so
-- the last void of an order gets all of it; what was released on expiry stands with the authorization.
with done as (
  select t.merchant_id, t.order_id, t.id, t.kind, t.value_minor, o.currency, t.concluded_at,
         o.kind = 'payment' and o.released_at is not null as released,
         row_number() over (partition by t.order_id, t.kind in ('void', 'void_capture')
                            order by t.created_at desc, t.id desc) = 1 as last_of_its_sort,
         o.voided_minor
           - coalesce(sum(t.value_minor) filter (where t.kind in ('void', 'void_capture'))
                        over (partition by t.order_id), 0) as expired_minor,
         coalesce(sum(t.undone_minor) over (partition by t.order_id), 0) as undone_minor,
         o.released_at
    from transactions t join orders o on o.id = t.order_id
   where t.state = 'approved'
), moved as (
  select *, 'authorization' as moved, value_minor as minor, concluded_at as at
    from done where kind in ('authorize', 'sale')
  union all
  select *, 'capture', value_minor, concluded_at from done where kind in ('sale', 'capture')
  union all
  select *, 'credit', value_minor, concluded_at from done where kind = 'credit'
  union all
  select *, 'release', value_minor, concluded_at from done where kind in ('void', 'void_capture')
  union all
  select *, 'release', expired_minor, released_at from done where kind = 'authorize' and released
  union all
  select *, 'capture_void', undone_minor, concluded_at
    from done where kind in ('void', 'void_capture') and last_of_its_sort
)
insert into ledger_postings (merchant_id, order_id, transaction_id, kind, currency, amount_minor, posted_at)
select merchant_id, order_id, id, moved::ledger_posting_kind, currency, minor, at
  from moved where minor > 0;
